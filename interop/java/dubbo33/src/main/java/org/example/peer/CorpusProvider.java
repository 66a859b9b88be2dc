package org.example.peer;

/** Offers {@link Corpus}; says {@code READY PORT}. */
public final class CorpusProvider {
    public static void main(String[] args) throws Exception {
        Flags flags = new Flags(args);
        Application application = new Application(flags);
        application.offer(Corpus.class, new CorpusService());
        Application.say("READY " + flags.number("port", 20880));
        application.untilTheEnd();
    }
}
