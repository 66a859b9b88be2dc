// Opens sessions for the scenarios and keeps what their watchers were told, in order.
package orana.zkclient;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import orana.stage.Check;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

public final class Sessions {
    private static final AtomicInteger ROOTS = new AtomicInteger();

    private Sessions() {}

    /** Everything a watcher was told, in order. */
    public static final class Diary implements Watcher {
        private final List<WatchedEvent> events = new CopyOnWriteArrayList<>();

        @Override
        public void process(WatchedEvent event) {
            events.add(event);
        }

        public List<WatchedEvent> events() {
            return List.copyOf(events);
        }

        /** The events about nodes, each as `Type path`. */
        public List<String> told() {
            return events.stream()
                    .filter(event -> event.getType() != Event.EventType.None)
                    .map(event -> event.getType() + " " + event.getPath())
                    .toList();
        }

        public boolean saw(Event.KeeperState state) {
            return events.stream()
                    .anyMatch(event -> event.getType() == Event.EventType.None && event.getState() == state);
        }
    }

    /** A connected session with its default watcher. */
    public record Session(ZooKeeper zk, Diary diary) implements AutoCloseable {
        @Override
        public void close() throws InterruptedException {
            zk.close();
        }

        public boolean connected() {
            return zk.getState() == ZooKeeper.States.CONNECTED;
        }
    }

    public static Session open(String address) throws Exception {
        return open(address, 10_000);
    }

    public static Session open(String address, int timeout) throws Exception {
        Diary diary = new Diary();
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper zk = new ZooKeeper(address, timeout, event -> {
            diary.process(event);
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        Check.that("a session was granted within 20 s", connected.await(20, TimeUnit.SECONDS));
        return new Session(zk, diary);
    }

    /** Attaches to an existing session by its id and password. */
    public static Session resume(String address, int timeout, long id, byte[] password) throws Exception {
        Diary diary = new Diary();
        CountDownLatch settled = new CountDownLatch(1);
        ZooKeeper zk = new ZooKeeper(
                address,
                timeout,
                event -> {
                    diary.process(event);
                    settled.countDown();
                },
                id,
                password);
        Check.that("the server decided about the session within 20 s", settled.await(20, TimeUnit.SECONDS));
        return new Session(zk, diary);
    }

    /** A new persistent node at the top for one scenario, so that scenarios do not meet. */
    public static String root(ZooKeeper zk, String name) throws Exception {
        String path = "/zkclient-" + name + "-" + ROOTS.incrementAndGet();
        return zk.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
}
