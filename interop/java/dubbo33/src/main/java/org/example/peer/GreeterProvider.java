package org.example.peer;

/** Offers {@link Greeter}; says {@code READY PORT}. */
public final class GreeterProvider {
    public static void main(String[] args) throws Exception {
        Flags flags = new Flags(args);
        Application application = new Application(flags);
        application.offer(Greeter.class, name -> "Hello " + name);
        Application.say("READY " + flags.number("port", 20880));
        application.untilTheEnd();
    }
}
