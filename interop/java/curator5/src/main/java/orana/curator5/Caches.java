// Recipes that keep a copy of a part of the tree: it is complete at the start, follows each change, and catches up after
// a lost connection.
package orana.curator5;

import static orana.stage.Check.becomes;
import static orana.stage.Check.equal;
import static orana.stage.Check.that;

import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import orana.stage.Stage;
import orana.stage.Wire;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.cache.NodeCache;
import org.apache.curator.framework.recipes.cache.PathChildrenCache;
import org.apache.curator.framework.recipes.cache.TreeCache;
import org.apache.curator.framework.state.ConnectionState;

@SuppressWarnings("deprecation") // Dubbo uses the old caches.
final class Caches {
    private Caches() {}

    static void on(Stage stage) {
        stage.together("a_curator_cache_follows_a_tree", () -> curatorCache(stage));
        stage.together("a_path_children_cache_follows_the_children", () -> pathChildren(stage));
        stage.together("a_tree_cache_follows_a_tree", () -> tree(stage));
        stage.together("a_node_cache_follows_one_node", () -> node(stage));
        stage.together("every_cache_catches_up_after_a_lost_connection", () -> catchUp(stage));
        stage.together("every_cache_goes_on_in_a_new_session", () -> newSession(stage));
    }

    private static void curatorCache(Stage stage) throws Exception {
        String root = Clients.root("curatorcache");
        try (CuratorFramework client = Clients.open(stage.address()); CuratorFramework writer = Clients.open(stage.address())) {
            writer.create().creatingParentsIfNeeded().forPath(root + "/a/b", "one".getBytes());
            List<String> told = new CopyOnWriteArrayList<>();
            CountDownLatch ready = new CountDownLatch(1);
            try (CuratorCache cache = CuratorCache.build(client, root)) {
                cache.listenable().addListener(CuratorCacheListener.builder()
                        .forCreates(node -> told.add("created " + node.getPath()))
                        .forChanges((before, after) -> told.add("changed " + after.getPath() + " " + new String(before.getData()) + ">" + new String(after.getData())))
                        .forDeletes(node -> told.add("deleted " + node.getPath()))
                        .forInitialized(ready::countDown)
                        .build());
                cache.start();
                that("filled", ready.await(15, TimeUnit.SECONDS));
                equal("at the start", List.of(root, root + "/a", root + "/a/b"), paths(cache));
                equal("with data", "one", new String(cache.get(root + "/a/b").orElseThrow().getData()));
                told.clear();
                writer.setData().forPath(root + "/a/b", "two".getBytes());
                becomes("a change", 5_000, List.of("changed " + root + "/a/b one>two"), () -> List.copyOf(told));
                writer.create().forPath(root + "/a/c", "x".getBytes());
                becomes("a creation", 5_000, "created " + root + "/a/c", () -> told.get(told.size() - 1));
                writer.delete().forPath(root + "/a/c");
                becomes("a deletion", 5_000, "deleted " + root + "/a/c", () -> told.get(told.size() - 1));
                writer.delete().deletingChildrenIfNeeded().forPath(root);
                becomes("nothing is left", 5_000, List.of(), () -> paths(cache));
            }
        }
    }

    private static void pathChildren(Stage stage) throws Exception {
        String root = Clients.root("pathchildren");
        try (CuratorFramework client = Clients.open(stage.address()); CuratorFramework writer = Clients.open(stage.address())) {
            writer.create().creatingParentsIfNeeded().forPath(root + "/a", "one".getBytes());
            List<String> told = new CopyOnWriteArrayList<>();
            try (PathChildrenCache cache = new PathChildrenCache(client, root, true)) {
                cache.getListenable().addListener((from, event) -> {
                    if (event.getData() != null) {
                        told.add(event.getType() + " " + event.getData().getPath());
                    }
                });
                cache.start(PathChildrenCache.StartMode.BUILD_INITIAL_CACHE);
                equal("at the start", "one", new String(cache.getCurrentData(root + "/a").getData()));
                writer.setData().forPath(root + "/a", "two".getBytes());
                becomes("changed", 5_000, List.of("CHILD_UPDATED " + root + "/a"), () -> List.copyOf(told));
                writer.create().forPath(root + "/b");
                becomes("added", 5_000, "CHILD_ADDED " + root + "/b", () -> told.get(told.size() - 1));
                writer.delete().forPath(root + "/a");
                becomes("removed", 5_000, "CHILD_REMOVED " + root + "/a", () -> told.get(told.size() - 1));
                equal("what is left", 1, cache.getCurrentData().size());
            }
        }
    }

    private static void tree(Stage stage) throws Exception {
        String root = Clients.root("treecache");
        try (CuratorFramework client = Clients.open(stage.address()); CuratorFramework writer = Clients.open(stage.address())) {
            writer.create().creatingParentsIfNeeded().forPath(root + "/a/b", "one".getBytes());
            List<String> told = new CopyOnWriteArrayList<>();
            CountDownLatch ready = new CountDownLatch(1);
            try (TreeCache cache = new TreeCache(client, root)) {
                cache.getListenable().addListener((from, event) -> {
                    if (event.getType() == org.apache.curator.framework.recipes.cache.TreeCacheEvent.Type.INITIALIZED) {
                        ready.countDown();
                    } else if (event.getData() != null) {
                        told.add(event.getType() + " " + event.getData().getPath());
                    }
                });
                cache.start();
                that("filled", ready.await(15, TimeUnit.SECONDS));
                equal("at the start", List.of("NODE_ADDED " + root, "NODE_ADDED " + root + "/a", "NODE_ADDED " + root + "/a/b"), List.copyOf(told));
                told.clear();
                writer.setData().forPath(root + "/a/b", "two".getBytes());
                becomes("changed", 5_000, "two", () -> new String(cache.getCurrentData(root + "/a/b").getData()));
                writer.create().forPath(root + "/a/c");
                becomes("added", 5_000, true, () -> told.contains("NODE_ADDED " + root + "/a/c"));
                writer.delete().deletingChildrenIfNeeded().forPath(root + "/a");
                becomes("removed", 5_000, 0, () -> cache.getCurrentChildren(root).size());
                becomes("each was told", 5_000, true, () -> told.containsAll(List.of(
                        "NODE_UPDATED " + root + "/a/b", "NODE_REMOVED " + root + "/a", "NODE_REMOVED " + root + "/a/b", "NODE_REMOVED " + root + "/a/c")));
            }
        }
    }

    private static void node(Stage stage) throws Exception {
        String root = Clients.root("nodecache");
        try (CuratorFramework client = Clients.open(stage.address()); CuratorFramework writer = Clients.open(stage.address())) {
            try (NodeCache cache = new NodeCache(client, root + "/deep/node")) {
                cache.start(true);
                equal("not there", null, cache.getCurrentData());
                writer.create().orSetData().creatingParentsIfNeeded().forPath(root + "/deep/node", "one".getBytes());
                becomes("created", 5_000, "one", () -> content(cache));
                for (int i = 0; i < 20; i++) {
                    writer.setData().forPath(root + "/deep/node", ("value " + i).getBytes());
                }
                becomes("the last of many changes", 5_000, "value 19", () -> content(cache));
                writer.delete().forPath(root + "/deep/node");
                becomes("deleted", 5_000, "nothing", () -> content(cache));
                writer.create().forPath(root + "/deep/node", "again".getBytes());
                becomes("created again", 5_000, "again", () -> content(cache));
            }
        }
    }

    private static void catchUp(Stage stage) throws Exception {
        Wire wire = stage.wire();
        follow(stage, wire.address(), client -> {
            wire.cut();
            becomes("disconnected", 10_000, false, () -> client.getZookeeperClient().isConnected());
        }, wire::mend);
    }

    private static void newSession(Stage stage) throws Exception {
        follow(stage, stage.address(), client -> Clients.expire(stage.address(), client), () -> {});
    }

    private interface Away {
        void go(CuratorFramework client) throws Exception;
    }

    /** Four caches see what happens before, while and after their client was away. */
    private static void follow(Stage stage, String address, Away away, Stage.Act back) throws Exception {
        String root = Clients.root("follow");
        try (CuratorFramework writer = Clients.open(stage.address()); CuratorFramework client = Clients.open(address, 20_000)) {
            writer.create().creatingParentsIfNeeded().forPath(root + "/kept", "one".getBytes());
            writer.create().forPath(root + "/lost", "one".getBytes());
            CountDownLatch reconnected = new CountDownLatch(1);
            try (CuratorCache cache = CuratorCache.build(client, root);
                    PathChildrenCache children = new PathChildrenCache(client, root, true);
                    TreeCache tree = new TreeCache(client, root);
                    NodeCache node = new NodeCache(client, root + "/kept")) {
                cache.start();
                children.start();
                tree.start();
                node.start();
                becomes("curator cache", 10_000, 3, cache::size);
                becomes("path children cache", 10_000, 2, () -> children.getCurrentData().size());
                becomes("tree cache", 10_000, 2, () -> tree.getCurrentChildren(root) == null ? 0 : tree.getCurrentChildren(root).size());
                becomes("node cache", 10_000, "one", () -> content(node));
                client.getConnectionStateListenable().addListener((from, state) -> {
                    if (state == ConnectionState.RECONNECTED) {
                        reconnected.countDown();
                    }
                });
                away.go(client);
                writer.setData().forPath(root + "/kept", "two".getBytes());
                writer.delete().forPath(root + "/lost");
                writer.create().forPath(root + "/new", "new".getBytes());
                back.play();
                that("reconnected", reconnected.await(20, TimeUnit.SECONDS));
                List<String> expected = List.of(root, root + "/kept", root + "/new");
                for (int round = 0; round < 2; round++) {
                    String value = round == 0 ? "two" : "three";
                    becomes("curator cache", 10_000, expected, () -> paths(cache));
                    becomes("its value", 10_000, value, () -> new String(cache.get(root + "/kept").orElseThrow().getData()));
                    becomes("path children cache", 10_000, List.of("kept " + value, "new new"),
                            () -> children.getCurrentData().stream().map(child -> child.getPath().substring(root.length() + 1) + " " + new String(child.getData())).sorted().toList());
                    becomes("tree cache", 10_000, List.of("kept", "new"), () -> List.copyOf(new TreeSet<>(tree.getCurrentChildren(root).keySet())));
                    becomes("its value", 10_000, value, () -> new String(tree.getCurrentData(root + "/kept").getData()));
                    becomes("node cache", 10_000, value, () -> content(node));
                    writer.setData().forPath(root + "/kept", "three".getBytes());
                }
            }
        }
    }

    private static String content(NodeCache cache) {
        return cache.getCurrentData() == null ? "nothing" : new String(cache.getCurrentData().getData());
    }

    private static List<String> paths(CuratorCache cache) {
        return cache.stream().map(node -> node.getPath()).sorted().toList();
    }
}
