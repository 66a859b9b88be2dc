package org.example.peer;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/**
 * Checks case by case and says {@code ok NAME} or {@code bad NAME expected ... got ...}, in the end
 * {@code DONE N ok M bad}. {@code --only PREFIX,...} and {@code --except PREFIX,...} choose cases by their names.
 */
final class Cases {
    /** More of a value does not help to see what is wrong. */
    private static final int TOLD = 600;

    private final String[] only;
    private final String[] except;
    private int ok;
    private int bad;

    Cases(Flags flags) {
        only = flags.text("only", "").split(",");
        except = flags.has("except") ? flags.text("except").split(",") : new String[0];
    }

    /** The call answers this value. */
    void answers(String name, Object expected, Callable<?> call) {
        says(name, Canonical.of(expected), () -> Canonical.of(call.call()));
    }

    /** The call throws exactly this class, and the message contains this. */
    void throwing(String name, Class<? extends Throwable> type, String message, Callable<?> call) {
        says(name, type.getName() + " with " + message, () -> {
            try {
                return "the answer " + Canonical.of(call.call());
            } catch (Throwable thrown) {
                Throwable cause = thrown instanceof ExecutionException ? thrown.getCause() : thrown;
                boolean right = cause.getClass() == type && String.valueOf(cause.getMessage()).contains(message);
                return right ? type.getName() + " with " + message : cause.toString();
            }
        });
    }

    /** The call yields this text. */
    void says(String name, String expected, Callable<String> call) {
        if (!begins(name, only) || begins(name, except)) {
            return;
        }
        String got;
        try {
            got = call.call();
        } catch (Throwable e) {
            e.printStackTrace();
            got = String.valueOf(e);
        }
        if (expected.equals(got)) {
            ok++;
            Application.say("ok " + name);
        } else {
            bad++;
            Application.say("bad " + name + " expected " + told(expected) + " got " + told(got));
        }
    }

    /** Says how many there were; whether all were right. */
    boolean done() {
        Application.say("DONE " + ok + " ok " + bad + " bad");
        return bad == 0 && ok > 0;
    }

    private static boolean begins(String name, String[] prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    private static String told(String value) {
        String line = value.replace("\r", "").replace('\n', ' ');
        return line.length() <= TOLD ? line : line.substring(0, TOLD) + "...";
    }
}
