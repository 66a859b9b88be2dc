package org.example.peer;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/**
 * Checks case by case and says {@code ok NAME} or {@code bad NAME expected ... got ...}, in the end
 * {@code DONE N ok M bad}. {@code --only NAME,...} and {@code --except NAME,...} choose cases; {@code echo.int} is all
 * whose names begin with {@code echo.int.}, and {@code echo} even more. {@code --peer go} is those that dubbo-go 3.3.0 can
 * pass as a provider.
 */
final class Cases {
    /** More of a value does not help to see what is wrong. */
    private static final int TOLD = 600;

    /**
     * It has no overloads, its frames end at 102,400 bytes, a null of most types becomes something else, one object of a
     * class that it does not know ends the connection, a missing method is an exception like any other, and of what a
     * generic call answers some gets lost.
     */
    private static final String GO = "echo.boolean,echo.byte,echo.short,echo.int,echo.long,echo.double,echo.string,"
            + "echo.bytes,echo.date,echo.ints,echo.longs,echo.strings.1,echo.list.1,echo.list.2,echo.map.1,echo.map.2,"
            + "echo.base.2,void,exception,future,async-context,concurrent,attachments,slow,timeout,"
            + "$echo.String,$echo.Integer,generic.string,generic.int,generic.long,generic.double,generic.boolean,"
            + "generic.list,generic.void,generic.future,generic.async";

    private static final String NOT_GO = "echo.string.12,echo.string.13,echo.string.14,echo.bytes.8,echo.bytes.9,"
            + "echo.date.7,echo.ints.3,echo.longs.2,future.refused";

    private final String[] only;
    private final String[] except;
    private int ok;
    private int bad;

    Cases(Flags flags) {
        boolean go = flags.text("peer", "").equals("go");
        only = names(flags.text("only", go ? GO : ""));
        except = names(flags.text("except", go ? NOT_GO : ""));
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
        if (only.length > 0 && !isOf(name, only) || isOf(name, except)) {
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

    private static String[] names(String list) {
        return list.isEmpty() ? new String[0] : list.split(",");
    }

    private static boolean isOf(String name, String[] names) {
        for (String other : names) {
            if (name.equals(other) || name.startsWith(other + ".")) {
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
