package org.orana.interop;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;

/**
 * A Dubbo application, provider or consumer, that a test drives by lines on standard input and output. It uses only what
 * Dubbo 2.7 and 3.3 have in common, so both run this same source; what a version does not know it ignores.
 *
 * <pre>
 *   registry=HOST:PORT name=APPLICATION [mode=interface|instance|all] [session=MILLIS] [centres=on|off]
 *       [retry=MILLIS]
 *   provider: port=PORT [region=NAME]
 *   consumer: [rate=CALLS_PER_SECOND] [timeout=MILLIS]
 * </pre>
 */
public final class DubboApplication {
    public static void main(String[] args) throws Exception {
        Arguments arguments = new Arguments(args);
        Loopback.advertise();
        // Only Dubbo 3 reads this.
        System.setProperty("dubbo.application.register-mode", arguments.text("mode", "interface"));

        ApplicationConfig application = new ApplicationConfig(arguments.text("name"));
        application.setQosEnable(false);
        DubboBootstrap bootstrap = DubboBootstrap.getInstance();
        bootstrap.application(application).registry(registry(arguments));

        Commanded commanded = arguments.role.equals("provider")
                ? Provider.start(bootstrap, arguments)
                : Consumer.start(bootstrap, arguments);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            commanded.command(line.split(" "));
        }
        commanded.end();
        // Runs Dubbo's own shutdown hook: it deregisters and closes its sessions.
        System.exit(0);
    }

    /** What is told line by line. */
    interface Commanded {
        void command(String[] words) throws Exception;

        /** Nothing more will be told. */
        void end() throws Exception;
    }

    /** A line of the conversation. */
    static void say(String line) {
        synchronized (System.out) {
            System.out.println(line);
            System.out.flush();
        }
    }

    private static RegistryConfig registry(Arguments arguments) {
        RegistryConfig registry = new RegistryConfig("zookeeper://" + arguments.text("registry"));
        boolean centres = arguments.on("centres", true);
        registry.setUseAsConfigCenter(centres);
        registry.setUseAsMetadataCenter(centres);
        registry.setTimeout(30_000);
        Map<String, String> parameters = new HashMap<>();
        if (arguments.has("session")) {
            registry.setSession(arguments.number("session", 0));
            // The name in Dubbo 2.7.
            parameters.put("zk.session.expire", arguments.text("session"));
        }
        if (arguments.has("retry")) {
            parameters.put("retry.period", arguments.text("retry"));
        }
        registry.setParameters(parameters);
        return registry;
    }
}
