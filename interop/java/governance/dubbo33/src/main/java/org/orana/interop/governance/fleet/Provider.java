package org.orana.interop.governance.fleet;

import com.google.gson.Gson;
import java.util.HashMap;
import java.util.Map;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ProtocolConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.ServiceConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;
import org.example.orders.OrderService;

/**
 * A provider of {@link OrderService} in Java, for rules that providers obey: {@code Provider REGISTRY APPLICATION GROUP VERSION
 * PROVIDER}, the last a JSON object:
 *
 * <pre>{"host":"10.20.1.1","port":20880,"parameters":{"region":"hangzhou"},"tag":"gray"}</pre>
 *
 * It offers the service twice, plain and with group and version; the tag is for the latter. Says {@code READY} once it is
 * registered, and leaves when its input ends. Dubbo cannot be several of them in one process: rules would reach only the first.
 */
public final class Provider {
    String host;
    int port;
    Map<String, String> parameters;
    String tag;

    public static void main(String[] args) throws Exception {
        System.setProperty("dubbo.application.register-mode", "interface");
        Provider provider = new Gson().fromJson(args[4], Provider.class);
        ApplicationConfig application = new ApplicationConfig(args[1]);
        application.setQosEnable(false);
        ProtocolConfig protocol = new ProtocolConfig("dubbo", provider.port);
        protocol.setHost(provider.host);
        protocol.setThreads(8);
        DubboBootstrap.getInstance()
                .application(application)
                .registry(new RegistryConfig(args[0]))
                .protocol(protocol)
                .service(provider.service(null, null))
                .service(provider.service(args[2], args[3]))
                .start();
        System.out.println("READY");
        System.out.flush();
        while (System.in.read() >= 0) {
            // Nothing is told.
        }
        System.exit(0);
    }

    private ServiceConfig<OrderService> service(String group, String version) {
        ServiceConfig<OrderService> service = new ServiceConfig<>();
        service.setInterface(OrderService.class);
        service.setRef(new Orders(host + ":" + port));
        service.setGroup(group);
        service.setVersion(version);
        Map<String, String> all = new HashMap<>(parameters);
        if (group != null && tag != null) {
            all.put("dubbo.tag", tag);
        }
        service.setParameters(all);
        return service;
    }

    /** Knows nothing but its address. */
    private static final class Orders implements OrderService {
        private final String address;

        Orders(String address) {
            this.address = address;
        }

        @Override
        public String find(String who) {
            return address;
        }

        @Override
        public String findPage(String who, int page) {
            return address;
        }

        @Override
        public String get(String id) {
            return address;
        }

        @Override
        public String getAll() {
            return address;
        }

        @Override
        public String list() {
            return address;
        }

        @Override
        public String save(String order, int millis) {
            try {
                Thread.sleep(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return address;
        }
    }
}
