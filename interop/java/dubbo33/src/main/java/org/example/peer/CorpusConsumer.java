package org.example.peer;

/**
 * Calls every method of {@link Corpus}, whoever offers it, and checks the answers itself: {@code ok NAME},
 * {@code bad NAME expected ... got ...}, and in the end {@code DONE N ok M bad}; its exit code tells whether all were
 * right. {@link Cases} says how to choose cases.
 *
 * <p>Dubbo 3.3.6 and 2.7.23 pass all of it, in all four combinations, directly and by ZooKeeper, except that
 * <ul>
 * <li>a 2.7 provider answers generic calls with JSON by plain values: {@code --except json};
 * <li>a 2.7 consumer that calls an address directly does not see the attachments of answers, and sends those of a call
 *     with the next one as well: those two cases are left out there.
 * </ul>
 */
public final class CorpusConsumer {
    private static final long PATIENCE_MILLIS = 60_000;

    public static void main(String[] args) throws Exception {
        Flags flags = new Flags(args);
        Application application = new Application(flags);
        Corpus corpus = application.refer(Corpus.class);
        waitForProvider(corpus);
        Application.say("READY");
        Cases cases = new Cases(flags);
        new TypeCases(cases, corpus).run();
        new OutcomeCases(cases, corpus, application).run();
        new GenericCases(cases, application).run();
        Application.leave(cases.done() ? 0 : 1);
    }

    private static void waitForProvider(Corpus corpus) throws InterruptedException {
        long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
        for (;;) {
            try {
                corpus.echoString("there?");
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
