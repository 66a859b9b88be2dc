package org.example.peer;

/** Offers {@link Echo}; says {@code READY PORT}. It wants {@code --threads 400} under load. */
public final class EchoProvider implements Echo {
    public static void main(String[] args) throws Exception {
        Flags flags = new Flags(args);
        Application application = new Application(flags);
        application.offer(Echo.class, new EchoProvider());
        Application.say("READY " + flags.number("port", 20880));
        application.untilTheEnd();
    }

    @Override
    public String text(String x) {
        return x;
    }

    @Override
    public Order order(Order x) {
        return x;
    }
}
