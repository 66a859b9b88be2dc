import java.lang.reflect.Field;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.common.extension.ExtensionLoader;
import org.apache.dubbo.common.utils.NetUtils;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ArgumentConfig;
import org.apache.dubbo.config.MethodConfig;
import org.apache.dubbo.config.ProtocolConfig;
import org.apache.dubbo.config.ProviderConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.ServiceConfig;
import org.apache.dubbo.registry.Registry;
import org.apache.dubbo.registry.RegistryFactory;
import org.apache.dubbo.registry.RegistryService;

/** Registers a service with defaults and one with much configuration, a consumer, an override and a route. */
public class Capture {
    public interface Greeter {
        String sayHello(String name);

        int add(int a, int b);

        void ping();
    }

    public static class Greets implements Greeter {
        public String sayHello(String name) {
            return "Hello " + name;
        }

        public int add(int a, int b) {
            return a + b;
        }

        public void ping() {}
    }

    /** REGISTRY_HOST:PORT DUBBO_PORT */
    public static void main(String[] args) throws Exception {
        // Dubbo advertises no loopback address unless there is no other.
        loopback("LOCAL_ADDRESS", InetAddress.getByName("127.0.0.1"));
        loopback("HOST_ADDRESS", "127.0.0.1");
        String address = "zookeeper://" + args[0];
        ApplicationConfig application = new ApplicationConfig("golden-shop");
        application.setOwner("orders");
        application.setQosEnable(false);
        application.setRegisterMode("interface"); // 3.3 only
        RegistryConfig registry = new RegistryConfig(address);
        registry.setTimeout(30000);
        registry.setUseAsConfigCenter(false); // since 2.7
        registry.setUseAsMetadataCenter(false);
        ProtocolConfig protocol = new ProtocolConfig("dubbo", Integer.parseInt(args[1]));
        protocol.setHost("127.0.0.1");

        service(application, registry, protocol).export();

        ServiceConfig<Greeter> rich = service(application, registry, protocol);
        ProviderConfig defaults = new ProviderConfig();
        defaults.setApplication(application);
        defaults.setRegistry(registry);
        defaults.setProtocol(protocol);
        defaults.setTimeout(4321);
        defaults.setRetries(1);
        rich.setProvider(defaults);
        rich.setGroup("blue");
        rich.setVersion("1.0.0");
        rich.setWeight(200);
        rich.setToken(true);
        rich.setLoadbalance("leastactive");
        rich.setPath("shop/Greeter");
        ArgumentConfig first = new ArgumentConfig();
        first.setIndex(0);
        first.setCallback(false);
        MethodConfig sayHello = new MethodConfig();
        sayHello.setName("sayHello");
        sayHello.setTimeout(700);
        sayHello.setRetries(0);
        sayHello.setArguments(List.of(first));
        rich.setMethods(List.of(sayHello));
        rich.setParameters(Map.of("note", "a b+c~d*e=f?g#h/i:j@k", "city", "\u676d\u5dde", "smile", "\ud83d\ude00"));
        rich.export();

        ReferenceConfig<Greeter> reference = new ReferenceConfig<>();
        reference.setApplication(application);
        reference.setRegistry(registry);
        reference.setInterface(Greeter.class);
        reference.setGroup("blue");
        reference.setVersion("1.0.0");
        reference.setCheck(false);
        reference.setTimeout(2500);
        reference.setScope("remote");
        MethodConfig add = new MethodConfig();
        add.setName("add");
        add.setRetries(3);
        reference.setMethods(List.of(add));
        reference.get();

        Registry direct = ExtensionLoader.getExtensionLoader(RegistryFactory.class)
                .getAdaptiveExtension()
                .getRegistry(URL.valueOf(address + "/" + RegistryService.class.getName()));
        String path = "://0.0.0.0/" + Greeter.class.getName();
        direct.register(URL.valueOf("override" + path + "?category=configurators&dynamic=false&enabled=true"
                + "&application=golden-shop&timeout=900&sayHello.retries=0&group=blue&version=1.0.0"));
        direct.register(URL.valueOf("route" + path + "?category=routers&router=condition&dynamic=false&enabled=true"
                + "&runtime=true&force=false&priority=1&name=host to host&rule="
                + URL.encode("host = 10.20.* & method = say* => host != 10.30.*")));
        System.out.println("READY");
        Thread.sleep(600_000);
    }

    private static ServiceConfig<Greeter> service(
            ApplicationConfig application, RegistryConfig registry, ProtocolConfig protocol) {
        ServiceConfig<Greeter> service = new ServiceConfig<>();
        service.setApplication(application);
        service.setRegistry(registry);
        service.setProtocol(protocol);
        service.setInterface(Greeter.class);
        service.setRef(new Greets());
        return service;
    }

    private static void loopback(String field, Object value) throws ReflectiveOperationException {
        try {
            Field found = NetUtils.class.getDeclaredField(field);
            found.setAccessible(true);
            found.set(null, value);
        } catch (NoSuchFieldException absent) {
            // 2.6 has the first only.
        }
    }
}
