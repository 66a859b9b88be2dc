package org.example.peer;

/**
 * Calls {@link Greeter}: {@code --name TEXT} (Dubbo), {@code --calls N} times (1; 0 is without end), {@code --rate N} a
 * second (1). Says {@code READY} once a provider has answered, then what each call answers, or {@code ERROR ...}; in the
 * end {@code CALLS ok=N failed=N}, and its exit code tells whether all succeeded.
 */
public final class GreeterConsumer {
    private static final long PATIENCE_MILLIS = 60_000;

    public static void main(String[] args) throws Exception {
        Flags flags = new Flags(args);
        Application application = new Application(flags);
        Greeter greeter = application.refer(Greeter.class);
        String name = flags.text("name", "Dubbo");
        waitForProvider(greeter, name);
        Application.say("READY");

        long calls = flags.number("calls", 1);
        if (calls == 0) {
            // There is no other end than that of the standard input.
            new Thread(application::untilTheEnd, "input").start();
        }
        long nanos = 1_000_000_000L / flags.number("rate", 1);
        long start = System.nanoTime();
        long failed = 0;
        for (long call = 0; calls == 0 || call < calls; call++) {
            // The pace does not depend on how long calls take.
            long early = start + call * nanos - System.nanoTime();
            if (early > 0) {
                Thread.sleep(early / 1_000_000, (int) (early % 1_000_000));
            }
            try {
                Application.say(greeter.sayHello(name));
            } catch (RuntimeException e) {
                failed++;
                Application.say("ERROR " + String.valueOf(e).replace('\n', ' '));
            }
        }
        Application.say("CALLS ok=" + (calls - failed) + " failed=" + failed);
        Application.leave(failed == 0 ? 0 : 1);
    }

    private static void waitForProvider(Greeter greeter, String name) throws InterruptedException {
        long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
        for (;;) {
            try {
                greeter.sayHello(name);
                return;
            } catch (RuntimeException e) {
                if (System.currentTimeMillis() > deadline) {
                    throw e;
                }
                System.err.println("not yet: " + e.getMessage());
                Thread.sleep(100);
            }
        }
    }
}
