// Runs the scenarios of one peer program and talks to the test that started it.
// It does not know any client library.
//
// To the test, on standard output, one line each:
//   SCENARIO <name> ok <milliseconds>
//   SCENARIO <name> failed <what was wrong, in one line>
//   SCENARIOS <count>
//   ASK <number> <verb> [argument]          answered on standard input by `<number> <answer>`
package orana.stage;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

public final class Stage {
    /** One scenario: it returns when its promise held and throws when it did not. */
    public interface Act {
        void play() throws Exception;
    }

    private record Scenario(String name, Act act) {}

    /** Scenarios that may run side by side. Few: the tests share two processors. */
    private static final int SIDE_BY_SIDE = 6;

    private final PrintStream out = System.out;
    private final String address;
    private final String subject;
    private final List<Scenario> together = new ArrayList<>();
    private final List<Scenario> alone = new ArrayList<>();
    private final AtomicInteger questions = new AtomicInteger();
    private final Map<Integer, CompletableFuture<String>> unanswered = new ConcurrentHashMap<>();

    /** Arguments: the server's `host:port`, then the subject's name (`orana`, `zookeeper`, `zookeeper39`). */
    public Stage(String[] args) {
        if (args.length != 2) {
            throw new IllegalArgumentException("arguments: HOST:PORT SUBJECT");
        }
        address = args[0];
        subject = args[1];
    }

    public String address() {
        return address;
    }

    /** Whether the server has the semantics of ZooKeeper 3.9; the original under test is 3.8. */
    public boolean speaksThreeNine() {
        return !subject.equals("zookeeper");
    }

    /** A scenario that minds its own nodes and can run beside others. */
    public void together(String name, Act act) {
        together.add(new Scenario(name, act));
    }

    /** A scenario that disturbs everybody, such as a restart of the server: it runs after the others, alone. */
    public void alone(String name, Act act) {
        alone.add(new Scenario(name, act));
    }

    /** Plays everything and ends the process; threads that a client library left behind do not hold it up. */
    public void run() throws InterruptedException {
        Thread ear = new Thread(this::hearAnswers, "answers");
        ear.setDaemon(true);
        ear.start();
        ExecutorService pool = Executors.newFixedThreadPool(SIDE_BY_SIDE);
        for (Scenario scenario : together) {
            pool.execute(() -> play(scenario));
        }
        pool.shutdown();
        pool.awaitTermination(10, TimeUnit.MINUTES);
        for (Scenario scenario : alone) {
            play(scenario);
        }
        say("SCENARIOS " + (together.size() + alone.size()));
        System.exit(0);
    }

    /** Opens a wire to the server that the scenario can cut. */
    public Wire wire() throws Exception {
        return new Wire(this, ask("wire"));
    }

    /** Kills the server as `kill -9` does. */
    public void killServer() throws Exception {
        ask("kill");
    }

    /** Starts the server again on the same port and data, and returns when it serves. */
    public void startServer() throws Exception {
        ask("start");
    }

    String ask(String question) throws Exception {
        int number = questions.incrementAndGet();
        CompletableFuture<String> answer = new CompletableFuture<>();
        unanswered.put(number, answer);
        say("ASK " + number + " " + question);
        try {
            return answer.get(60, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException("the test did not answer `" + question + "`");
        } catch (ExecutionException e) {
            throw new IOException("asking `" + question + "`: " + e.getCause().getMessage());
        }
    }

    private void hearAnswers() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] parts = line.split(" ", 2);
                CompletableFuture<String> waiting = unanswered.remove(Integer.parseInt(parts[0]));
                if (waiting != null) {
                    waiting.complete(parts.length > 1 ? parts[1] : "");
                }
            }
        } catch (IOException e) {
            unanswered.values().forEach(waiting -> waiting.completeExceptionally(e));
        }
    }

    private void play(Scenario scenario) {
        long begun = System.nanoTime();
        try {
            scenario.act().play();
            say("SCENARIO " + scenario.name() + " ok " + (System.nanoTime() - begun) / 1_000_000);
        } catch (Throwable wrong) {
            say("SCENARIO " + scenario.name() + " failed " + inOneLine(wrong));
            wrong.printStackTrace();
        }
    }

    private static String inOneLine(Throwable wrong) {
        StringBuilder line = new StringBuilder(wrong.toString());
        for (StackTraceElement frame : wrong.getStackTrace()) {
            if (frame.getClassName().startsWith("orana.") && !frame.getClassName().startsWith("orana.stage.")) {
                line.append(" at ").append(frame.getFileName()).append(':').append(frame.getLineNumber());
                break;
            }
        }
        return line.toString().replaceAll("\\s+", " ");
    }

    private synchronized void say(String line) {
        out.println(line);
        out.flush();
    }
}
