// Watches: what fires, in which order, before which answer; what stays after a reconnect; how one is taken back.
package orana.zkclient;

import static orana.stage.Check.becomes;
import static orana.stage.Check.equal;
import static orana.stage.Check.refused;
import static orana.stage.Check.that;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import orana.stage.Stage;
import orana.zkclient.Sessions.Diary;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

final class Watching {
    private static final byte[] NOTHING = new byte[0];

    private Watching() {}

    static void on(Stage stage) {
        stage.together("a_one_shot_watch_fires_once", () -> oneShot(stage));
        stage.together("a_watch_on_a_missing_node_tells_its_creation", () -> missing(stage));
        stage.together("a_deletion_is_told_once_to_each_watcher", () -> deletion(stage));
        stage.together("a_persistent_watch_stays", () -> persistent(stage));
        stage.together("a_recursive_watch_sees_every_descendant", () -> recursive(stage));
        stage.together("an_event_comes_before_the_answer_that_shows_it", () -> eventFirst(stage));
        stage.together("events_come_in_the_order_of_the_changes", () -> inOrder(stage));
        stage.together("removed_watches_are_silent", () -> removal(stage));
        stage.together("one_shot_watches_are_caught_up_after_a_reconnect", () -> caughtUp(stage));
        stage.together("persistent_watches_go_on_after_a_reconnect", () -> persistentReconnect(stage));
        stage.together("an_acl_change_is_not_an_event", () -> aclSilent(stage));
        stage.together("the_end_of_a_session_tells_its_ephemerals", () -> sessionEnd(stage));
        stage.together("a_transaction_is_told_step_by_step", () -> transaction(stage));
    }

    private static void oneShot(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address()); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "oneshot");
            Diary data = new Diary();
            Diary exists = new Diary();
            Diary children = new Diary();
            zk.getData(root, data, null);
            zk.exists(root, exists);
            zk.getChildren(root, children);
            for (int i = 0; i < 3; i++) {
                other.zk().setData(root, NOTHING, -1);
                make(other.zk(), root + "/c" + i);
            }
            zk.getData(root, false, null);
            settle(zk, root);
            equal("data", List.of("NodeDataChanged " + root), data.told());
            equal("exists", List.of("NodeDataChanged " + root), exists.told());
            equal("children", List.of("NodeChildrenChanged " + root), children.told());
            zk.getChildren(root, children, new Stat());
            other.zk().delete(root + "/c0", -1);
            settle(zk, root);
            equal("a deleted child", 2, children.told().size());
        }
    }

    private static void missing(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "missing");
            Diary exists = new Diary();
            Diary failed = new Diary();
            equal("not there", null, zk.exists(root + "/later", exists));
            refused("get", KeeperException.NoNodeException.class, () -> zk.getData(root + "/later", failed, null));
            refused("children", KeeperException.NoNodeException.class, () -> zk.getChildren(root + "/later", failed));
            make(zk, root + "/later");
            make(zk, root + "/later/child");
            settle(zk, root);
            equal("exists", List.of("NodeCreated " + root + "/later"), exists.told());
            equal("a failed read leaves no watch", List.of(), failed.told());
        }
    }

    private static void deletion(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "deletion");
            make(zk, root + "/x");
            Diary data = new Diary();
            Diary children = new Diary();
            Diary parent = new Diary();
            zk.getData(root + "/x", data, null);
            zk.getChildren(root + "/x", children);
            zk.getChildren(root, parent);
            zk.delete(root + "/x", -1);
            settle(zk, root);
            equal("data", List.of("NodeDeleted " + root + "/x"), data.told());
            equal("children", List.of("NodeDeleted " + root + "/x"), children.told());
            equal("parent", List.of("NodeChildrenChanged " + root), parent.told());
        }
    }

    private static void persistent(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address()); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "persistent");
            Diary diary = new Diary();
            zk.addWatch(root + "/x", diary, AddWatchMode.PERSISTENT);
            List<String> expected = new ArrayList<>();
            for (int round = 0; round < 2; round++) {
                make(other.zk(), root + "/x");
                other.zk().setData(root + "/x", NOTHING, -1);
                make(other.zk(), root + "/x/c");
                other.zk().setData(root + "/x/c", NOTHING, -1);
                other.zk().delete(root + "/x/c", -1);
                other.zk().delete(root + "/x", -1);
                for (String type : List.of("NodeCreated", "NodeDataChanged", "NodeChildrenChanged", "NodeChildrenChanged", "NodeDeleted")) {
                    expected.add(type + " " + root + "/x");
                }
            }
            becomes("each change of that path", 5_000, expected, diary::told);
            Diary byDefault = session.diary();
            zk.addWatch(root + "/y", AddWatchMode.PERSISTENT);
            make(other.zk(), root + "/y");
            becomes("the default watcher", 5_000, List.of("NodeCreated " + root + "/y"), byDefault::told);
        }
    }

    private static void recursive(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address()); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "recursive");
            Diary deep = new Diary();
            Diary children = new Diary();
            zk.addWatch(root, deep, AddWatchMode.PERSISTENT_RECURSIVE);
            zk.getChildren(root, children);
            make(other.zk(), root + "/a");
            make(other.zk(), root + "/a/b");
            other.zk().setData(root + "/a/b", NOTHING, -1);
            other.zk().delete(root + "/a/b", -1);
            other.zk().setData(root, NOTHING, -1);
            make(other.zk(), root + "x");
            other.zk().delete(root + "x", -1);
            becomes("created, changed, deleted, never children", 5_000,
                    List.of("NodeCreated " + root + "/a", "NodeCreated " + root + "/a/b", "NodeDataChanged " + root + "/a/b",
                            "NodeDeleted " + root + "/a/b", "NodeDataChanged " + root),
                    () -> deep.told().stream().filter(event -> !event.startsWith("NodeChildrenChanged")).toList());
            // A 3.8 client hands an event that its child watch caused to recursive watchers as well.
            settle(zk, root);
            equal("a child watch beside it", List.of("NodeChildrenChanged " + root), children.told());
        }
    }

    private static void eventFirst(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address()); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "before");
            // Answers and events reach callbacks through one queue of the client, in the order of the wire.
            for (int round = 1; round <= 50; round++) {
                List<String> seen = Collections.synchronizedList(new ArrayList<>());
                zk.getData(root, event -> seen.add("event"), null);
                CountDownLatch answered = new CountDownLatch(1);
                if (round % 2 == 0) {
                    zk.setData(root, NOTHING, -1, (code, path, context, stat) -> {
                        seen.add("answer");
                        answered.countDown();
                    }, null);
                } else {
                    other.zk().setData(root, NOTHING, -1);
                    zk.getData(root, false, (code, path, context, data, stat) -> {
                        seen.add("answer");
                        answered.countDown();
                    }, null);
                }
                that("answered", answered.await(10, TimeUnit.SECONDS));
                equal("round " + round, List.of("event", "answer"), List.copyOf(seen));
            }
        }
    }

    private static void inOrder(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address()); var writer = Sessions.open(stage.address())) {
            String root = Sessions.root(session.zk(), "order");
            Diary diary = new Diary();
            session.zk().addWatch(root, diary, AddWatchMode.PERSISTENT_RECURSIVE);
            List<String> expected = new ArrayList<>();
            CountDownLatch answered = new CountDownLatch(900);
            for (int i = 0; i < 300; i++) {
                String path = root + "/n" + i;
                writer.zk().create(path, NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT,
                        (org.apache.zookeeper.AsyncCallback.StringCallback) (code, asked, context, name) -> answered.countDown(), null);
                writer.zk().setData(path, NOTHING, -1, (code, asked, context, stat) -> answered.countDown(), null);
                writer.zk().delete(path, -1, (code, asked, context) -> answered.countDown(), null);
                expected.addAll(List.of("NodeCreated " + path, "NodeDataChanged " + path, "NodeDeleted " + path));
            }
            that("all answered", answered.await(30, TimeUnit.SECONDS));
            settle(session.zk(), root);
            equal("nine hundred events", expected, diary.told());
        }
    }

    private static void removal(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address()); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "removal");
            Diary data = new Diary();
            Diary children = new Diary();
            Diary persistent = new Diary();
            Diary recursive = new Diary();
            zk.getData(root, data, null);
            zk.getChildren(root, children);
            zk.removeWatches(root, data, WatcherType.Data, false);
            zk.removeWatches(root, children, WatcherType.Children, false);
            zk.addWatch(root + "/p", persistent, AddWatchMode.PERSISTENT);
            zk.addWatch(root + "/r", recursive, AddWatchMode.PERSISTENT_RECURSIVE);
            zk.removeWatches(root + "/p", persistent, WatcherType.Any, false);
            zk.removeAllWatches(root + "/r", WatcherType.Any, false);
            refused("a second time", KeeperException.NoWatcherException.class, () -> {
                zk.removeWatches(root, data, WatcherType.Data, false);
                return null;
            });
            other.zk().setData(root, NOTHING, -1);
            make(other.zk(), root + "/p");
            make(other.zk(), root + "/r");
            make(other.zk(), root + "/r/x");
            settle(zk, root);
            List<String> told = new ArrayList<>();
            for (Diary diary : List.of(data, children, persistent, recursive)) {
                told.addAll(diary.told().stream().filter(event -> event.startsWith("Node")).toList());
            }
            equal("no change is told", List.of(), told);
            // The other kind on the same path is left alone.
            Diary stays = new Diary();
            zk.getData(root, stays, null);
            zk.getChildren(root, stays);
            zk.removeAllWatches(root, WatcherType.Children, false);
            other.zk().setData(root, NOTHING, -1);
            make(other.zk(), root + "/q");
            settle(zk, root);
            equal("data only", true, stays.told().contains("NodeDataChanged " + root));
            equal("not children", false, stays.told().contains("NodeChildrenChanged " + root));
        }
    }

    private static void caughtUp(Stage stage) throws Exception {
        var wire = stage.wire();
        try (var session = Sessions.open(wire.address(), 20_000); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "caughtup");
            for (String name : List.of("changed", "deleted", "quiet", "parent")) {
                make(zk, root + "/" + name);
            }
            Diary diary = new Diary();
            zk.getData(root + "/changed", diary, null);
            zk.getData(root + "/deleted", diary, null);
            zk.getData(root + "/quiet", diary, null);
            zk.exists(root + "/created", diary);
            zk.exists(root + "/still-missing", diary);
            zk.getChildren(root + "/parent", diary);
            wire.cut();
            becomes("disconnected", 10_000, true, () -> session.diary().saw(Watcher.Event.KeeperState.Disconnected));
            other.zk().setData(root + "/changed", NOTHING, -1);
            other.zk().delete(root + "/deleted", -1);
            make(other.zk(), root + "/created");
            make(other.zk(), root + "/parent/child");
            wire.mend();
            List<String> missed = List.of("NodeChildrenChanged " + root + "/parent", "NodeCreated " + root + "/created",
                    "NodeDataChanged " + root + "/changed", "NodeDeleted " + root + "/deleted");
            becomes("what was missed", 10_000, missed, () -> diary.told().stream().sorted().toList());
            other.zk().setData(root + "/quiet", NOTHING, -1);
            make(other.zk(), root + "/still-missing");
            other.zk().setData(root + "/changed", NOTHING, -1);
            settle(zk, root);
            List<String> later = new ArrayList<>(diary.told());
            equal("the quiet ones are still armed, the others fired", 6, later.size());
            that("quiet", later.contains("NodeDataChanged " + root + "/quiet"));
            that("missing", later.contains("NodeCreated " + root + "/still-missing"));
        }
    }

    private static void persistentReconnect(Stage stage) throws Exception {
        var wire = stage.wire();
        try (var session = Sessions.open(wire.address(), 20_000); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "goeson");
            Diary persistent = new Diary();
            Diary recursive = new Diary();
            Diary oneShot = new Diary();
            make(zk, root + "/p");
            make(zk, root + "/r");
            zk.addWatch(root + "/p", persistent, AddWatchMode.PERSISTENT);
            zk.addWatch(root + "/r", recursive, AddWatchMode.PERSISTENT_RECURSIVE);
            zk.exists(root + "/a", oneShot);
            wire.blink();
            becomes("connected again", 10_000, true, () -> session.diary().saw(Watcher.Event.KeeperState.Disconnected) && session.connected());
            // The watches travel ahead of this request.
            settle(zk, root);
            make(other.zk(), root + "/a");
            make(other.zk(), root + "/p/x");
            make(other.zk(), root + "/r/x");
            other.zk().setData(root + "/r/x", NOTHING, -1);
            becomes("persistent", 5_000, List.of("NodeChildrenChanged " + root + "/p"), persistent::told);
            becomes("recursive", 5_000, List.of("NodeCreated " + root + "/r/x", "NodeDataChanged " + root + "/r/x"), recursive::told);
            becomes("one-shot", 5_000, List.of("NodeCreated " + root + "/a"), oneShot::told);
        }
    }

    private static void aclSilent(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "aclsilent");
            Diary diary = new Diary();
            zk.getData(root, diary, null);
            zk.setACL(root, Ids.OPEN_ACL_UNSAFE, -1);
            settle(zk, root);
            equal("silence", List.of(), diary.told());
            zk.setData(root, NOTHING, -1);
            settle(zk, root);
            equal("still armed", List.of("NodeDataChanged " + root), diary.told());
        }
    }

    private static void sessionEnd(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "end");
            Diary deep = new Diary();
            Diary children = new Diary();
            var leaving = Sessions.open(stage.address());
            for (int i = 0; i < 20; i++) {
                leaving.zk().create(root + "/e" + i, NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            }
            zk.addWatch(root, deep, AddWatchMode.PERSISTENT_RECURSIVE);
            zk.getChildren(root, children);
            leaving.close();
            equal("all are gone when close has been answered", List.of(), zk.getChildren(root, false));
            settle(zk, root);
            List<String> deleted = deep.told().stream().filter(event -> event.startsWith("NodeDeleted")).toList();
            equal("each deletion was told once", List.of(20L, 20L), List.of((long) deleted.size(), deleted.stream().distinct().count()));
            equal("and the parent once", List.of("NodeChildrenChanged " + root), children.told());
        }
    }

    private static void transaction(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address()); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "steps");
            Diary diary = new Diary();
            zk.addWatch(root, diary, AddWatchMode.PERSISTENT_RECURSIVE);
            other.zk().transaction()
                    .create(root + "/a", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)
                    .setData(root + "/a", NOTHING, 0)
                    .delete(root + "/a", 1)
                    .create(root + "/b", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL)
                    .commit();
            becomes("every step", 5_000, List.of("NodeCreated " + root + "/a", "NodeDataChanged " + root + "/a",
                    "NodeDeleted " + root + "/a", "NodeCreated " + root + "/b"), diary::told);
        }
    }

    private static void make(ZooKeeper zk, String path) throws Exception {
        zk.create(path, NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    /** After this, everything that the server had told before has reached its watcher. */
    private static void settle(ZooKeeper zk, String path) throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        zk.sync(path, (code, asked, context) -> answered.countDown(), null);
        that("sync was answered", answered.await(20, TimeUnit.SECONDS));
    }
}
