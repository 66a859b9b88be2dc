// Thousands of requests in flight on one connection, answered in the order they were asked.
package orana.zkclient;

import static orana.stage.Check.equal;
import static orana.stage.Check.that;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import orana.stage.Stage;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.StringCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

final class Pipelines {
    private static final byte[] NOTHING = new byte[0];
    private static final int REQUESTS = 5_000;

    private Pipelines() {}

    static void on(Stage stage) {
        stage.together("five_thousand_creates_are_answered_in_order", () -> creates(stage));
        stage.together("a_pipelined_read_sees_the_writes_before_it", () -> reads(stage));
        stage.together("a_mixture_of_five_thousand_requests_keeps_its_order", () -> mixture(stage));
    }

    private static void creates(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address(), 30_000)) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "creates5000");
            List<String> answers = Collections.synchronizedList(new ArrayList<>());
            CountDownLatch all = new CountDownLatch(REQUESTS);
            for (int i = 0; i < REQUESTS; i++) {
                zk.create(root + "/n-", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL,
                        (StringCallback) (code, path, context, name) -> {
                            answers.add(code + " " + name);
                            all.countDown();
                        }, null);
            }
            that("all were answered", all.await(60, TimeUnit.SECONDS));
            for (int i = 0; i < REQUESTS; i++) {
                equal("answer " + i, String.format("0 %s/n-%010d", root, i), answers.get(i));
            }
            equal("children", REQUESTS, zk.getAllChildrenNumber(root));
            equal("ephemerals", REQUESTS, zk.getEphemerals().size());
        }
    }

    private static void reads(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address(), 30_000)) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "reads5000");
            CountDownLatch all = new CountDownLatch(REQUESTS);
            List<String> wrong = Collections.synchronizedList(new ArrayList<>());
            for (int i = 0; i < REQUESTS / 2; i++) {
                String value = Integer.toString(i);
                int version = i + 1;
                zk.setData(root, value.getBytes(), i, (code, path, context, stat) -> {
                    if (code != 0 || stat.getVersion() != version) {
                        wrong.add("set " + value + ": " + code);
                    }
                    all.countDown();
                }, null);
                zk.getData(root, false, (code, path, context, data, stat) -> {
                    if (code != 0 || !value.equals(new String(data)) || stat.getVersion() != version) {
                        wrong.add("get " + value + ": " + code);
                    }
                    all.countDown();
                }, null);
            }
            that("all were answered", all.await(60, TimeUnit.SECONDS));
            equal("wrong answers", List.of(), List.copyOf(wrong));
        }
    }

    private static void mixture(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address(), 30_000)) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "mixture");
            AtomicInteger next = new AtomicInteger();
            List<String> wrong = Collections.synchronizedList(new ArrayList<>());
            CountDownLatch all = new CountDownLatch(REQUESTS);
            class Tally {
                void answer(int index, int expected, int code) {
                    int due = next.getAndIncrement();
                    if (due != index || code != expected) {
                        wrong.add("due " + due + ", came " + index + " with " + code);
                    }
                    all.countDown();
                }
            }
            Tally tally = new Tally();
            int ok = Code.OK.intValue();
            for (int i = 0; i < REQUESTS; i += 10) {
                int at = i;
                String path = root + "/n" + i;
                zk.create(path, NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT,
                        (StringCallback) (code, asked, context, name) -> tally.answer(at, ok, code), null);
                zk.exists(path, false, (code, asked, context, stat) -> tally.answer(at + 1, ok, code), null);
                zk.setData(path, NOTHING, 0, (code, asked, context, stat) -> tally.answer(at + 2, ok, code), null);
                zk.setData(path, NOTHING, 0, (code, asked, context, stat) -> tally.answer(at + 3, Code.BADVERSION.intValue(), code), null);
                zk.getACL(path, null, (code, asked, context, acl, stat) -> tally.answer(at + 4, ok, code), null);
                zk.sync(path, (code, asked, context) -> tally.answer(at + 5, ok, code), null);
                zk.getChildren(path, false, (ChildrenCallback) (code, asked, context, names) -> tally.answer(at + 6, ok, code), null);
                zk.delete(path, 1, (code, asked, context) -> tally.answer(at + 7, ok, code), null);
                zk.getData(path, false, (code, asked, context, data, stat) -> tally.answer(at + 8, Code.NONODE.intValue(), code), null);
                zk.getAllChildrenNumber(root, (code, asked, context, number) -> tally.answer(at + 9, ok, code), null);
            }
            that("all were answered", all.await(60, TimeUnit.SECONDS));
            equal("out of order or wrong", List.of(), wrong.stream().limit(5).toList());
        }
    }
}
