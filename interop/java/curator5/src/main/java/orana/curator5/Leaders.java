// Recipes that choose one of many: latch and selector. There is never a second leader, and always a next one.
package orana.curator5;

import static orana.stage.Check.becomes;
import static orana.stage.Check.equal;
import static orana.stage.Check.that;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import orana.stage.Stage;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;

final class Leaders {
    private Leaders() {}

    static void on(Stage stage) {
        stage.together("a_latch_has_one_leader_and_a_next_one", () -> latch(stage));
        stage.together("a_latch_lets_go_when_its_connection_is_lost", () -> latchOverLoss(stage));
        stage.together("a_latch_passes_on_when_its_leader_expires", () -> latchAfterExpiry(stage));
        stage.together("a_selector_gives_everybody_a_turn_alone", () -> selector(stage));
    }

    private static void latch(Stage stage) throws Exception {
        String path = Clients.root("latch");
        List<CuratorFramework> clients = new ArrayList<>();
        List<LeaderLatch> latches = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            CuratorFramework client = Clients.open(stage.address());
            LeaderLatch latch = new LeaderLatch(client, path, "participant " + i);
            latch.start();
            clients.add(client);
            latches.add(latch);
        }
        while (!latches.isEmpty()) {
            becomes("one leader of " + latches.size(), 10_000, 1L, () -> latches.stream().filter(LeaderLatch::hasLeadership).count());
            LeaderLatch leader = latches.stream().filter(LeaderLatch::hasLeadership).findFirst().orElseThrow();
            LeaderLatch other = latches.get(latches.size() - 1);
            equal("all know it", leader.getId(), other.getLeader().getId());
            equal("all know each other", latches.size(), other.getParticipants().size());
            leader.close();
            latches.remove(leader);
        }
        clients.forEach(CuratorFramework::close);
    }

    private static void latchOverLoss(Stage stage) throws Exception {
        var wire = stage.wire();
        String path = Clients.root("latchloss");
        try (CuratorFramework lost = Clients.open(wire.address()); CuratorFramework client = Clients.open(stage.address())) {
            LeaderLatch first = new LeaderLatch(lost, path, "first");
            first.start();
            that("the first leads", first.await(10, TimeUnit.SECONDS));
            LeaderLatch second = new LeaderLatch(client, path, "second");
            second.start();
            becomes("both take part", 5_000, 2, () -> second.getParticipants().size());
            wire.cut();
            becomes("it lets go while it cannot know", 5_000, false, first::hasLeadership);
            wire.mend();
            becomes("one leader again", 15_000, true, () -> first.hasLeadership() ^ second.hasLeadership());
            second.close();
            becomes("the first is still able to lead", 15_000, true, first::hasLeadership);
            first.close();
        }
    }

    private static void latchAfterExpiry(Stage stage) throws Exception {
        String path = Clients.root("latchexpiry");
        try (CuratorFramework lost = Clients.open(stage.address()); CuratorFramework client = Clients.open(stage.address())) {
            LeaderLatch first = new LeaderLatch(lost, path, "first");
            first.start();
            that("the first leads", first.await(10, TimeUnit.SECONDS));
            LeaderLatch second = new LeaderLatch(client, path, "second");
            second.start();
            becomes("both take part", 5_000, 2, () -> second.getParticipants().size());
            Clients.expire(stage.address(), lost);
            becomes("the second leads", 15_000, true, second::hasLeadership);
            becomes("the first does not", 15_000, false, first::hasLeadership);
            becomes("the first stands behind it", 15_000, 2, () -> second.getParticipants().size());
            second.close();
            becomes("and leads again", 15_000, true, first::hasLeadership);
            first.close();
        }
    }

    private static void selector(Stage stage) throws Exception {
        String path = Clients.root("selector");
        AtomicInteger leading = new AtomicInteger();
        AtomicInteger tooMany = new AtomicInteger();
        List<CountDownLatch> turns = new ArrayList<>();
        List<AutoCloseable> open = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            CountDownLatch turn = new CountDownLatch(2);
            CuratorFramework client = Clients.open(stage.address());
            LeaderSelector selector = new LeaderSelector(client, path, new LeaderSelectorListenerAdapter() {
                @Override
                public void takeLeadership(CuratorFramework leader) throws Exception {
                    if (leading.incrementAndGet() > 1) {
                        tooMany.incrementAndGet();
                    }
                    try {
                        Thread.sleep(30);
                        turn.countDown();
                    } finally {
                        leading.decrementAndGet();
                    }
                }
            });
            selector.autoRequeue();
            selector.start();
            turns.add(turn);
            open.add(0, client);
            open.add(0, selector);
        }
        for (CountDownLatch turn : turns) {
            that("everybody had two turns", turn.await(30, TimeUnit.SECONDS));
        }
        // Looked at before anybody is closed: closing only interrupts a leader, and the next one leads as soon as the
        // session is gone, while the thread of the one before may not have begun its turn, or ended it, yet.
        int withASecond = tooMany.get();
        for (AutoCloseable one : open) {
            one.close();
        }
        equal("turns with a second leader", 0, withASecond);
    }
}
