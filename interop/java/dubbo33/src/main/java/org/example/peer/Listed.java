package org.example.peer;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.Collectors;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.common.extension.ExtensionLoader;
import org.apache.dubbo.registry.Registry;
import org.apache.dubbo.registry.RegistryFactory;

/**
 * How fast a registration reaches a consumer's list, for each side a program. There is no service behind the addresses:
 * only Dubbo's client of the registry takes part. Times are microseconds since 1970.
 *
 * <p>{@code --role registrant} says {@code READY}, then on {@code ADD PORT} registers 127.0.0.1:PORT and says
 * {@code ADDED PORT BEGUN ENDED}; {@code REMOVE PORT} likewise, {@code REMOVED PORT BEGUN ENDED}.
 *
 * <p>{@code --role watcher} says {@code LIST TIME PORT...} for each list of providers that Dubbo hands to its
 * {@code NotifyListener}, and {@code READY} once it has subscribed. Of itself Dubbo hands over one list in five seconds; it
 * is {@code --delay-notification MILLIS} that changes this (0).
 *
 * <p>Both take {@code --registry URL}, {@code --application NAME} and {@code --interface NAME}
 * (org.example.peer.Greeter).
 */
public final class Listed {
    private final Registry registry;
    private final String service;
    private final String application;

    private Listed(Registry registry, String service, String application) {
        this.registry = registry;
        this.service = service;
        this.application = application;
    }

    public static void main(String[] args) throws Exception {
        Flags flags = new Flags(args);
        Application application = new Application(flags);
        application.begin();
        URL url = URL.valueOf(flags.text("registry"))
                .addParameter("delay-notification", flags.text("delay-notification", "0"))
                .addParameter("timeout", "30000");
        Registry registry = ExtensionLoader.getExtensionLoader(RegistryFactory.class)
                .getAdaptiveExtension()
                .getRegistry(url);
        Listed listed = new Listed(
                registry, flags.text("interface", Greeter.class.getName()), flags.text("application", "peer"));
        switch (flags.text("role", "")) {
            case "registrant":
                Application.say("READY");
                application.obey(listed::change);
                break;
            case "watcher":
                listed.watch();
                Application.say("READY");
                application.untilTheEnd();
                break;
            default:
                throw new IllegalArgumentException("`--role` is `registrant` or `watcher`");
        }
    }

    private void change(String[] words) {
        URL provider = provider(words[1]);
        boolean adds = words[0].equals("ADD");
        long begun = micros();
        if (adds) {
            registry.register(provider);
        } else {
            registry.unregister(provider);
        }
        Application.say((adds ? "ADDED " : "REMOVED ") + words[1] + " " + begun + " " + micros());
    }

    private void watch() {
        URL consumer = URL.valueOf("consumer://127.0.0.1/" + service + "?application=" + application
                + "&category=providers&check=false&interface=" + service + "&side=consumer");
        registry.subscribe(consumer, urls -> {
            long now = micros();
            String ports = urls.stream()
                    .filter(url -> !url.getProtocol().equals("empty"))
                    .map(url -> " " + url.getPort())
                    .sorted()
                    .collect(Collectors.joining());
            Application.say("LIST " + now + ports);
        });
    }

    /** With the parameters that a real provider of one method has. */
    private URL provider(String port) {
        String[] parameters = {
            "anyhost=false", "application=" + application, "background=false", "deprecated=false", "dubbo=2.0.2",
            "dynamic=true", "generic=false", "interface=" + service, "methods=sayHello", "pid=" + ProcessHandle.current().pid(),
            "release=3.3.6", "service-name-mapping=true", "side=provider", "timestamp=1700000000000"
        };
        return URL.valueOf("dubbo://127.0.0.1:" + port + "/" + service + "?"
                + String.join("&", parameters));
    }

    private static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
