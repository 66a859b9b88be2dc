package org.orana.interop.governance.bench;

import com.google.gson.Gson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.RpcInvocation;
import org.apache.dubbo.rpc.cluster.LoadBalance;
import org.apache.dubbo.rpc.cluster.loadbalance.RandomLoadBalance;
import org.example.orders.OrderService;

/**
 * What Dubbo 3.3 takes from an invocation to a provider: {@code RegistryDirectory.list} with its router chain, then
 * {@code RandomLoadBalance.select}. Everything is Dubbo's own but for the registry, which hands over a list once, and the
 * invokers, which are never invoked.
 *
 * <p>{@code Picks [PROVIDERS,...] [SECONDS]} (10,1000,10000 and 2) measures each size with each kind of weights and each set of
 * rules for that many seconds, after the same time to get warm, and prints a line of JSON for each:
 *
 * <pre>{"providers":1000,"weights":"plain","rules":"conditions","candidates":300,"picks":1234,"ns_per_pick":3200000.0}</pre>
 *
 * <p>The sets of rules: {@code none}; {@code conditions}, five conditions that do not look at arguments; {@code argument}, the
 * same with one of them looking at the first argument; {@code tag}, the five conditions behind a tag rule of one address. The
 * figure is that of the best of three rounds. {@code candidates} is how many providers the rules leave: the other side must come
 * to the same number. Every provider has {@code region} r0 to r9, {@code env} prod or stage, {@code zone} z0 to z3 by its number
 * modulo 10, 2 and 4, and {@code weight} 100.
 */
public final class Picks {
    private static final int ROUNDS = 3;

    private Picks() {}

    public static void main(String[] args) {
        String sizes = args.length > 0 ? args[0] : "10,1000,10000";
        double seconds = args.length > 1 ? Double.parseDouble(args[1]) : 2;
        for (String size : sizes.split(",")) {
            for (boolean stamped : new boolean[] {false, true}) {
                for (Rules rules : Rules.values()) {
                    System.out.println(measure(Integer.parseInt(size), stamped, rules, (long) (seconds * 1e9)));
                    System.out.flush();
                }
            }
        }
        System.exit(0);
    }

    private static String measure(int providers, boolean stamped, Rules rules, long nanos) {
        try (Fleet fleet = new Fleet(providers, stamped, rules)) {
            LoadBalance balance = new RandomLoadBalance();
            List<Invocation> invocations = new ArrayList<>();
            // As many as a cache of a processor does not predict.
            for (int i = 0; i < 64; i++) {
                invocations.add(new RpcInvocation(
                        null,
                        "find",
                        OrderService.class.getName(),
                        "",
                        new Class<?>[] {String.class},
                        new Object[] {i % 2 == 0 ? "vip" : "guest-" + i}));
            }
            int candidates = fleet.list(invocations.get(0)).size();
            run(fleet, balance, invocations, nanos);
            Sample best = null;
            for (int round = 0; round < ROUNDS; round++) {
                Sample sample = run(fleet, balance, invocations, nanos / ROUNDS);
                best = best == null || sample.nanosPerPick() < best.nanosPerPick() ? sample : best;
            }
            Map<String, Object> line = new TreeMap<>();
            line.put("providers", providers);
            line.put("weights", stamped ? "stamped" : "plain");
            line.put("rules", rules.name().toLowerCase());
            line.put("candidates", candidates);
            line.put("picks", best.picks);
            line.put("ns_per_pick", Math.round(best.nanosPerPick() * 10) / 10.0);
            return new Gson().toJson(line);
        }
    }

    private static Sample run(Fleet fleet, LoadBalance balance, List<Invocation> invocations, long nanos) {
        long begin = System.nanoTime();
        long picks = 0;
        long spent = 0;
        while (spent < nanos) {
            for (int i = 0; i < 4; i++) {
                Invocation invocation = invocations.get((int) (picks++ % invocations.size()));
                List<Invoker<OrderService>> list = fleet.list(invocation);
                URL url = fleet.consumer();
                if (balance.select(list, url, invocation) == null) {
                    throw new IllegalStateException("nobody is left");
                }
            }
            spent = System.nanoTime() - begin;
        }
        return new Sample(picks, spent);
    }

    private static final class Sample {
        private final long picks;
        private final long nanos;

        Sample(long picks, long nanos) {
            this.picks = picks;
            this.nanos = nanos;
        }

        double nanosPerPick() {
            return (double) nanos / picks;
        }
    }
}
