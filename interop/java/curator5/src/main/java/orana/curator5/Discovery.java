// Curator's service discovery, which Dubbo's application-level registry is built on.
package orana.curator5;

import static orana.stage.Check.becomes;
import static orana.stage.Check.equal;
import static orana.stage.Check.that;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import orana.stage.Stage;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.x.discovery.ServiceCache;
import org.apache.curator.x.discovery.ServiceDiscovery;
import org.apache.curator.x.discovery.ServiceDiscoveryBuilder;
import org.apache.curator.x.discovery.ServiceInstance;
import org.apache.curator.x.discovery.ServiceProvider;
import org.apache.curator.x.discovery.details.ServiceCacheListener;
import org.apache.curator.x.discovery.strategies.RoundRobinStrategy;

final class Discovery {
    private Discovery() {}

    static void on(Stage stage) {
        stage.together("services_are_found_while_they_are_registered", () -> found(stage));
        stage.together("a_service_cache_tells_who_comes_and_goes", () -> cache(stage));
        stage.together("a_service_registers_again_in_a_new_session", () -> again(stage));
    }

    private static void found(Stage stage) throws Exception {
        String base = Clients.root("discovery");
        try (CuratorFramework client = Clients.impatient(stage.address());
                CuratorFramework other = Clients.impatient(stage.address());
                ServiceDiscovery<String> registry = discovery(client, base);
                ServiceDiscovery<String> reader = discovery(other, base)) {
            registry.start();
            reader.start();
            ServiceInstance<String> one = instance("one", 1, "first");
            registry.registerService(one);
            registry.registerService(instance("two", 2, "second"));
            equal("names", List.of("greeter"), List.copyOf(reader.queryForNames()));
            equal("instances", List.of("one", "two"), reader.queryForInstances("greeter").stream().map(ServiceInstance::getId).sorted().toList());
            equal("payload", "first", reader.queryForInstance("greeter", "one").getPayload());
            try (ServiceProvider<String> provider =
                    reader.serviceProviderBuilder().serviceName("greeter").providerStrategy(new RoundRobinStrategy<>()).build()) {
                provider.start();
                becomes("the provider knows both", 5_000, 2, () -> provider.getAllInstances().size());
                that("it takes turns", !provider.getInstance().getId().equals(provider.getInstance().getId()));
            }
            registry.updateService(instance("one", 1, "changed"));
            becomes("an update", 5_000, "changed", () -> reader.queryForInstance("greeter", "one").getPayload());
            registry.unregisterService(one);
            equal("after it left", List.of("two"), reader.queryForInstances("greeter").stream().map(ServiceInstance::getId).toList());
            registry.close();
            equal("after the registry left", 0, reader.queryForInstances("greeter").size());
        }
    }

    private static void cache(Stage stage) throws Exception {
        String base = Clients.root("servicecache");
        try (CuratorFramework client = Clients.impatient(stage.address());
                CuratorFramework other = Clients.impatient(stage.address());
                ServiceDiscovery<String> registry = discovery(client, base);
                ServiceDiscovery<String> reader = discovery(other, base)) {
            registry.start();
            reader.start();
            registry.registerService(instance("one", 1, "first"));
            AtomicInteger changes = new AtomicInteger();
            try (ServiceCache<String> cache = reader.serviceCacheBuilder().name("greeter").build()) {
                cache.addListener(new ServiceCacheListener() {
                    @Override
                    public void cacheChanged() {
                        changes.incrementAndGet();
                    }

                    @Override
                    public void stateChanged(CuratorFramework from, ConnectionState state) {}
                });
                cache.start();
                becomes("the first", 5_000, List.of("one"), () -> ids(cache));
                int before = changes.get();
                registry.registerService(instance("two", 2, "second"));
                becomes("a second", 5_000, List.of("one", "two"), () -> ids(cache));
                registry.updateService(instance("two", 2, "changed"));
                becomes("its change", 5_000, true, () -> cache.getInstances().stream().anyMatch(one -> "changed".equals(one.getPayload())));
                Clients.expire(stage.address(), client);
                becomes("a new session registers both again", 20_000, List.of("one", "two"), () -> ids(cache));
                that("the listener was told: " + (changes.get() - before), changes.get() - before >= 2);
            }
        }
    }

    private static void again(Stage stage) throws Exception {
        String base = Clients.root("again");
        try (CuratorFramework client = Clients.impatient(stage.address());
                CuratorFramework other = Clients.impatient(stage.address());
                ServiceDiscovery<String> registry = discovery(client, base)) {
            registry.start();
            registry.registerService(instance("one", 1, "first"));
            String path = base + "/greeter/one";
            long first = other.checkExists().forPath(path).getEphemeralOwner();
            Clients.expire(stage.address(), client);
            becomes("registered by a new session", 20_000, true, () -> {
                var stat = other.checkExists().forPath(path);
                return stat != null && stat.getEphemeralOwner() != first;
            });
        }
    }

    private static ServiceDiscovery<String> discovery(CuratorFramework client, String base) {
        return ServiceDiscoveryBuilder.builder(String.class).client(client).basePath(base).build();
    }

    private static ServiceInstance<String> instance(String id, int port, String payload) throws Exception {
        return ServiceInstance.<String>builder().name("greeter").id(id).address("127.0.0.1").port(port).payload(payload).build();
    }

    private static List<String> ids(ServiceCache<String> cache) {
        return cache.getInstances().stream().map(ServiceInstance::getId).sorted().toList();
    }
}
