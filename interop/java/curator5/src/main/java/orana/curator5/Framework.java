// Curator's own ways of asking: parents made on demand, protected creates, transactions, guaranteed deletes, namespaces,
// background calls, and a restart of the server under it.
package orana.curator5;

import static orana.stage.Check.becomes;
import static orana.stage.Check.equal;
import static orana.stage.Check.refused;
import static orana.stage.Check.that;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import orana.stage.Stage;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.api.transaction.OperationType;
import org.apache.curator.framework.recipes.watch.PersistentWatcher;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;

final class Framework {
    private Framework() {}

    static void on(Stage stage) {
        stage.together("a_transaction_is_all_or_nothing", () -> transactions(stage));
        stage.together("parents_are_made_and_trees_are_deleted", () -> parents(stage));
        stage.together("a_protected_create_makes_one_node_only", () -> protectedCreate(stage));
        stage.together("a_namespace_hides_itself", () -> namespace(stage));
        stage.together("background_calls_come_back", () -> background(stage));
        stage.together("watches_are_set_and_removed", () -> watches(stage));
        stage.together("a_persistent_watcher_stays_over_a_lost_connection", () -> persistentWatcher(stage));
        stage.together("lost_and_reconnected_are_told_by_session", () -> states(stage));
        stage.alone("a_killed_server_keeps_what_recipes_hold", () -> restart(stage));
    }

    private static void transactions(Stage stage) throws Exception {
        String root = Clients.root("transactions");
        try (CuratorFramework client = Clients.open(stage.address())) {
            client.create().forPath(root, "old".getBytes());
            List<CuratorTransactionResult> results = client.transaction().forOperations(
                    client.transactionOp().check().withVersion(0).forPath(root),
                    client.transactionOp().create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(root + "/s-", "x".getBytes()),
                    client.transactionOp().setData().withVersion(0).forPath(root, "new".getBytes()));
            equal("kinds", List.of(OperationType.CHECK, OperationType.CREATE, OperationType.SET_DATA),
                    results.stream().map(CuratorTransactionResult::getType).toList());
            equal("path", root + "/s-0000000000", results.get(1).getResultPath());
            equal("stat", 1, results.get(2).getResultStat().getVersion());
            refused("a failing one", KeeperException.NodeExistsException.class, () -> client.transaction().forOperations(
                    client.transactionOp().delete().forPath(root + "/s-0000000000"),
                    client.transactionOp().create().forPath(root)));
            that("nothing was deleted", client.checkExists().forPath(root + "/s-0000000000") != null);
        }
    }

    private static void parents(Stage stage) throws Exception {
        String root = Clients.root("parents");
        try (CuratorFramework client = Clients.open(stage.address())) {
            client.create().creatingParentContainersIfNeeded().withMode(CreateMode.EPHEMERAL).forPath(root + "/a/b/c", "x".getBytes());
            client.create().creatingParentsIfNeeded().forPath(root + "/d/e");
            Stat stat = new Stat();
            client.create().storingStatIn(stat).forPath(root + "/f", "four".getBytes());
            equal("the stat of a create", client.checkExists().forPath(root + "/f"), stat);
            equal("create or set", root + "/f", client.create().orSetData().forPath(root + "/f", "set".getBytes()));
            equal("set", "set", new String(client.getData().storingStatIn(stat).forPath(root + "/f")));
            equal("its version", 1, stat.getVersion());
            client.create().withTtl(60_000).withMode(CreateMode.PERSISTENT_WITH_TTL).forPath(root + "/ttl");
            client.delete().guaranteed().deletingChildrenIfNeeded().forPath(root);
            equal("gone", null, client.checkExists().forPath(root));
            client.delete().quietly().forPath(root);
        }
    }

    private static void protectedCreate(Stage stage) throws Exception {
        var wire = stage.wire();
        String root = Clients.root("protected");
        try (CuratorFramework client = Clients.open(wire.address()); CuratorFramework other = Clients.open(stage.address())) {
            other.create().forPath(root);
            for (int i = 0; i < 5; i++) {
                if (i % 2 == 1) {
                    wire.blink();
                }
                String path = client.create().withProtection().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(root + "/n-");
                that("a protected name: " + path, path.startsWith(root + "/_c_"));
            }
            equal("one node for each", 5, other.getChildren().forPath(root).size());
        }
    }

    private static void namespace(Stage stage) throws Exception {
        String root = Clients.root("namespace");
        try (CuratorFramework client = Clients.open(stage.address())) {
            CuratorFramework inside = client.usingNamespace(root.substring(1));
            inside.create().creatingParentsIfNeeded().forPath("/a/b", "x".getBytes());
            that("below the namespace", client.checkExists().forPath(root + "/a/b") != null);
            equal("children", List.of("b"), inside.getChildren().forPath("/a"));
        }
    }

    private static void background(Stage stage) throws Exception {
        String root = Clients.root("background");
        try (CuratorFramework client = Clients.open(stage.address())) {
            List<String> told = new CopyOnWriteArrayList<>();
            CompletableFuture<Void> last = new CompletableFuture<>();
            org.apache.curator.framework.api.BackgroundCallback callback = (from, event) -> {
                told.add(event.getType() + " " + event.getResultCode());
                if (event.getType() == org.apache.curator.framework.api.CuratorEventType.SYNC) {
                    last.complete(null);
                }
            };
            client.create().inBackground(callback).forPath(root, "x".getBytes());
            client.getData().inBackground(callback).forPath(root);
            client.getChildren().inBackground(callback).forPath(root);
            client.getACL().inBackground(callback).forPath(root);
            client.setData().inBackground(callback).forPath(root, "y".getBytes());
            client.checkExists().inBackground(callback).forPath(root + "/missing");
            client.delete().inBackground(callback).forPath(root);
            client.sync().inBackground(callback).forPath("/");
            last.get(20, TimeUnit.SECONDS);
            equal("each", List.of("CHILDREN 0", "CREATE 0", "DELETE 0", "EXISTS -101", "GET_ACL 0", "GET_DATA 0", "SET_DATA 0", "SYNC 0"),
                    told.stream().sorted().toList());
        }
    }

    private static void watches(Stage stage) throws Exception {
        String root = Clients.root("watches");
        try (CuratorFramework client = Clients.open(stage.address()); CuratorFramework other = Clients.open(stage.address())) {
            other.create().forPath(root);
            List<String> told = new CopyOnWriteArrayList<>();
            Watcher watcher = event -> told.add(event.getType() + " " + event.getPath());
            client.getData().usingWatcher(watcher).forPath(root);
            client.watchers().remove(watcher).forPath(root);
            other.setData().forPath(root, "x".getBytes());
            client.getData().usingWatcher(watcher).forPath(root);
            other.setData().forPath(root, "y".getBytes());
            becomes("only the second watch fires", 5_000, List.of("DataWatchRemoved " + root, "NodeDataChanged " + root), () -> List.copyOf(told));
            client.watchers().add().withMode(org.apache.zookeeper.AddWatchMode.PERSISTENT_RECURSIVE).usingWatcher(watcher).forPath(root);
            other.create().forPath(root + "/a");
            becomes("a recursive one", 5_000, true, () -> told.contains("NodeCreated " + root + "/a"));
            client.watchers().removeAll().forPath(root);
        }
    }

    private static void persistentWatcher(Stage stage) throws Exception {
        var wire = stage.wire();
        String root = Clients.root("persistentwatcher");
        try (CuratorFramework client = Clients.open(wire.address()); CuratorFramework other = Clients.open(stage.address())) {
            other.create().forPath(root);
            List<String> told = new CopyOnWriteArrayList<>();
            try (PersistentWatcher watcher = new PersistentWatcher(client, root, true)) {
                CompletableFuture<Void> set = new CompletableFuture<>();
                watcher.getResetListenable().addListener(() -> set.complete(null));
                watcher.getListenable().addListener(event -> {
                    if (event.getPath() != null) {
                        told.add(event.getType() + " " + event.getPath());
                    }
                });
                watcher.start();
                set.get(10, TimeUnit.SECONDS);
                other.create().forPath(root + "/a");
                becomes("before", 5_000, List.of("NodeCreated " + root + "/a"), () -> List.copyOf(told));
                wire.blink();
                client.checkExists().forPath(root);
                client.sync().forPath(root);
                other.create().forPath(root + "/b");
                becomes("after", 10_000, true, () -> told.contains("NodeCreated " + root + "/b"));
            }
        }
    }

    private static void states(Stage stage) throws Exception {
        var wire = stage.wire();
        try (CuratorFramework client = Clients.open(wire.address(), 20_000)) {
            List<ConnectionState> told = new CopyOnWriteArrayList<>();
            client.getConnectionStateListenable().addListener((from, state) -> {
                // The first connection may be told late.
                if (state != ConnectionState.CONNECTED) {
                    told.add(state);
                }
            });
            long first = client.getZookeeperClient().getZooKeeper().getSessionId();
            wire.blink();
            becomes("a lost connection", 20_000, List.of(ConnectionState.SUSPENDED, ConnectionState.RECONNECTED), () -> List.copyOf(told));
            equal("the same session", first, client.getZookeeperClient().getZooKeeper().getSessionId());
            told.clear();
            Clients.expire(stage.address(), client);
            becomes("a lost session", 20_000, true, () -> told.contains(ConnectionState.LOST) && told.get(told.size() - 1) == ConnectionState.RECONNECTED);
            that("a new session", client.getZookeeperClient().getZooKeeper().getSessionId() != first);
        }
    }

    private static void restart(Stage stage) throws Exception {
        String root = Clients.root("restart");
        try (CuratorFramework client = Clients.open(stage.address(), 20_000);
                org.apache.curator.framework.recipes.leader.LeaderLatch latch =
                        new org.apache.curator.framework.recipes.leader.LeaderLatch(client, root + "/latch");
                org.apache.curator.framework.recipes.cache.CuratorCache cache =
                        org.apache.curator.framework.recipes.cache.CuratorCache.build(client, root + "/cache")) {
            client.create().creatingParentsIfNeeded().forPath(root + "/cache/a", "one".getBytes());
            client.create().creatingParentsIfNeeded().withMode(CreateMode.EPHEMERAL).forPath(root + "/mine/e");
            latch.start();
            cache.start();
            that("leads", latch.await(10, TimeUnit.SECONDS));
            becomes("filled", 10_000, 2, cache::size);
            long session = client.getZookeeperClient().getZooKeeper().getSessionId();
            stage.killServer();
            becomes("suspended", 10_000, false, latch::hasLeadership);
            stage.startServer();
            becomes("leads again", 20_000, true, latch::hasLeadership);
            equal("the same session", session, client.getZookeeperClient().getZooKeeper().getSessionId());
            that("its ephemeral", client.checkExists().forPath(root + "/mine/e") != null);
            client.setData().forPath(root + "/cache/a", "two".getBytes());
            client.create().forPath(root + "/cache/b", "b".getBytes());
            becomes("the cache goes on", 10_000, 3, cache::size);
            becomes("with the new value", 10_000, "two", () -> new String(cache.get(root + "/cache/a").orElseThrow().getData()));
        }
    }
}
