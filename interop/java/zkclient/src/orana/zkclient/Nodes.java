// Creating, reading, changing and deleting nodes: modes, sequence numbers, versions, Stat, refusals.
package orana.zkclient;

import static orana.stage.Check.becomes;
import static orana.stage.Check.equal;
import static orana.stage.Check.refused;
import static orana.stage.Check.that;

import java.util.ArrayList;
import java.util.List;
import orana.stage.Stage;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

final class Nodes {
    private static final byte[] NOTHING = new byte[0];

    private Nodes() {}

    static void on(Stage stage) {
        stage.together("an_abandoned_container_and_a_ttl_node_disappear", () -> swept(stage));
        stage.together("every_create_mode_makes_the_node_it_names", () -> modes(stage));
        stage.together("a_sequence_number_never_comes_back", () -> sequences(stage));
        stage.together("create_answers_the_stat_of_the_new_node", () -> createWithStat(stage));
        stage.together("versions_and_stat_follow_each_change", () -> versions(stage));
        stage.together("null_data_and_empty_data_stay_different", () -> nullData(stage));
        stage.together("each_refusal_has_its_own_code", () -> refusals(stage));
        stage.together("a_node_of_half_a_mebibyte_and_one_too_large", () -> large(stage));
        stage.together("a_chroot_hides_the_prefix_in_answers_and_events", () -> chroot(stage));
        stage.together("ephemerals_children_and_descendants_are_counted", () -> counting(stage));
        stage.together("sync_and_config_are_answered", () -> syncAndConfig(stage));
    }

    private static void modes(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "modes");
            String digits = "\\d{10}";
            equal("persistent", root + "/p", make(zk, root + "/p", CreateMode.PERSISTENT));
            that("a suffix of ten digits", make(zk, root + "/ps", CreateMode.PERSISTENT_SEQUENTIAL).matches(root + "/ps" + digits));
            equal("ephemeral", root + "/e", make(zk, root + "/e", CreateMode.EPHEMERAL));
            that("a suffix of ten digits", make(zk, root + "/es", CreateMode.EPHEMERAL_SEQUENTIAL).matches(root + "/es" + digits));
            equal("container", root + "/c", make(zk, root + "/c", CreateMode.CONTAINER));
            equal("ttl", root + "/t", makeTtl(zk, root + "/t", CreateMode.PERSISTENT_WITH_TTL, 60_000));
            that("a suffix of ten digits",
                    makeTtl(zk, root + "/ts", CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL, 60_000).matches(root + "/ts" + digits));
            equal("owner of an ephemeral", zk.getSessionId(), zk.exists(root + "/e", false).getEphemeralOwner());
            for (String child : List.of("/p", "/c", "/t")) {
                equal("owner of " + child, 0L, zk.exists(root + child, false).getEphemeralOwner());
            }
            refused("a child under an ephemeral", KeeperException.NoChildrenForEphemeralsException.class,
                    () -> make(zk, root + "/e/child", CreateMode.PERSISTENT));
            make(zk, root + "/c/child", CreateMode.PERSISTENT);
            make(zk, root + "/t/child", CreateMode.EPHEMERAL);
        }
    }

    private static void sequences(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "sequences");
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                names.add(make(zk, root + "/n-", CreateMode.EPHEMERAL_SEQUENTIAL));
            }
            equal("the first three", List.of(root + "/n-0000000000", root + "/n-0000000001", root + "/n-0000000002"), names);
            for (String name : names) {
                zk.delete(name, -1);
            }
            equal("after all were deleted", root + "/n-0000000003", make(zk, root + "/n-", CreateMode.PERSISTENT_SEQUENTIAL));
            make(zk, root + "/plain", CreateMode.PERSISTENT);
            equal("a plain sibling takes a number too", root + "/other-0000000005",
                    make(zk, root + "/other-", CreateMode.EPHEMERAL_SEQUENTIAL));
            equal("a suffix after a slash", root + "/0000000006", make(zk, root + "/", CreateMode.PERSISTENT_SEQUENTIAL));
        }
    }

    private static void createWithStat(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "create2");
            for (CreateMode mode : List.of(CreateMode.PERSISTENT, CreateMode.EPHEMERAL, CreateMode.EPHEMERAL_SEQUENTIAL, CreateMode.CONTAINER)) {
                Stat answered = new Stat();
                String path = zk.create(root + "/" + mode, "four".getBytes(), Ids.OPEN_ACL_UNSAFE, mode, answered);
                equal("the stat of " + mode, zk.exists(path, false), answered);
                equal("length", 4, answered.getDataLength());
            }
            Stat answered = new Stat();
            zk.create(root + "/ttl", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, answered, 60_000);
            equal("the stat of a TTL node", zk.exists(root + "/ttl", false), answered);
        }
    }

    private static void versions(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "versions");
            Stat born = zk.exists(root, false);
            equal("version at birth", 0, born.getVersion());
            equal("mzxid at birth", born.getCzxid(), born.getMzxid());
            equal("pzxid at birth", born.getCzxid(), born.getPzxid());
            Stat first = zk.setData(root, "one".getBytes(), 0);
            equal("version after one change", 1, first.getVersion());
            that("mzxid moved on", first.getMzxid() > born.getMzxid());
            that("mtime does not go back", first.getMtime() >= born.getMtime());
            equal("czxid stays", born.getCzxid(), first.getCzxid());
            Stat same = zk.setData(root, "one".getBytes(), -1);
            equal("equal bytes are a change too", 2, same.getVersion());
            refused("a stale version", KeeperException.BadVersionException.class, () -> zk.setData(root, NOTHING, 1));
            make(zk, root + "/a", CreateMode.PERSISTENT);
            make(zk, root + "/b", CreateMode.PERSISTENT);
            zk.delete(root + "/a", 0);
            Stat parent = new Stat();
            equal("data", "one", new String(zk.getData(root, false, parent)));
            equal("creations and deletions", 3, parent.getCversion());
            equal("children", 1, parent.getNumChildren());
            equal("version is the data's only", 2, parent.getVersion());
            that("pzxid follows the children", parent.getPzxid() > parent.getMzxid());
            Stat child = zk.exists(root + "/b", false);
            zk.setData(root + "/b", NOTHING, -1);
            equal("a child's data does not touch the parent", parent, zk.exists(root, false));
            that("pzxid of the parent is at or after the child's birth", parent.getPzxid() >= child.getCzxid());
            equal("children with stat", List.of("b"), zk.getChildren(root, false, new Stat()));
            equal("children without", List.of("b"), zk.getChildren(root, false));
        }
    }

    private static void nullData(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "null");
            zk.create(root + "/null", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            zk.create(root + "/empty", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            equal("null", null, zk.getData(root + "/null", false, null));
            equal("empty", NOTHING, zk.getData(root + "/empty", false, null));
            zk.setData(root + "/null", NOTHING, -1);
            zk.setData(root + "/empty", null, -1);
            equal("null became empty", NOTHING, zk.getData(root + "/null", false, null));
            equal("empty became null", null, zk.getData(root + "/empty", false, null));
            equal("length of null", 0, zk.exists(root + "/empty", false).getDataLength());
        }
    }

    private static void refusals(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "refusals");
            String gone = root + "/gone";
            refused("create under nothing", KeeperException.NoNodeException.class, () -> make(zk, gone + "/x", CreateMode.PERSISTENT));
            refused("create twice", KeeperException.NodeExistsException.class, () -> make(zk, root, CreateMode.PERSISTENT));
            refused("create the top", KeeperException.NodeExistsException.class, () -> make(zk, "/", CreateMode.PERSISTENT));
            refused("get", KeeperException.NoNodeException.class, () -> zk.getData(gone, false, null));
            refused("set", KeeperException.NoNodeException.class, () -> zk.setData(gone, NOTHING, -1));
            refused("children", KeeperException.NoNodeException.class, () -> zk.getChildren(gone, false));
            refused("get ACL", KeeperException.NoNodeException.class, () -> zk.getACL(gone, null));
            refused("set ACL", KeeperException.NoNodeException.class, () -> zk.setACL(gone, Ids.OPEN_ACL_UNSAFE, -1));
            refused("count", KeeperException.NoNodeException.class, () -> zk.getAllChildrenNumber(gone));
            refused("delete", KeeperException.NoNodeException.class, () -> delete(zk, gone, -1));
            equal("exists", null, zk.exists(gone, false));
            make(zk, root + "/child", CreateMode.PERSISTENT);
            refused("a parent with children", KeeperException.NotEmptyException.class, () -> delete(zk, root, -1));
            refused("version wins over children", KeeperException.BadVersionException.class, () -> delete(zk, root, 7));
            refused("delete a reserved node", KeeperException.BadArgumentsException.class, () -> delete(zk, "/zookeeper", -1));
            KeeperException named = refused("the path is told", KeeperException.NoNodeException.class, () -> zk.getData(gone, false, null));
            equal("its path", gone, named.getPath());
            refused("an empty ACL", KeeperException.InvalidACLException.class,
                    () -> zk.create(root + "/x", NOTHING, List.of(), CreateMode.PERSISTENT));
            refused("a sequence below nothing", KeeperException.NoNodeException.class,
                    () -> make(zk, gone + "/s-", CreateMode.PERSISTENT_SEQUENTIAL));
            equal("a refusal leaves the session alone", true, session.connected());
        }
    }

    private static void large(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "large");
            byte[] half = new byte[512 * 1024];
            java.util.Arrays.fill(half, (byte) 'x');
            zk.setData(root, half, -1);
            equal("half a mebibyte comes back", half, zk.getData(root, false, null));
        }
        // On its own session: the server hangs up on a frame beyond its limit.
        try (var session = Sessions.open(stage.address())) {
            refused("two mebibytes", KeeperException.ConnectionLossException.class,
                    () -> session.zk().create("/zkclient-too-large", new byte[2 * 1024 * 1024], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
            becomes("the session comes back, and nothing was created", 10_000, "nothing", () -> {
                try {
                    return session.zk().exists("/zkclient-too-large", false) == null ? "nothing" : "a node";
                } catch (KeeperException.ConnectionLossException connecting) {
                    return "no connection";
                }
            });
        }
    }

    private static void chroot(Stage stage) throws Exception {
        try (var outside = Sessions.open(stage.address())) {
            String root = Sessions.root(outside.zk(), "chroot");
            try (var inside = Sessions.open(stage.address() + root)) {
                var diary = new Sessions.Diary();
                inside.zk().addWatch("/", diary, AddWatchMode.PERSISTENT_RECURSIVE);
                equal("the path is answered without the prefix", "/a", make(inside.zk(), "/a", CreateMode.PERSISTENT));
                that("it stands below the prefix", outside.zk().exists(root + "/a", false) != null);
                equal("a sequence", "/a/s-0000000000", make(inside.zk(), "/a/s-", CreateMode.PERSISTENT_SEQUENTIAL));
                becomes("events without the prefix", 5_000, List.of("NodeCreated /a", "NodeCreated /a/s-0000000000"), diary::told);
            }
        }
    }

    private static void swept(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "swept");
            make(zk, root + "/used", CreateMode.CONTAINER);
            make(zk, root + "/used/child", CreateMode.PERSISTENT);
            make(zk, root + "/unused", CreateMode.CONTAINER);
            make(zk, root + "/full", CreateMode.CONTAINER);
            make(zk, root + "/full/child", CreateMode.PERSISTENT);
            makeTtl(zk, root + "/short", CreateMode.PERSISTENT_WITH_TTL, 1_000);
            makeTtl(zk, root + "/long", CreateMode.PERSISTENT_WITH_TTL, 600_000);
            makeTtl(zk, root + "/parent", CreateMode.PERSISTENT_WITH_TTL, 1_000);
            make(zk, root + "/parent/child", CreateMode.PERSISTENT);
            var diary = new Sessions.Diary();
            zk.addWatch(root, diary, AddWatchMode.PERSISTENT_RECURSIVE);
            zk.delete(root + "/used/child", -1);
            // A server that looks after them once a minute needs that long.
            becomes("only the abandoned ones go", 75_000, List.of("full", "long", "parent", "unused"),
                    () -> zk.getChildren(root, false).stream().sorted().toList());
            becomes("their going is told", 5_000, true,
                    () -> diary.told().containsAll(List.of("NodeDeleted " + root + "/used", "NodeDeleted " + root + "/short")));
        }
    }

    private static void counting(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address()); var other = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "counting");
            make(zk, root + "/a", CreateMode.PERSISTENT);
            make(zk, root + "/a/b", CreateMode.PERSISTENT);
            make(zk, root + "/a/b/e1", CreateMode.EPHEMERAL);
            make(zk, root + "/e2", CreateMode.EPHEMERAL);
            make(other.zk(), root + "/e3", CreateMode.EPHEMERAL);
            equal("all descendants", 5, zk.getAllChildrenNumber(root));
            equal("of a leaf", 0, zk.getAllChildrenNumber(root + "/e2"));
            equal("mine", List.of(root + "/a/b/e1", root + "/e2"), zk.getEphemerals().stream().sorted().toList());
            equal("mine below a prefix", List.of(root + "/a/b/e1"), zk.getEphemerals(root + "/a"));
            equal("theirs", List.of(root + "/e3"), other.zk().getEphemerals());
            equal("none below", List.of(), zk.getEphemerals(root + "/nowhere"));
            zk.delete(root + "/e2", -1);
            equal("one was deleted", List.of(root + "/a/b/e1"), zk.getEphemerals());
        }
    }

    private static void syncAndConfig(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "sync");
            var answered = new java.util.concurrent.CompletableFuture<String>();
            zk.sync(root, (code, path, context) -> answered.complete(code + " " + path + " " + context), "context");
            equal("sync", "0 " + root + " context", answered.get(10, java.util.concurrent.TimeUnit.SECONDS));
            Stat stat = new Stat();
            equal("the config names no server", 0, zk.getConfig(false, stat).length);
            equal("reserved nodes", List.of("config", "quota"), zk.getChildren("/zookeeper", false).stream().sorted().toList());
            refused("the config is not writable", KeeperException.NoAuthException.class,
                    () -> zk.setData("/zookeeper/config", NOTHING, -1));
        }
    }

    private static String make(ZooKeeper zk, String path, CreateMode mode) throws Exception {
        return zk.create(path, NOTHING, Ids.OPEN_ACL_UNSAFE, mode);
    }

    private static String makeTtl(ZooKeeper zk, String path, CreateMode mode, long ttl) throws Exception {
        return zk.create(path, NOTHING, Ids.OPEN_ACL_UNSAFE, mode, null, ttl);
    }

    private static Object delete(ZooKeeper zk, String path, int version) throws Exception {
        zk.delete(path, version);
        return "deleted";
    }
}
