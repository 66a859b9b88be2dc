package org.orana.interop.governance;

import com.google.gson.Gson;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;
import org.apache.dubbo.rpc.RpcContext;
import org.apache.dubbo.rpc.RpcException;
import org.example.orders.OrderService;

/**
 * A consumer of {@link OrderService} with the identity that its command line gives it. It says {@code READY}, then answers
 * each line of standard input, a {@link Question}, with a line {@code ANSWER} and an {@link Answer}.
 *
 * <pre>
 *   --registry URL       such as zookeeper://127.0.0.1:2181
 *   --application NAME
 *   --host IP            its own address, as rules see it (127.0.0.1)
 *   --group G --version V
 *   --param KEY=VALUE    of its URL; may be said often
 * </pre>
 *
 * <p>It calls round robin and without retries, so that few calls reach everybody and failures are seen. It uses only what
 * Dubbo 2.7 and 3.3 have in common.
 */
public final class Consumer {
    private static final int TIMEOUT_MILLIS = 5_000;

    private final OrderService orders;
    private final Map<String, Method> methods = new HashMap<>();

    private Consumer(OrderService orders) {
        this.orders = orders;
        for (Method method : OrderService.class.getMethods()) {
            methods.put(method.getName(), method);
        }
    }

    public static void main(String[] args) throws Exception {
        Flags flags = new Flags(args);
        // Rules that match nobody are told once for each call and provider, with a stack trace.
        System.setProperty("org.slf4j.simpleLogger.log.org.apache.dubbo.rpc.cluster", "off");
        Host.is(flags.text("host", "127.0.0.1"));
        // Only Dubbo 3 reads this.
        System.setProperty("dubbo.application.register-mode", "interface");
        ApplicationConfig application = new ApplicationConfig(flags.text("application", "consumer"));
        application.setQosEnable(false);
        DubboBootstrap bootstrap = DubboBootstrap.getInstance();
        bootstrap.application(application).registry(registry(flags)).start();
        Consumer consumer = new Consumer(reference(flags).get());
        say("READY");
        Gson gson = new Gson();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            say("ANSWER " + gson.toJson(consumer.answer(gson.fromJson(line, Question.class))));
        }
        // Runs Dubbo's own shutdown hook: it deregisters and closes its sessions.
        System.exit(0);
    }

    private static RegistryConfig registry(Flags flags) {
        RegistryConfig registry = new RegistryConfig(flags.text("registry"));
        registry.setTimeout(30_000);
        // Otherwise Dubbo 3 holds lists back for up to 5 s.
        registry.setParameters(new HashMap<>(Collections.singletonMap("delay-notification", "0")));
        return registry;
    }

    private static ReferenceConfig<OrderService> reference(Flags flags) {
        ReferenceConfig<OrderService> reference = new ReferenceConfig<>();
        reference.setInterface(OrderService.class);
        reference.setGroup(flags.text("group"));
        reference.setVersion(flags.text("version"));
        reference.setProtocol("dubbo");
        reference.setCheck(false);
        reference.setRetries(0);
        reference.setLoadbalance("roundrobin");
        reference.setTimeout(TIMEOUT_MILLIS);
        reference.setParameters(new HashMap<>(flags.parameters()));
        return reference;
    }

    private Answer answer(Question question) throws IllegalAccessException {
        Method method = methods.get(question.method);
        if (method == null) {
            throw new IllegalArgumentException("no method `" + question.method + "`");
        }
        Object[] arguments = question.arguments.stream()
                .map(argument -> argument instanceof Number ? (Object) ((Number) argument).intValue() : argument)
                .toArray();
        Answer answer = new Answer(question.id);
        for (int i = 0; i < question.calls; i++) {
            // Attachments are forgotten with each call.
            question.attachments.forEach((key, value) -> RpcContext.getContext().setAttachment(key, value));
            try {
                Object provider = method.invoke(orders, arguments);
                if (provider == null) {
                    answer.nulls++;
                } else {
                    answer.reached.add((String) provider);
                }
            } catch (InvocationTargetException e) {
                Throwable cause = e.getCause();
                int code = cause instanceof RpcException ? ((RpcException) cause).getCode() : -1;
                answer.errors.merge(code, 1, Integer::sum);
                if (answer.failure == null) {
                    answer.failure = String.valueOf(cause);
                }
            }
        }
        return answer;
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
