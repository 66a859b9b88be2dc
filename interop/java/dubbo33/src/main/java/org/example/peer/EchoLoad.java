package org.example.peer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/**
 * Calls {@link Echo} as fast as it goes, each caller waiting for its answer, all over Dubbo's default of one shared
 * connection. Says {@code READY} once a provider has answered. Then each line {@code RUN text|order CALLERS WARM_SECONDS
 * SECONDS} is answered by {@code MEASURING} when it is warm and by {@code RESULT {...}} at the end: calls, failed calls,
 * calls per second, and the latency's quantiles in microseconds.
 */
public final class EchoLoad {
    private static final int TEXT_LENGTH = 100;

    private final Echo echo;
    private final String text = "x".repeat(TEXT_LENGTH);
    private final Order order = sample();
    private volatile long measureFrom;
    private volatile boolean stopped;

    private EchoLoad(Echo echo) {
        this.echo = echo;
    }

    public static void main(String[] args) throws Exception {
        Application application = new Application(new Flags(args));
        EchoLoad load = new EchoLoad(application.refer(Echo.class));
        load.waitForProvider();
        Application.say("READY");
        application.obey(words -> load.run(
                words[1].equals("order"),
                Integer.parseInt(words[2]),
                Integer.parseInt(words[3]),
                Integer.parseInt(words[4])));
    }

    private void waitForProvider() throws InterruptedException {
        for (int attempt = 0;; attempt++) {
            try {
                echo.text(text);
                echo.order(order);
                return;
            } catch (RuntimeException e) {
                if (attempt == 600) {
                    throw e;
                }
                Thread.sleep(100);
            }
        }
    }

    private void run(boolean orders, int callers, int warmSeconds, int seconds) {
        measureFrom = Long.MAX_VALUE;
        stopped = false;
        List<Caller> all = new ArrayList<>();
        CountDownLatch left = new CountDownLatch(callers);
        for (int i = 0; i < callers; i++) {
            Caller caller = new Caller(orders, left);
            all.add(caller);
            new Thread(caller, "caller-" + i).start();
        }
        try {
            Thread.sleep(warmSeconds * 1_000L);
            Application.say("MEASURING");
            measureFrom = System.nanoTime();
            Thread.sleep(seconds * 1_000L);
            stopped = true;
            double took = (System.nanoTime() - measureFrom) / 1e9;
            left.await();
            Application.say("RESULT " + result(all, took));
        } catch (InterruptedException e) {
            stopped = true;
            Thread.currentThread().interrupt();
        }
    }

    private static String result(List<Caller> callers, double seconds) {
        long[] nanos = callers.stream().flatMapToLong(caller -> Arrays.stream(caller.nanos, 0, caller.calls)).toArray();
        Arrays.sort(nanos);
        long failed = callers.stream().mapToLong(caller -> caller.failed).sum();
        return String.format(
                Locale.ROOT,
                "{\"calls\":%d,\"failed\":%d,\"seconds\":%.3f,\"calls_per_second\":%.1f,"
                        + "\"p50_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f}",
                nanos.length,
                failed,
                seconds,
                nanos.length / seconds,
                micros(nanos, 0.5),
                micros(nanos, 0.99),
                micros(nanos, 1));
    }

    private static double micros(long[] sorted, double quantile) {
        int index = (int) Math.ceil(quantile * sorted.length) - 1;
        return sorted.length == 0 ? 0 : sorted[Math.max(index, 0)] / 1e3;
    }

    /** What each call sends. */
    static Order sample() {
        Order order = new Order();
        order.id = 9_007_199_254L;
        order.number = "2024-000815";
        order.placed = new Date(1_709_164_800_123L);
        order.paid = true;
        order.priority = 3;
        order.total = 1_284.5;
        order.currency = "EUR";
        order.note = "Ring twice, then leave it with the neighbour on the second floor."
                + " Call the number on the label if nobody is there.";
        order.customer = new Order.Customer();
        order.customer.id = 815_471_100L;
        order.customer.name = "Ada Lovelace";
        order.customer.email = "ada.lovelace@example.org";
        order.shipTo = address("12 St James's Square", "London", "SW1Y 4JH", "United Kingdom");
        order.billTo = address("Rue de la Republique 7", "Lyon", "69001", "France");
        order.tags = new ArrayList<>(Arrays.asList("express", "gift", "fragile"));
        order.lines = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Order.Line line = new Order.Line();
            line.sku = "SKU-00" + i + "-4711";
            line.title = "An article of the catalogue, number " + i;
            line.quantity = i + 1;
            line.price = 19.99 + i;
            order.lines.add(line);
        }
        order.history = new int[] {10, 20, 30, 40_000, 50_000};
        return order;
    }

    private static Order.Address address(String street, String city, String zip, String country) {
        Order.Address address = new Order.Address();
        address.street = street;
        address.city = city;
        address.zip = zip;
        address.country = country;
        return address;
    }

    /** One who calls and waits, again and again. */
    private final class Caller implements Runnable {
        private final boolean orders;
        private final CountDownLatch left;
        private long[] nanos = new long[1 << 12];
        private int calls;
        private long failed;

        Caller(boolean orders, CountDownLatch left) {
            this.orders = orders;
            this.left = left;
        }

        @Override
        public void run() {
            while (!stopped) {
                long start = System.nanoTime();
                boolean right = call();
                long end = System.nanoTime();
                // Only what lies wholly within the measured time counts.
                if (start < measureFrom || stopped) {
                    continue;
                }
                if (!right) {
                    failed++;
                    continue;
                }
                if (calls == nanos.length) {
                    nanos = Arrays.copyOf(nanos, 2 * calls);
                }
                nanos[calls++] = end - start;
            }
            left.countDown();
        }

        private boolean call() {
            try {
                if (orders) {
                    return echo.order(order).lines.size() == order.lines.size();
                }
                return echo.text(text).length() == text.length();
            } catch (RuntimeException e) {
                return false;
            }
        }
    }
}
