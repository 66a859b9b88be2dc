package org.example.peer;

/** The smallest service: the examples of the Rust SDK offer and call it too. */
public interface Greeter {
    /** Answers {@code "Hello "} and the name. */
    String sayHello(String name);
}
