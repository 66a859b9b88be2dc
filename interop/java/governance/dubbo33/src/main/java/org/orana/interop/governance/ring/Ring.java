package org.orana.interop.governance.ring;

import java.util.ArrayList;
import java.util.List;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.Result;
import org.apache.dubbo.rpc.RpcInvocation;
import org.apache.dubbo.rpc.cluster.loadbalance.ConsistentHashLoadBalance;
import org.example.orders.OrderService;

/**
 * Whom Dubbo's consistent hash chooses: {@code Ring PROVIDERS KEYS [NODES]} prints a line for each key, the key, a blank and the
 * provider's address. Provider {@code i}, from 0 on, has the address {@code 10.0.<i / 50>.<i % 50 + 1>:20880}; key {@code k} is
 * {@code order-<k>}, the first argument of {@code find}. The golden
 * rings of {@code orana-cluster} are made of it.
 */
public final class Ring {
    private Ring() {}

    public static void main(String[] args) {
        int providers = Integer.parseInt(args[0]);
        int keys = Integer.parseInt(args[1]);
        String nodes = args.length > 2 ? "&hash.nodes=" + args[2] : "";
        List<Invoker<OrderService>> invokers = new ArrayList<>();
        for (int i = 0; i < providers; i++) {
            invokers.add(new Address(URL.valueOf("dubbo://10.0." + i / 50 + "." + (i % 50 + 1) + ":20880/"
                    + OrderService.class.getName() + "?interface=" + OrderService.class.getName()
                    + "&methods=find,list&loadbalance=consistenthash" + nodes)));
        }
        ConsistentHashLoadBalance balance = new ConsistentHashLoadBalance();
        StringBuilder lines = new StringBuilder();
        for (int k = 0; k < keys; k++) {
            String key = "order-" + k;
            Invocation invocation = new RpcInvocation(
                    null, "find", OrderService.class.getName(), "", new Class<?>[] {String.class}, new Object[] {key});
            Invoker<OrderService> chosen = balance.select(invokers, invokers.get(0).getUrl(), invocation);
            lines.append(key).append(' ').append(chosen.getUrl().getAddress()).append('\n');
        }
        System.out.print(lines);
    }

    /** A provider that is only looked at. */
    private static final class Address implements Invoker<OrderService> {
        private final URL url;

        Address(URL url) {
            this.url = url;
        }

        @Override
        public Class<OrderService> getInterface() {
            return OrderService.class;
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
