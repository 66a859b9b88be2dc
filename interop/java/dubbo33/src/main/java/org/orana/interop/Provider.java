package org.orana.interop;

import java.util.HashMap;
import java.util.Map;
import org.apache.dubbo.config.ProtocolConfig;
import org.apache.dubbo.config.ServiceConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;

/** Offers {@link Greeter} on one port; says {@code READY} once it is registered. */
final class Provider implements Greeter, DubboApplication.Commanded {
    private final int port;

    private Provider(int port) {
        this.port = port;
    }

    static Provider start(DubboBootstrap bootstrap, Arguments arguments) {
        Provider provider = new Provider(arguments.number("port", 20880));
        ProtocolConfig protocol = new ProtocolConfig("dubbo", provider.port);
        protocol.setHost("127.0.0.1");
        ServiceConfig<Greeter> service = new ServiceConfig<>();
        service.setInterface(Greeter.class);
        service.setRef(provider);
        Map<String, String> parameters = new HashMap<>();
        // Else a Java provider gets few calls in its first ten minutes.
        parameters.put("warmup", "1");
        parameters.put("region", arguments.text("region", "none"));
        service.setParameters(parameters);
        bootstrap.protocol(protocol).service(service).start();
        DubboApplication.say("READY " + provider.port);
        return provider;
    }

    @Override
    public String greet(String name, int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return port + " " + name;
    }

    @Override
    public void command(String[] words) {
        throw new IllegalArgumentException("a provider knows no commands");
    }

    @Override
    public void end() {}
}
