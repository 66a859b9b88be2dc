// What a 3.9 client can ask beyond 3.8. Where the 3.8 server answers differently, the scenario says what it does there.
package orana.zk39;

import static orana.stage.Check.becomes;
import static orana.stage.Check.equal;
import static orana.stage.Check.refused;
import static orana.stage.Check.that;

import java.util.List;
import orana.stage.Stage;
import orana.zkclient.Sessions;
import orana.zkclient.Sessions.Diary;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

final class Newer {
    private static final byte[] NOTHING = new byte[0];

    private Newer() {}

    static void on(Stage stage) {
        stage.together("sync_can_be_waited_for", () -> sync(stage));
        stage.together("each_kind_of_watch_can_be_removed_by_its_name", () -> removeByKind(stage));
        stage.together("kinds_of_watches_on_one_path_are_independent", () -> independent(stage));
        stage.together("an_event_carries_the_zxid_of_its_change", () -> eventZxid(stage));
        stage.together("a_transaction_answers_creates_as_they_were_asked", () -> createResults(stage));
    }

    private static void sync(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            session.zk().sync(Sessions.root(session.zk(), "sync39"));
            session.zk().sync("/no-such-node");
        }
    }

    private static void removeByKind(Stage stage) throws Exception {
        if (!stage.speaksThreeNine()) {
            // A 3.8 server knows three kinds only and answers with a marshalling error.
            try (var session = Sessions.open(stage.address())) {
                String root = Sessions.root(session.zk(), "kinds38");
                Diary diary = new Diary();
                session.zk().addWatch(root, diary, AddWatchMode.PERSISTENT);
                refused("an unknown kind", KeeperException.MarshallingErrorException.class, () -> {
                    session.zk().removeWatches(root, diary, WatcherType.Persistent, false);
                    return null;
                });
            }
            return;
        }
        try (var session = Sessions.open(stage.address()); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "kinds");
            Diary persistent = new Diary();
            Diary recursive = new Diary();
            Diary oneShot = new Diary();
            zk.addWatch(root, persistent, AddWatchMode.PERSISTENT);
            zk.addWatch(root, recursive, AddWatchMode.PERSISTENT_RECURSIVE);
            zk.getData(root, oneShot, null);
            zk.removeWatches(root, persistent, WatcherType.Persistent, false);
            other.zk().setData(root, NOTHING, -1);
            becomes("recursive stays", 5_000, List.of("NodeDataChanged " + root), recursive::told);
            becomes("one-shot stays", 5_000, List.of("NodeDataChanged " + root), oneShot::told);
            equal("persistent is gone", List.of(), nodeEvents(persistent));
            zk.removeWatches(root, recursive, WatcherType.PersistentRecursive, false);
            refused("a second time", KeeperException.NoWatcherException.class, () -> {
                zk.removeWatches(root, recursive, WatcherType.PersistentRecursive, false);
                return null;
            });
            other.zk().setData(root, NOTHING, -1);
            zk.sync(root);
            equal("recursive is gone", List.of("NodeDataChanged " + root), nodeEvents(recursive));
        }
    }

    private static void independent(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address()); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "independent");
            Diary persistent = new Diary();
            Diary oneShot = new Diary();
            zk.addWatch(root, persistent, AddWatchMode.PERSISTENT);
            zk.getData(root, oneShot, null);
            for (int i = 0; i < 3; i++) {
                other.zk().setData(root, NOTHING, -1);
            }
            zk.sync(root);
            equal("one-shot", 1, oneShot.told().size());
            // On a 3.8 server the one-shot watch takes the place of the persistent one.
            equal("persistent", stage.speaksThreeNine() ? 3 : 1, persistent.told().size());
        }
    }

    private static void eventZxid(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address()); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "zxid");
            Diary diary = new Diary();
            zk.addWatch(root, diary, AddWatchMode.PERSISTENT_RECURSIVE);
            Stat changed = other.zk().setData(root, NOTHING, -1);
            Stat created = new Stat();
            other.zk().create(root + "/a", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT, created);
            zk.sync(root);
            List<Long> expected = stage.speaksThreeNine()
                    ? List.of(changed.getMzxid(), created.getCzxid())
                    : List.of(WatchedEvent.NO_ZXID, WatchedEvent.NO_ZXID);
            equal("zxids", expected, diary.events().stream().map(WatchedEvent::getZxid).toList());
        }
    }

    private static void createResults(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "results");
            List<OpResult> results = zk.multi(List.of(
                    Op.create(root + "/p", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                    Op.create(root + "/c", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER),
                    Op.create(root + "/t", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, 60_000)));
            that("a plain create has no stat", ((OpResult.CreateResult) results.get(0)).getStat() == null);
            for (int i = 1; i < 3; i++) {
                OpResult.CreateResult result = (OpResult.CreateResult) results.get(i);
                equal("the stat of " + result.getPath(), zk.exists(result.getPath(), false), result.getStat());
            }
        }
    }

    private static List<String> nodeEvents(Diary diary) {
        return diary.told().stream().filter(event -> event.startsWith("Node")).toList();
    }
}
