// The life of a session: granted, kept over lost connections and restarts of the server, taken over, closed, expired.
package orana.zkclient;

import static orana.stage.Check.becomes;
import static orana.stage.Check.equal;
import static orana.stage.Check.refused;
import static orana.stage.Check.that;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import orana.stage.Stage;
import orana.zkclient.Sessions.Diary;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

final class Lives {
    private static final byte[] NOTHING = new byte[0];

    private Lives() {}

    static void on(Stage stage) {
        stage.together("a_timeout_is_kept_within_the_bounds", () -> bounds(stage));
        stage.together("a_lost_connection_is_not_a_lost_session", () -> lostConnection(stage));
        stage.together("a_session_is_resumed_by_id_and_password", () -> resumed(stage));
        stage.together("a_wrong_password_is_refused_and_harms_nobody", () -> wrongPassword(stage));
        stage.together("a_session_that_moved_leaves_its_old_connection", () -> moved(stage));
        stage.together("a_closed_session_is_over", () -> closed(stage));
        stage.together("a_silent_session_expires_in_time", () -> expires(stage));
        stage.together("a_session_closed_elsewhere_is_told_as_expired", () -> killedElsewhere(stage));
        stage.alone("a_killed_server_comes_back_with_everything", () -> restart(stage));
    }

    private static void bounds(Stage stage) throws Exception {
        for (int[] pair : new int[][] {{1_500, 4_000}, {9_000, 9_000}, {1_000_000, 40_000}}) {
            try (var session = Sessions.open(stage.address(), pair[0])) {
                equal("asked for " + pair[0], pair[1], session.zk().getSessionTimeout());
                that("an id", session.zk().getSessionId() > 0);
                equal("a password", 16, session.zk().getSessionPasswd().length);
            }
        }
    }

    private static void lostConnection(Stage stage) throws Exception {
        var wire = stage.wire();
        try (var session = Sessions.open(wire.address(), 20_000); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "lost");
            zk.create(root + "/e", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            long id = zk.getSessionId();
            wire.cut();
            becomes("disconnected", 10_000, true, () -> session.diary().saw(KeeperState.Disconnected));
            refused("a call meanwhile", KeeperException.ConnectionLossException.class, () -> zk.exists(root, false));
            that("the ephemeral stays", other.zk().exists(root + "/e", false) != null);
            wire.mend();
            becomes("connected again", 10_000, true, session::connected);
            equal("the same session", id, zk.getSessionId());
            that("its ephemeral is still its own", zk.exists(root + "/e", false).getEphemeralOwner() == id);
            that("it was not told of an expiry", !session.diary().saw(KeeperState.Expired));
        }
    }

    private static void resumed(Stage stage) throws Exception {
        var wire = stage.wire();
        var first = Sessions.open(wire.address(), 20_000);
        String root = Sessions.root(first.zk(), "resumed");
        first.zk().create(root + "/e", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        wire.cut();
        becomes("disconnected", 10_000, true, () -> first.diary().saw(KeeperState.Disconnected));
        try (var second = Sessions.resume(stage.address(), 10_000, first.zk().getSessionId(), first.zk().getSessionPasswd())) {
            that("connected", second.connected());
            equal("the id", first.zk().getSessionId(), second.zk().getSessionId());
            equal("the timeout was negotiated anew", 10_000, second.zk().getSessionTimeout());
            equal("it owns the ephemeral", List.of(root + "/e"), second.zk().getEphemerals());
        }
        // The second handle's close ended the session for both.
        wire.mend();
        becomes("the first is told", 20_000, true, () -> first.diary().saw(KeeperState.Expired));
    }

    private static void wrongPassword(Stage stage) throws Exception {
        try (var rightful = Sessions.open(stage.address(), 20_000)) {
            String root = Sessions.root(rightful.zk(), "wrongpw");
            rightful.zk().create(root + "/e", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            var intruder = Sessions.resume(stage.address(), 20_000, rightful.zk().getSessionId(), "0123456789abcdef".getBytes());
            becomes("the intruder is told that the session is over", 10_000, true, () -> intruder.diary().saw(KeeperState.Expired));
            becomes("the rightful one goes on with its ephemeral", 10_000, true, () -> stillHas(rightful.zk(), root + "/e"));
            intruder.close();
            var stranger = Sessions.resume(stage.address(), 20_000, 0x7777_0000_1234L, new byte[16]);
            becomes("an unknown id is refused too", 10_000, true, () -> stranger.diary().saw(KeeperState.Expired));
            stranger.close();
            becomes("and still", 10_000, true, () -> stillHas(rightful.zk(), root + "/e"));
        }
    }

    /** The original server drops the rightful connection too, before it looks at the password. */
    private static boolean stillHas(ZooKeeper zk, String path) throws Exception {
        try {
            return zk.exists(path, false) != null;
        } catch (KeeperException.ConnectionLossException connecting) {
            return false;
        }
    }

    private static void moved(Stage stage) throws Exception {
        var first = Sessions.open(stage.address(), 20_000);
        String root = Sessions.root(first.zk(), "moved");
        first.zk().create(root + "/e", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        var second = Sessions.resume(stage.address(), 20_000, first.zk().getSessionId(), first.zk().getSessionPasswd());
        becomes("the old connection was closed", 10_000, true, () -> first.diary().saw(KeeperState.Disconnected));
        // Both handles now fight for the session; ending it through either ends it.
        for (boolean ended = false; !ended;) {
            try {
                second.zk().delete(root + "/e", -1);
                ended = true;
            } catch (KeeperException.ConnectionLossException again) {
                ended = first.zk().getState() == ZooKeeper.States.CLOSED;
            } catch (KeeperException.NoNodeException done) {
                ended = true;
            }
        }
        second.close();
        becomes("the old handle learns that the session is over", 20_000, false, () -> first.zk().getState().isAlive());
    }

    private static void closed(Stage stage) throws Exception {
        try (var other = Sessions.open(stage.address())) {
            var session = Sessions.open(stage.address());
            String root = Sessions.root(session.zk(), "closed");
            session.zk().create(root + "/e", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            session.zk().create(root + "/p", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            long id = session.zk().getSessionId();
            byte[] password = session.zk().getSessionPasswd();
            session.close();
            equal("only the persistent one stays, at once", List.of("p"), other.zk().getChildren(root, false));
            refused("a call on a closed handle", KeeperException.SessionExpiredException.class, () -> session.zk().exists(root, false));
            var late = Sessions.resume(stage.address(), 20_000, id, password);
            becomes("it cannot be resumed", 10_000, true, () -> late.diary().saw(KeeperState.Expired));
            late.close();
        }
    }

    private static void expires(Stage stage) throws Exception {
        var wire = stage.wire();
        try (var other = Sessions.open(stage.address())) {
            var silent = Sessions.open(wire.address(), 4_000);
            String root = Sessions.root(silent.zk(), "silent");
            silent.zk().create(root + "/e", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            Diary diary = new Diary();
            other.zk().exists(root + "/e", diary);
            wire.cut();
            long cut = System.nanoTime();
            becomes("the ephemeral goes", 12_000, List.of("NodeDeleted " + root + "/e"), diary::told);
            long lived = (System.nanoTime() - cut) / 1_000_000;
            // The last touch may lie a third of the timeout before the cut, and expiry is rounded up to a tick.
            that("not before its time: " + lived + " ms", lived >= 4_000 * 2 / 3 - 400);
            that("not long after: " + lived + " ms", lived <= 4_000 + 2_000 + 1_000);
            wire.mend();
            becomes("the client learns it", 10_000, true, () -> silent.diary().saw(KeeperState.Expired));
            refused("its handle is dead", KeeperException.SessionExpiredException.class, () -> silent.zk().exists(root, false));
        }
    }

    private static void killedElsewhere(Stage stage) throws Exception {
        var wire = stage.wire();
        var session = Sessions.open(wire.address(), 20_000);
        String root = Sessions.root(session.zk(), "elsewhere");
        session.zk().create(root + "/e", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        wire.cut();
        becomes("disconnected", 10_000, true, () -> session.diary().saw(KeeperState.Disconnected));
        Sessions.resume(stage.address(), 20_000, session.zk().getSessionId(), session.zk().getSessionPasswd()).close();
        wire.mend();
        becomes("expired", 20_000, true, () -> session.diary().saw(KeeperState.Expired));
        session.close();
    }

    private static void restart(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address(), 20_000)) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "restart");
            zk.addAuthInfo("digest", "bob:secret".getBytes());
            zk.create(root + "/e", "e".getBytes(), Ids.CREATOR_ALL_ACL, CreateMode.EPHEMERAL);
            zk.create(root + "/s-", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL);
            zk.setData(root, "kept".getBytes(), -1);
            Diary oneShot = new Diary();
            Diary deep = new Diary();
            zk.getData(root, oneShot, null);
            zk.create(root + "/deep", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            zk.addWatch(root + "/deep", deep, AddWatchMode.PERSISTENT_RECURSIVE);
            Stat before = zk.exists(root, false);
            long id = zk.getSessionId();
            stage.killServer();
            becomes("disconnected", 10_000, true, () -> session.diary().saw(KeeperState.Disconnected));
            stage.startServer();
            becomes("connected again", 20_000, true, session::connected);
            equal("the same session", id, zk.getSessionId());
            equal("the same stat", before, zk.exists(root, false));
            equal("the same data", "e", new String(zk.getData(root + "/e", false, null)));
            equal("its owner", List.of(root + "/e"), zk.getEphemerals());
            equal("no number comes twice", root + "/s-0000000003",
                    zk.create(root + "/s-", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL));
            zk.create(root + "/deep/new", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            that("zxids go on", zk.setData(root, NOTHING, -1).getMzxid() > before.getPzxid());
            CountDownLatch answered = new CountDownLatch(1);
            zk.sync(root, (code, path, context) -> answered.countDown(), null);
            that("answered", answered.await(10, TimeUnit.SECONDS));
            equal("a one-shot watch was armed again", List.of("NodeDataChanged " + root), oneShot.told());
            equal("a persistent one too", List.of("NodeCreated " + root + "/deep/new"), deep.told());
        }
    }
}
