package org.example.peer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.dubbo.config.MethodConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.rpc.RpcContext;
import org.apache.dubbo.rpc.RpcException;
import org.apache.dubbo.rpc.service.EchoService;

/** How calls end: overloads, exceptions, later, never, with attachments. */
final class OutcomeCases {
    private static final int SHORT_TIMEOUT = 300;
    private static final int PATIENCE_MILLIS = 5_000;

    private final Cases cases;
    private final Corpus corpus;
    private final Application application;

    OutcomeCases(Cases cases, Corpus corpus, Application application) {
        this.cases = cases;
        this.corpus = corpus;
        this.application = application;
    }

    void run() {
        overloads();
        exceptions();
        async();
        attachments();
        oneWay();
        timeout();
        nobody();
        echoService();
    }

    private void overloads() {
        cases.answers("overload.string", "String \"a\"", () -> corpus.same("a"));
        cases.answers("overload.int", "int 5", () -> corpus.same(5));
        cases.answers("overload.integer", "Integer 5", () -> corpus.same(Integer.valueOf(5)));
        cases.answers("overload.integer-null", "Integer null", () -> corpus.same((Integer) null));
        cases.answers("overload.string-int", "String,int \"a\" 5", () -> corpus.same("a", 5));
        cases.answers("overload.list", "List [1]", () -> corpus.same(Samples.list(1)));
    }

    private void exceptions() {
        cases.says("void", "done", () -> {
            corpus.nothing();
            return "done";
        });
        cases.throwing("exception.declared", Refused.class, "no \u4e2d", () -> corpus.declared("no \u4e2d", 7));
        cases.says("exception.declared-field", "7", () -> {
            try {
                return corpus.declared("no", 7);
            } catch (Refused e) {
                return String.valueOf(e.getCode());
            }
        });
        cases.throwing("exception.runtime", RuntimeException.class, "r", () -> corpus.undeclared("runtime", "r"));
        cases.throwing("exception.state", IllegalStateException.class, "s", () -> corpus.undeclared("state", "s"));
        cases.throwing("exception.foreign", RuntimeException.class, "far", () -> corpus.undeclared("foreign", "far"));
    }

    private void async() {
        cases.answers("future", "x", () -> corpus.later("x", 50).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS));
        cases.throwing(
                "future.refused",
                Refused.class,
                "late",
                () -> corpus.laterRefused("late", 1).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS));
        cases.answers("async-context", "x", () -> {
            CompletableFuture<String> answer = RpcContext.getContext().asyncCall(() -> corpus.echoString("x"));
            return answer.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        });
        // Many in flight on one connection, whose answers come in another order.
        List<Object> texts = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            texts.add("call " + i);
        }
        cases.answers("concurrent", texts, () -> {
            List<CompletableFuture<String>> pending = new ArrayList<>();
            for (int i = 0; i < texts.size(); i++) {
                pending.add(corpus.later((String) texts.get(i), (texts.size() - i) * 5));
            }
            List<Object> answers = new ArrayList<>();
            for (CompletableFuture<String> answer : pending) {
                answers.add(answer.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS));
            }
            return answers;
        });
    }

    private void attachments() {
        Map<String, String> sent = Map.of("peer.a", "1", "peer.b", "\u4e2d \ud83d\ude00", "peer.c", "");
        Map<String, String> back = new TreeMap<>();
        cases.answers("attachments.there", sent, () -> {
            sent.forEach((key, value) -> RpcContext.getContext().setAttachment(key, value));
            Map<String, String> arrived = corpus.attachments("peer.");
            RpcContext.getServerContext().getAttachments().forEach((key, value) -> {
                if (key.startsWith("back.")) {
                    back.put(key, value);
                }
            });
            return arrived;
        });
        if (application.forgetsAttachments()) {
            return;
        }
        Map<String, String> expected = new TreeMap<>();
        sent.forEach((key, value) -> expected.put("back." + key, value));
        expected.put("back.count", "3");
        cases.answers("attachments.back", expected, () -> back);
        cases.answers("attachments.not-kept", Collections.emptyMap(), () -> corpus.attachments("peer."));
    }

    private void oneWay() {
        String text = UUID.randomUUID().toString();
        ReferenceConfig<Corpus> config = application.reference(Corpus.class);
        MethodConfig notice = new MethodConfig();
        notice.setName("notice");
        notice.setReturn(false);
        notice.setSent(true);
        config.setMethods(Collections.singletonList(notice));
        cases.says("one-way", "20", () -> {
            Corpus telling = config.get();
            for (int i = 0; i < 20; i++) {
                telling.notice(text);
            }
            long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
            while (corpus.noticed(text) < 20 && System.currentTimeMillis() < deadline) {
                Thread.sleep(20);
            }
            return String.valueOf(corpus.noticed(text));
        });
    }

    private void timeout() {
        cases.answers("slow", 100, () -> corpus.slow(100));
        ReferenceConfig<Corpus> config = application.reference(Corpus.class);
        config.setTimeout(SHORT_TIMEOUT);
        cases.says("timeout", "timeout in time", () -> {
            Corpus hasty = config.get();
            long start = System.nanoTime();
            try {
                return "the answer " + hasty.slow(2_000);
            } catch (RpcException e) {
                long millis = (System.nanoTime() - start) / 1_000_000;
                boolean inTime = millis >= SHORT_TIMEOUT && millis < 1_500;
                return (e.isTimeout() ? "timeout" : "code " + e.getCode()) + (inTime ? " in time" : " after " + millis);
            }
        });
        cases.answers("timeout.next-call", "x", () -> config.get().echoString("x"));
    }

    private void nobody() {
        ReferenceConfig<Corpus> config = application.reference(Corpus.class);
        config.setVersion("0.0.0-nobody-has-this");
        cases.says("wrong-version", "refused", () -> {
            try {
                return "the answer " + config.get().echoString("x");
            } catch (RpcException e) {
                return e.isTimeout() ? "a timeout" : "refused";
            }
        });
    }

    private void echoService() {
        for (Object value : Samples.list("text", 5, null, Samples.list(1, "two"), Samples.item())) {
            String name = "$echo." + (value == null ? "null" : value.getClass().getSimpleName());
            cases.answers(name, value, () -> ((EchoService) corpus).$echo(value));
        }
    }
}
