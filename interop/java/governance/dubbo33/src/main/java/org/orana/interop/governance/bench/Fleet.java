package org.orana.interop.governance.bench;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.common.config.configcenter.ConfigurationListener;
import org.apache.dubbo.common.config.configcenter.DynamicConfiguration;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.registry.Registry;
import org.apache.dubbo.registry.integration.RegistryDirectory;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.Protocol;
import org.apache.dubbo.rpc.Result;
import org.apache.dubbo.rpc.cluster.RouterChain;
import org.apache.dubbo.rpc.model.ApplicationModel;
import org.apache.dubbo.rpc.model.FrameworkModel;
import org.apache.dubbo.rpc.model.ModuleModel;
import org.example.orders.OrderService;

/** A directory of one consumer with its providers and rules; all of Dubbo's own classes in a model of their own. */
final class Fleet implements AutoCloseable {
    private final FrameworkModel framework = new FrameworkModel();
    private final RegistryDirectory<OrderService> directory;

    Fleet(int providers, boolean stamped, Rules rules) {
        ApplicationModel application = framework.newApplication();
        application.getApplicationConfigManager().setApplication(new ApplicationConfig("shop"));
        application.modelEnvironment().setDynamicConfiguration(new Documents(rules.documents));
        ModuleModel module = application.newModule();
        module.modelEnvironment().setDynamicConfiguration(new Documents(rules.documents));

        String service = OrderService.class.getName();
        Map<String, String> parameters = new HashMap<>();
        parameters.put("application", "shop");
        parameters.put("interface", service);
        parameters.put("methods", "find,list");
        parameters.put("register.ip", "10.20.0.31");
        parameters.put("side", "consumer");
        parameters.put("timeout", "1000");
        URL consumer = URL.valueOf("consumer://10.20.0.31/" + service).addParameters(parameters).setScopeModel(module);
        URL registry = URL.valueOf("zookeeper://127.0.0.1:2181/" + service)
                .addParameter("interface", service)
                .setScopeModel(module)
                .putAttribute("refer", parameters);
        directory = new RegistryDirectory<>(OrderService.class, registry);
        directory.setRegistry(nobody(Registry.class, registry));
        directory.setProtocol(new Referring());
        directory.setRouterChain(RouterChain.buildChain(OrderService.class, consumer));
        List<URL> urls = new ArrayList<>();
        for (int i = 0; i < providers; i++) {
            urls.add(provider(i, stamped, service).setScopeModel(module));
        }
        directory.notify(urls);
        if (directory.getInvokers().size() != providers) {
            throw new IllegalStateException("the directory has " + directory.getInvokers().size() + " providers");
        }
    }

    List<Invoker<OrderService>> list(Invocation invocation) {
        return directory.list(invocation);
    }

    URL consumer() {
        return directory.getConsumerUrl();
    }

    @Override
    public void close() {
        framework.destroy();
    }

    private static URL provider(int i, boolean stamped, String service) {
        return URL.valueOf("dubbo://10." + (i / 62500 + 1) + "." + i / 250 % 250 + "." + (i % 250 + 1) + ":20880/" + service
                + "?anyhost=false&application=order-service&deprecated=false&dubbo=2.0.2&dynamic=true&env="
                + (i % 2 == 0 ? "prod" : "stage") + "&generic=false&interface=" + service
                + "&methods=find,list&pid=7&region=r" + i % 10 + "&release=3.3.6&side=provider&zone=z" + i % 4
                + (stamped ? "&timestamp=1700000000000" : ""));
    }

    /** Something of that kind that is never asked anything but its URL. */
    private static <T> T nobody(Class<T> type, URL url) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            switch (method.getName()) {
                case "getUrl":
                    return url;
                case "isAvailable":
                case "isServiceDiscovery":
                    return false;
                default:
                    return null;
            }
        }));
    }

    /** A configuration centre with these documents, which never change. */
    private static final class Documents implements DynamicConfiguration {
        private final Map<String, String> documents;

        Documents(Map<String, String> documents) {
            this.documents = documents;
        }

        @Override
        public String getConfig(String key, String group, long timeout) {
            return documents.get(key);
        }

        @Override
        public Object getInternalProperty(String key) {
            return null;
        }

        @Override
        public void addListener(String key, String group, ConfigurationListener listener) {}

        @Override
        public void removeListener(String key, String group, ConfigurationListener listener) {}

        @Override
        public void close() {}
    }

    /** Refers without connecting. */
    private static final class Referring implements Protocol {
        @Override
        public int getDefaultPort() {
            return 20880;
        }

        @Override
        public <T> org.apache.dubbo.rpc.Exporter<T> export(Invoker<T> invoker) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> Invoker<T> refer(Class<T> type, URL url) {
            return new Listed<>(type, url);
        }

        @Override
        public void destroy() {}
    }

    /** A provider that is only listed. */
    private static final class Listed<T> implements Invoker<T> {
        private final Class<T> type;
        private final URL url;

        Listed(Class<T> type, URL url) {
            this.type = type;
            this.url = url;
        }

        @Override
        public Class<T> getInterface() {
            return type;
        }

        @Override
        public Result invoke(Invocation invocation) {
            throw new UnsupportedOperationException();
        }

        @Override
        public URL getUrl() {
            return url;
        }

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public void destroy() {}
    }
}
