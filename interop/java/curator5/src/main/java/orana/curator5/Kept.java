// Recipes that keep something there: persistent nodes, groups, counters.
package orana.curator5;

import static orana.stage.Check.becomes;
import static orana.stage.Check.equal;
import static orana.stage.Check.that;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.ArrayList;
import orana.stage.Stage;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.atomic.AtomicValue;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.nodes.GroupMember;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.curator.framework.recipes.nodes.PersistentTtlNode;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

final class Kept {
    private Kept() {}

    static void on(Stage stage) {
        stage.together("a_persistent_ttl_node_lives_as_long_as_its_owner", () -> ttlNode(stage));
        stage.together("a_persistent_node_comes_back", () -> persistentNode(stage));
        stage.together("an_atomic_long_loses_no_increment", () -> atomicLong(stage));
        stage.together("a_shared_count_is_compared_before_it_is_set", () -> sharedCount(stage));
        stage.together("a_group_knows_its_members", () -> group(stage));
    }

    private static void persistentNode(Stage stage) throws Exception {
        String root = Clients.root("persistentnode");
        try (CuratorFramework client = Clients.open(stage.address()); CuratorFramework other = Clients.open(stage.address())) {
            other.create().forPath(root);
            try (PersistentNode node = new PersistentNode(client, CreateMode.EPHEMERAL, false, root + "/node", "mine".getBytes())) {
                node.start();
                that("created", node.waitForInitialCreate(10, TimeUnit.SECONDS));
                Stat first = other.checkExists().forPath(root + "/node");
                other.delete().forPath(root + "/node");
                becomes("it comes back after a deletion", 10_000, true, () -> later(other, root + "/node", first));
                node.setData("changed".getBytes());
                becomes("with its data", 5_000, "changed", () -> new String(other.getData().forPath(root + "/node")));
                Stat second = other.checkExists().forPath(root + "/node");
                Clients.expire(stage.address(), client);
                becomes("it comes back in a new session", 20_000, true, () -> {
                    Stat now = other.checkExists().forPath(root + "/node");
                    return now != null && now.getEphemeralOwner() != second.getEphemeralOwner();
                });
                equal("with its data", "changed", new String(other.getData().forPath(root + "/node")));
            }
            becomes("it goes with its owner", 5_000, null, () -> other.checkExists().forPath(root + "/node"));
        }
    }

    private static boolean later(CuratorFramework client, String path, Stat than) throws Exception {
        Stat now = client.checkExists().forPath(path);
        return now != null && now.getCzxid() > than.getCzxid();
    }

    private static void ttlNode(Stage stage) throws Exception {
        String root = Clients.root("ttlnode");
        try (CuratorFramework client = Clients.open(stage.address()); CuratorFramework other = Clients.open(stage.address())) {
            other.create().forPath(root);
            PersistentTtlNode node = new PersistentTtlNode(client, root + "/node", 2_000, "mine".getBytes());
            node.start();
            that("created", node.waitForInitialCreate(10, TimeUnit.SECONDS));
            for (int i = 0; i < 7; i++) {
                Thread.sleep(1_000);
                that("its owner keeps it", other.checkExists().forPath(root + "/node") != null);
            }
            equal("its data", "mine", new String(node.getData()));
            // Not closed but abandoned, as by a crash: what kept it alive goes when its time is over, and then, some time
            // after, the container that is left.
            Clients.expire(stage.address(), client);
            node.close();
            // A server that looks after such nodes once a minute needs that long.
            becomes("it is not kept alive any more", 75_000, null,
                    () -> other.checkExists().forPath(root + "/node/" + PersistentTtlNode.DEFAULT_CHILD_NODE_NAME));
        }
    }

    private static void atomicLong(Stage stage) throws Exception {
        String path = Clients.root("atomiclong");
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> done = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            done.add(pool.submit(() -> {
                try (CuratorFramework client = Clients.open(stage.address())) {
                    DistributedAtomicLong number = new DistributedAtomicLong(client, path, new RetryNTimes(200, 5));
                    int added = 0;
                    for (int j = 0; j < 25; j++) {
                        AtomicValue<Long> value = number.increment();
                        added += value.succeeded() ? 1 : 0;
                    }
                    return added;
                }
            }));
        }
        int added = 0;
        for (Future<Integer> one : done) {
            added += one.get(60, TimeUnit.SECONDS);
        }
        pool.shutdown();
        try (CuratorFramework client = Clients.open(stage.address())) {
            DistributedAtomicLong number = new DistributedAtomicLong(client, path, new RetryNTimes(10, 5));
            equal("every acknowledged increment counts", (long) added, number.get().postValue());
            that("most went through: " + added, added > 50);
            that("compared and set", number.compareAndSet((long) added, 7L).succeeded());
            that("compared and refused", !number.compareAndSet((long) added, 8L).succeeded());
        }
    }

    private static void sharedCount(Stage stage) throws Exception {
        String path = Clients.root("sharedcount");
        try (CuratorFramework client = Clients.open(stage.address());
                CuratorFramework other = Clients.open(stage.address());
                SharedCount mine = new SharedCount(client, path, 1);
                SharedCount theirs = new SharedCount(other, path, 1)) {
            mine.start();
            theirs.start();
            var seen = theirs.getVersionedValue();
            that("set", mine.trySetCount(mine.getVersionedValue(), 2));
            that("a stale value is refused", !theirs.trySetCount(seen, 3));
            becomes("the other side sees it", 5_000, 2, theirs::getCount);
        }
    }

    private static void group(Stage stage) throws Exception {
        String path = Clients.root("group");
        try (CuratorFramework client = Clients.open(stage.address()); CuratorFramework other = Clients.open(stage.address())) {
            GroupMember mine = new GroupMember(client, path, "mine", "a".getBytes());
            GroupMember theirs = new GroupMember(other, path, "theirs", "b".getBytes());
            mine.start();
            theirs.start();
            becomes("both", 10_000, List.of("mine", "theirs"), () -> mine.getCurrentMembers().keySet().stream().sorted().toList());
            theirs.close();
            becomes("one left", 10_000, List.of("mine"), () -> List.copyOf(mine.getCurrentMembers().keySet()));
            mine.close();
        }
    }
}
