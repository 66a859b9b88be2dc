// Recipes by which processes keep out of each other's way: mutex, read-write lock, semaphore, barriers.
package orana.curator5;

import static orana.stage.Check.becomes;
import static orana.stage.Check.equal;
import static orana.stage.Check.that;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import orana.stage.Stage;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;

final class Locks {
    private Locks() {}

    static void on(Stage stage) {
        stage.together("a_mutex_lets_one_in_at_a_time", () -> mutex(stage));
        stage.together("a_mutex_survives_a_lost_connection", () -> mutexOverLoss(stage));
        stage.together("a_mutex_passes_on_when_its_holder_expires", () -> mutexAfterExpiry(stage));
        stage.together("readers_share_and_a_writer_does_not", () -> readWrite(stage));
        stage.together("a_semaphore_gives_out_no_more_than_its_leases", () -> semaphore(stage));
        stage.together("a_barrier_holds_until_it_is_lifted", () -> barrier(stage));
        stage.together("a_double_barrier_waits_for_all_to_enter_and_to_leave", () -> doubleBarrier(stage));
        stage.together("several_locks_are_taken_as_one", () -> multiLock(stage));
    }

    private static void mutex(Stage stage) throws Exception {
        String path = Clients.root("mutex");
        AtomicInteger inside = new AtomicInteger();
        int[] counter = {0};
        together(4, () -> {
            try (CuratorFramework client = Clients.open(stage.address())) {
                InterProcessMutex lock = new InterProcessMutex(client, path);
                for (int i = 0; i < 25; i++) {
                    lock.acquire();
                    lock.acquire();
                    equal("alone inside", 1, inside.incrementAndGet());
                    counter[0]++;
                    inside.decrementAndGet();
                    lock.release();
                    lock.release();
                }
                return null;
            }
        });
        equal("every turn was taken", 100, counter[0]);
        try (CuratorFramework holder = Clients.open(stage.address()); CuratorFramework other = Clients.open(stage.address())) {
            InterProcessMutex held = new InterProcessMutex(holder, path);
            held.acquire();
            that("a second one waits in vain", !new InterProcessMutex(other, path).acquire(300, TimeUnit.MILLISECONDS));
            equal("it left nothing behind", 1, held.getParticipantNodes().size());
            held.release();
        }
    }

    private static void mutexOverLoss(Stage stage) throws Exception {
        var wire = stage.wire();
        String path = Clients.root("mutexloss");
        try (CuratorFramework holder = Clients.open(wire.address()); CuratorFramework other = Clients.open(stage.address())) {
            InterProcessMutex held = new InterProcessMutex(holder, path);
            held.acquire();
            wire.blink();
            InterProcessMutex wanted = new InterProcessMutex(other, path);
            that("a mere disconnection does not free it", !wanted.acquire(1_500, TimeUnit.MILLISECONDS));
            held.release();
            that("its release does", wanted.acquire(5, TimeUnit.SECONDS));
            wanted.release();
        }
    }

    private static void mutexAfterExpiry(Stage stage) throws Exception {
        String path = Clients.root("mutexexpiry");
        try (CuratorFramework holder = Clients.open(stage.address()); CuratorFramework other = Clients.open(stage.address())) {
            new InterProcessMutex(holder, path).acquire();
            ExecutorService pool = Executors.newSingleThreadExecutor();
            InterProcessMutex wanted = new InterProcessMutex(other, path);
            Future<Boolean> waits = pool.submit(() -> wanted.acquire(20, TimeUnit.SECONDS));
            becomes("the waiter stands behind the holder", 5_000, 2, () -> wanted.getParticipantNodes().size());
            Clients.expire(stage.address(), holder);
            that("the waiter gets it", waits.get());
            pool.shutdownNow();
        }
    }

    private static void readWrite(Stage stage) throws Exception {
        String path = Clients.root("readwrite");
        AtomicInteger readers = new AtomicInteger();
        AtomicInteger writers = new AtomicInteger();
        AtomicInteger written = new AtomicInteger();
        together(4, () -> {
            try (CuratorFramework client = Clients.open(stage.address())) {
                InterProcessReadWriteLock lock = new InterProcessReadWriteLock(client, path);
                for (int i = 0; i < 6; i++) {
                    lock.readLock().acquire();
                    readers.incrementAndGet();
                    equal("no writer beside readers", 0, writers.get());
                    Thread.sleep(20);
                    readers.decrementAndGet();
                    lock.readLock().release();
                    lock.writeLock().acquire();
                    equal("one writer", 1, writers.incrementAndGet());
                    equal("no reader beside it", 0, readers.get());
                    written.incrementAndGet();
                    writers.decrementAndGet();
                    // A writer may become a reader before anybody else gets in.
                    lock.readLock().acquire();
                    lock.writeLock().release();
                    lock.readLock().release();
                }
                return null;
            }
        });
        equal("every write happened", 24, written.get());
        try (CuratorFramework one = Clients.open(stage.address()); CuratorFramework two = Clients.open(stage.address())) {
            that("a reader", new InterProcessReadWriteLock(one, path).readLock().acquire(10, TimeUnit.SECONDS));
            that("another beside it", new InterProcessReadWriteLock(two, path).readLock().acquire(10, TimeUnit.SECONDS));
            that("a writer waits", !new InterProcessReadWriteLock(two, path).writeLock().acquire(300, TimeUnit.MILLISECONDS));
        }
    }

    private static void semaphore(Stage stage) throws Exception {
        String path = Clients.root("semaphore");
        AtomicInteger inside = new AtomicInteger();
        together(4, () -> {
            try (CuratorFramework client = Clients.open(stage.address())) {
                InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, path, 2);
                for (int i = 0; i < 8; i++) {
                    Lease lease = semaphore.acquire();
                    int now = inside.incrementAndGet();
                    that("no more than two: " + now, now <= 2);
                    Thread.sleep(10);
                    inside.decrementAndGet();
                    semaphore.returnLease(lease);
                }
                return null;
            }
        });
        try (CuratorFramework client = Clients.open(stage.address()); CuratorFramework other = Clients.open(stage.address())) {
            InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, path, 2);
            Collection<Lease> all = semaphore.acquire(2, 5, TimeUnit.SECONDS);
            equal("both", 2, all.size());
            InterProcessSemaphoreV2 theirs = new InterProcessSemaphoreV2(other, path, 2);
            equal("a third", null, theirs.acquire(300, TimeUnit.MILLISECONDS));
            semaphore.returnAll(all);
            that("after they were given back", theirs.acquire(10, TimeUnit.SECONDS) != null);
        }
    }

    private static void barrier(Stage stage) throws Exception {
        String path = Clients.root("barrier");
        try (CuratorFramework client = Clients.open(stage.address())) {
            DistributedBarrier barrier = new DistributedBarrier(client, path);
            barrier.setBarrier();
            AtomicInteger through = new AtomicInteger();
            List<Future<?>> waiting = begin(3, () -> {
                try (CuratorFramework other = Clients.open(stage.address())) {
                    that("let through", new DistributedBarrier(other, path).waitOnBarrier(20, TimeUnit.SECONDS));
                    through.incrementAndGet();
                    return null;
                }
            });
            Thread.sleep(600);
            equal("nobody before", 0, through.get());
            barrier.removeBarrier();
            for (Future<?> one : waiting) {
                one.get(20, TimeUnit.SECONDS);
            }
            equal("everybody after", 3, through.get());
        }
    }

    private static void doubleBarrier(Stage stage) throws Exception {
        String path = Clients.root("doublebarrier");
        AtomicInteger arrived = new AtomicInteger();
        AtomicInteger leaving = new AtomicInteger();
        together(3, () -> {
            try (CuratorFramework client = Clients.open(stage.address())) {
                DistributedDoubleBarrier barrier = new DistributedDoubleBarrier(client, path, 3);
                arrived.incrementAndGet();
                that("entered", barrier.enter(20, TimeUnit.SECONDS));
                equal("all had arrived", 3, arrived.get());
                leaving.incrementAndGet();
                that("left", barrier.leave(20, TimeUnit.SECONDS));
                equal("all were leaving", 3, leaving.get());
                return null;
            }
        });
    }

    private static void multiLock(Stage stage) throws Exception {
        String one = Clients.root("multilock");
        String two = Clients.root("multilock");
        try (CuratorFramework client = Clients.open(stage.address()); CuratorFramework other = Clients.open(stage.address())) {
            InterProcessMultiLock both = new InterProcessMultiLock(client, List.of(one, two));
            InterProcessMutex second = new InterProcessMutex(other, two);
            second.acquire();
            that("one of them is taken", !both.acquire(400, TimeUnit.MILLISECONDS));
            that("the other was given back", new InterProcessMutex(other, one).acquire(5, TimeUnit.SECONDS));
            second.release();
        }
    }

    private static void together(int count, Callable<?> work) throws Exception {
        for (Future<?> one : begin(count, work)) {
            one.get(90, TimeUnit.SECONDS);
        }
    }

    private static List<Future<?>> begin(int count, Callable<?> work) {
        ExecutorService pool = Executors.newFixedThreadPool(count);
        List<Future<?>> begun = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            begun.add(pool.submit(work));
        }
        pool.shutdown();
        return begun;
    }
}
