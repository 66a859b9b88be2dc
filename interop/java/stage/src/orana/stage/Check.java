// What a scenario says about the world: an assertion that fails names what was expected and what was seen.
package orana.stage;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Callable;

public final class Check {
    private Check() {}

    public static void that(String claim, boolean holds) {
        if (!holds) {
            throw new AssertionError("not true: " + claim);
        }
    }

    public static void equal(String what, Object expected, Object seen) {
        if (!Objects.deepEquals(expected, seen)) {
            throw new AssertionError(what + ": expected " + show(expected) + ", saw " + show(seen));
        }
    }

    /** The call must fail with exactly this class of exception. */
    public static <E extends Exception> E refused(String what, Class<E> how, Callable<?> call) {
        Object seen;
        try {
            seen = call.call();
        } catch (Exception refusal) {
            if (refusal.getClass() == how) {
                return how.cast(refusal);
            }
            throw new AssertionError(what + ": expected " + how.getSimpleName() + ", saw " + refusal, refusal);
        }
        throw new AssertionError(what + ": expected " + how.getSimpleName() + ", was answered " + show(seen));
    }

    /** Waits until the claim holds, at most `millis`. */
    public static void eventually(String claim, long millis, Callable<Boolean> holds) throws Exception {
        long deadline = System.nanoTime() + millis * 1_000_000;
        while (!holds.call()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("within " + millis + " ms not true: " + claim);
            }
            Thread.sleep(20);
        }
    }

    /** Waits until the value is the expected one, at most `millis`. */
    public static void becomes(String what, long millis, Object expected, Callable<?> look) throws Exception {
        long deadline = System.nanoTime() + millis * 1_000_000;
        Object seen = look.call();
        while (!Objects.deepEquals(expected, seen)) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError(
                        what + ": expected within " + millis + " ms " + show(expected) + ", last saw " + show(seen));
            }
            Thread.sleep(20);
            seen = look.call();
        }
    }

    private static String show(Object value) {
        if (value instanceof byte[] bytes) {
            return "bytes " + Arrays.toString(bytes);
        }
        return String.valueOf(value);
    }
}
