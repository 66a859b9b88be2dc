// Opens Curator clients for the scenarios and ends their sessions behind their backs.
package orana.curator5;

import static orana.stage.Check.that;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

final class Clients {
    private static final AtomicInteger ROOTS = new AtomicInteger();

    private Clients() {}

    static CuratorFramework open(String address) throws Exception {
        return open(address, 15_000);
    }

    static CuratorFramework open(String address, int timeout) throws Exception {
        CuratorFramework client = CuratorFrameworkFactory.builder()
                .connectString(address)
                .sessionTimeoutMs(timeout)
                .connectionTimeoutMs(10_000)
                .retryPolicy(new RetryNTimes(40, 250))
                .build();
        client.start();
        that("connected within 20 s", client.blockUntilConnected(20, TimeUnit.SECONDS));
        return client;
    }

    /** With Dubbo's way of trying again. */
    static CuratorFramework impatient(String address) throws Exception {
        CuratorFramework client = CuratorFrameworkFactory.newClient(address, 15_000, 5_000, new ExponentialBackoffRetry(50, 3));
        client.start();
        that("connected within 20 s", client.blockUntilConnected(20, TimeUnit.SECONDS));
        return client;
    }

    /** A place at the top for one scenario, so that scenarios do not meet. */
    static String root(String name) {
        return "/curator-" + name + "-" + ROOTS.incrementAndGet();
    }

    /** Ends the session of `client` from outside; the client finds it expired when it next connects. */
    static void expire(String address, CuratorFramework client) throws Exception {
        ZooKeeper victim = client.getZookeeperClient().getZooKeeper();
        CountDownLatch attached = new CountDownLatch(1);
        ZooKeeper twin = new ZooKeeper(
                address,
                15_000,
                event -> {
                    if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                        attached.countDown();
                    }
                },
                victim.getSessionId(),
                victim.getSessionPasswd());
        that("the session could be taken over", attached.await(20, TimeUnit.SECONDS));
        twin.close();
    }
}
