// Several operations as one: all or nothing, a result for each, and reads in one request.
package orana.zkclient;

import static orana.stage.Check.equal;
import static orana.stage.Check.refused;
import static orana.stage.Check.that;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import orana.stage.Stage;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

final class Transactions {
    private static final byte[] NOTHING = new byte[0];

    private Transactions() {}

    static void on(Stage stage) {
        stage.together("a_transaction_is_one_change", () -> oneChange(stage));
        stage.together("a_failed_transaction_changes_nothing_and_names_the_culprit", () -> failed(stage));
        stage.together("each_operation_sees_the_ones_before_it", () -> seesEarlier(stage));
        stage.together("every_kind_of_create_works_in_a_transaction", () -> creates(stage));
        stage.together("reads_in_one_request_answer_each_for_itself", () -> reads(stage));
        stage.together("an_empty_transaction_is_legal", () -> empty(stage));
        stage.together("fifty_transfers_keep_the_sum", () -> transfers(stage));
    }

    private static void oneChange(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "one");
            zk.create(root + "/old", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            List<OpResult> results = zk.transaction()
                    .check(root, 0)
                    .create(root + "/new", "n".getBytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)
                    .setData(root, "changed".getBytes(), 0)
                    .delete(root + "/old", 0)
                    .commit();
            equal("results", 4, results.size());
            that("check", results.get(0) instanceof OpResult.CheckResult);
            equal("created path", root + "/new", ((OpResult.CreateResult) results.get(1)).getPath());
            equal("new version", 1, ((OpResult.SetDataResult) results.get(2)).getStat().getVersion());
            that("delete", results.get(3) instanceof OpResult.DeleteResult);
            Stat parent = zk.exists(root, false);
            Stat child = zk.exists(root + "/new", false);
            equal("one zxid for all: set and create", parent.getMzxid(), child.getCzxid());
            equal("one zxid for all: create and delete", parent.getPzxid(), child.getCzxid());
        }
    }

    private static void failed(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "failed");
            List<Op> ops = List.of(
                    Op.create(root + "/a", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                    Op.setData(root, NOTHING, 5),
                    Op.delete(root + "/missing", -1));
            KeeperException refusal = refused("the whole", KeeperException.BadVersionException.class, () -> zk.multi(ops));
            List<Integer> codes = refusal.getResults().stream().map(result -> ((OpResult.ErrorResult) result).getErr()).toList();
            equal("before, culprit, after",
                    List.of(Code.OK.intValue(), Code.BADVERSION.intValue(), Code.RUNTIMEINCONSISTENCY.intValue()), codes);
            equal("nothing was created", null, zk.exists(root + "/a", false));
            var later = new CompletableFuture<Integer>();
            zk.multi(ops, (code, path, context, results) -> later.complete(code), null);
            equal("asynchronously", Code.BADVERSION.intValue(), (int) later.get(10, TimeUnit.SECONDS));
            refused("a failed check", KeeperException.NoNodeException.class, () -> zk.multi(List.of(Op.check(root + "/missing", -1))));
            Stat untouched = zk.exists(root, false);
            equal("no child came and went", 0, untouched.getCversion());
        }
    }

    private static void seesEarlier(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "earlier");
            List<OpResult> results = zk.multi(List.of(
                    Op.create(root + "/a", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                    Op.create(root + "/a/s-", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL),
                    Op.create(root + "/a/s-", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL),
                    Op.delete(root + "/a/s-0000000000", 0),
                    Op.create(root + "/a/s-0000000000", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL),
                    Op.setData(root + "/a", NOTHING, 0),
                    Op.check(root + "/a", 1)));
            equal("the second number", root + "/a/s-0000000001", ((OpResult.CreateResult) results.get(2)).getPath());
            equal("children", List.of("s-0000000000", "s-0000000001"), zk.getChildren(root + "/a", false).stream().sorted().toList());
            equal("the later one is ephemeral", zk.getSessionId(), zk.exists(root + "/a/s-0000000000", false).getEphemeralOwner());
        }
    }

    private static void creates(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "creates");
            List<OpResult> results = zk.multi(List.of(
                    Op.create(root + "/p", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                    Op.create(root + "/c", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER),
                    Op.create(root + "/t", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, 60_000),
                    Op.create(root + "/es-", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL)));
            equal("paths", List.of(root + "/p", root + "/c", root + "/t", root + "/es-0000000003"),
                    results.stream().map(result -> ((OpResult.CreateResult) result).getPath()).toList());
            for (int i = 1; i <= 2; i++) {
                OpResult.CreateResult created = (OpResult.CreateResult) results.get(i);
                equal("the stat of " + created.getPath(), zk.exists(created.getPath(), false), created.getStat());
            }
        }
    }

    private static void reads(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "reads");
            zk.create(root + "/a", "data".getBytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            List<OpResult> results = zk.multi(List.of(
                    Op.getData(root + "/a"), Op.getChildren(root), Op.getData(root + "/missing"), Op.getChildren(root + "/a")));
            OpResult.GetDataResult data = (OpResult.GetDataResult) results.get(0);
            equal("data", "data", new String(data.getData()));
            equal("its stat", zk.exists(root + "/a", false), data.getStat());
            equal("children", List.of("a"), ((OpResult.GetChildrenResult) results.get(1)).getChildren());
            equal("missing", Code.NONODE.intValue(), ((OpResult.ErrorResult) results.get(2)).getErr());
            equal("after an error the rest is answered", List.of(), ((OpResult.GetChildrenResult) results.get(3)).getChildren());
        }
    }

    private static void empty(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            equal("no results", List.of(), session.zk().multi(List.of()));
        }
    }

    private static void transfers(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            String root = Sessions.root(session.zk(), "bank");
            for (String account : List.of("/a", "/b")) {
                session.zk().create(root + account, "1000".getBytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
            Thread[] clerks = new Thread[3];
            var broken = new CompletableFuture<Throwable>();
            for (int i = 0; i < clerks.length; i++) {
                int amount = i + 1;
                clerks[i] = new Thread(() -> {
                    try (var clerk = Sessions.open(stage.address())) {
                        for (int done = 0; done < 50;) {
                            done += transfer(clerk.zk(), root, amount) ? 1 : 0;
                        }
                    } catch (Exception e) {
                        broken.complete(e);
                    }
                });
                clerks[i].start();
            }
            while (List.of(clerks).stream().anyMatch(Thread::isAlive)) {
                List<OpResult> both = session.zk().multi(List.of(Op.getData(root + "/a"), Op.getData(root + "/b")));
                int sum = 0;
                for (OpResult each : both) {
                    sum += Integer.parseInt(new String(((OpResult.GetDataResult) each).getData()));
                }
                equal("the sum at every look", 2000, sum);
            }
            that("no clerk failed: " + broken.getNow(null), !broken.isDone());
            equal("every transfer happened once", Integer.toString(1000 - 50 * (1 + 2 + 3)),
                    new String(session.zk().getData(root + "/a", false, null)));
        }
    }

    private static boolean transfer(ZooKeeper zk, String root, int amount) throws Exception {
        Stat from = new Stat();
        Stat to = new Stat();
        int a = Integer.parseInt(new String(zk.getData(root + "/a", false, from)));
        int b = Integer.parseInt(new String(zk.getData(root + "/b", false, to)));
        try {
            zk.multi(List.of(
                    Op.setData(root + "/a", Integer.toString(a - amount).getBytes(), from.getVersion()),
                    Op.setData(root + "/b", Integer.toString(b + amount).getBytes(), to.getVersion())));
            return true;
        } catch (KeeperException.BadVersionException lost) {
            return false;
        }
    }
}
