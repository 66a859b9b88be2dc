package org.orana.interop;

/** What every provider in the Dubbo scenarios offers. */
public interface Greeter {
    /**
     * Answers after {@code millis} milliseconds with the provider's port, a space and the name, so that a caller knows
     * who answered.
     */
    String greet(String name, int millis);
}
