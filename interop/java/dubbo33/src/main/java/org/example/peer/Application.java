package org.example.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.dubbo.common.Version;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ProtocolConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.ServiceConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;
import org.orana.interop.Loopback;

/**
 * A Dubbo application as its command line describes it. All programs of this package take the same flags:
 *
 * <pre>
 *   --application NAME
 *   --registry URL            such as zookeeper://127.0.0.1:2181, or N/A for none (the default)
 *   --address dubbo://IP:PORT consumers: call that provider, whatever is registered
 *   --port N                  providers (20880)
 *   --threads N               providers: of the pool that serves calls (Dubbo's own 200)
 *   --group G --version V     of the service
 *   --timeout MILLIS          consumers: of a call (5000)
 *   --countdown true          consumers: tell the provider how much of it is left
 *   --mode interface|instance|all   Dubbo 3: what is registered (interface)
 * </pre>
 *
 * <p>They leave, in good order, when their standard input ends. It is written against what Dubbo 2.7 and 3.3 share.
 */
final class Application {
    private final Flags flags;
    private final DubboBootstrap bootstrap = DubboBootstrap.getInstance();

    Application(Flags flags) throws Exception {
        this.flags = flags;
        Loopback.advertise();
        // Only Dubbo 3 reads this.
        System.setProperty("dubbo.application.register-mode", flags.text("mode", "interface"));
        ApplicationConfig application = new ApplicationConfig(flags.text("application", "peer"));
        application.setQosEnable(false);
        bootstrap.application(application).registry(registry());
    }

    /** Offers the service; it is registered when this returns. */
    <T> void offer(Class<T> type, T service) {
        ProtocolConfig protocol = new ProtocolConfig("dubbo", flags.number("port", 20880));
        protocol.setHost("127.0.0.1");
        if (flags.has("threads")) {
            protocol.setThreads(flags.number("threads", 0));
        }
        ServiceConfig<T> config = new ServiceConfig<>();
        config.setInterface(type);
        config.setRef(service);
        config.setGroup(flags.text("group"));
        config.setVersion(flags.text("version"));
        Map<String, String> parameters = new HashMap<>();
        // Else a Java provider gets few calls in its first ten minutes.
        parameters.put("warmup", "1");
        config.setParameters(parameters);
        bootstrap.protocol(protocol).service(config).start();
    }

    /** A reference to be completed; without retries, since they hide failures. */
    <T> ReferenceConfig<T> reference(Class<?> type) {
        ReferenceConfig<T> config = new ReferenceConfig<>();
        config.setInterface(type);
        config.setGroup(flags.text("group"));
        config.setVersion(flags.text("version"));
        config.setUrl(flags.text("address"));
        // A consumer of dubbo:// only: providers of other protocols are none of ours.
        config.setProtocol("dubbo");
        config.setCheck(false);
        config.setRetries(0);
        config.setTimeout(flags.number("timeout", 5_000));
        if (flags.has("countdown")) {
            Map<String, String> parameters = new HashMap<>();
            parameters.put("enable-timeout-countdown", flags.text("countdown"));
            config.setParameters(parameters);
        }
        return config;
    }

    /** Makes the framework ready without a service. */
    void begin() {
        bootstrap.start();
    }

    /** The service, whoever offers it. */
    <T> T refer(Class<T> type) {
        begin();
        return this.<T>reference(type).get();
    }

    /** Dubbo 2.7 makes no cluster of a single address, and without one the attachments of answers do not come through. */
    boolean forgetsAttachments() {
        return flags.has("address") && Version.getVersion().startsWith("2.");
    }

    /** Takes lines until there are no more, then leaves. */
    void obey(Commands commands) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            commands.obey(line.split(" "));
        }
        leave(0);
    }

    /** A program that knows no commands. */
    void untilTheEnd() {
        try {
            obey(words -> say("ERROR unknown command " + words[0]));
        } catch (IOException e) {
            leave(1);
        }
    }

    /** Runs Dubbo's own shutdown hook: it deregisters and closes its sessions. */
    static void leave(int status) {
        System.exit(status);
    }

    /** What is told line by line. */
    interface Commands {
        void obey(String[] words);
    }

    /** A line of the conversation. */
    static void say(String line) {
        synchronized (System.out) {
            System.out.println(line);
            System.out.flush();
        }
    }

    private RegistryConfig registry() {
        RegistryConfig registry = new RegistryConfig(flags.text("registry", RegistryConfig.NO_AVAILABLE));
        registry.setTimeout(30_000);
        return registry;
    }
}
