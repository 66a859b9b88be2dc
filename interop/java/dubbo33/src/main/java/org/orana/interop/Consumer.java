package org.orana.interop;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;

/**
 * Calls {@link Greeter} at a steady rate without retries. Says {@code READY} after the first answer; from then on every
 * call counts. {@code COUNT} makes it say {@code CALLS ok=N failed=N PORT=N ...} since the last time and begin anew;
 * {@code DELAY MILLIS} makes the providers take their time from now on. A failure is told as {@code ERROR ...}.
 */
final class Consumer implements DubboApplication.Commanded {
    private static final int CALLERS = 4;
    private static final int ERRORS_TOLD = 20;

    private final Greeter greeter;
    private final ScheduledExecutorService callers = Executors.newScheduledThreadPool(CALLERS);
    private final Map<String, Integer> answers = new TreeMap<>();
    private int ok;
    private int failed;
    private volatile int delay;

    private Consumer(Greeter greeter) {
        this.greeter = greeter;
    }

    static Consumer start(DubboBootstrap bootstrap, Arguments arguments) throws InterruptedException {
        ReferenceConfig<Greeter> reference = new ReferenceConfig<>();
        reference.setInterface(Greeter.class);
        reference.setCheck(false);
        reference.setRetries(0);
        reference.setTimeout(arguments.number("timeout", 5_000));
        reference.setLoadbalance("roundrobin");
        // A consumer of dubbo:// only: providers of other protocols are none of ours.
        reference.setProtocol("dubbo");
        bootstrap.reference(reference).start();
        Consumer consumer = new Consumer(reference.get());
        consumer.waitForAnswer();
        DubboApplication.say("READY");
        long micros = 1_000_000L * CALLERS / arguments.number("rate", 50);
        for (int i = 0; i < CALLERS; i++) {
            consumer.callers.scheduleAtFixedRate(consumer::call, i * micros / CALLERS, micros, TimeUnit.MICROSECONDS);
        }
        return consumer;
    }

    @Override
    public void command(String[] words) {
        switch (words[0]) {
            case "COUNT":
                DubboApplication.say(count());
                break;
            case "DELAY":
                delay = Integer.parseInt(words[1]);
                break;
            default:
                throw new IllegalArgumentException("unknown command " + words[0]);
        }
    }

    @Override
    public void end() throws InterruptedException {
        callers.shutdown();
        callers.awaitTermination(5, TimeUnit.SECONDS);
    }

    private void waitForAnswer() throws InterruptedException {
        for (;;) {
            try {
                greeter.greet("first", 0);
                return;
            } catch (RuntimeException e) {
                System.err.println("not yet: " + e.getMessage());
                Thread.sleep(100);
            }
        }
    }

    private void call() {
        try {
            String answer = greeter.greet("again", delay);
            answered(answer.split(" ")[0]);
        } catch (Throwable e) {
            failed(e);
        }
    }

    private synchronized void answered(String port) {
        ok++;
        answers.merge(port, 1, Integer::sum);
    }

    private synchronized void failed(Throwable e) {
        failed++;
        if (failed <= ERRORS_TOLD) {
            DubboApplication.say("ERROR " + String.valueOf(e).replace('\n', ' '));
        }
    }

    private synchronized String count() {
        StringBuilder line = new StringBuilder("CALLS ok=" + ok + " failed=" + failed);
        answers.forEach((port, count) -> line.append(' ').append(port).append('=').append(count));
        ok = 0;
        failed = 0;
        answers.clear();
        return line.toString();
    }
}
