package org.orana.interop.frames;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.dubbo.common.utils.NetUtils;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.MethodConfig;
import org.apache.dubbo.config.ProtocolConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.ServiceConfig;
import org.apache.dubbo.rpc.RpcContext;
import org.apache.dubbo.rpc.service.EchoService;
import org.apache.dubbo.rpc.service.GenericService;

/**
 * {@code golden}: a provider and a consumer of one Dubbo, with a relay between them that writes each frame down:
 * {@code >} from the consumer, {@code <} from the provider, then its bytes in hexadecimal. A line with {@code #} says
 * what is being done.
 */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 1 || !arguments[0].equals("golden")) {
            throw new IllegalArgumentException("golden");
        }
        advertiseLoopback();
        System.setProperty("dubbo.service.shutdown.wait", "500");
        int port = freePort();
        ApplicationConfig application = new ApplicationConfig("frames");
        application.setQosEnable(false);
        ServiceConfig<Shop> service = new ServiceConfig<>();
        service.setApplication(application);
        service.setRegistry(new RegistryConfig("N/A"));
        ProtocolConfig protocol = new ProtocolConfig("dubbo", port);
        protocol.setPort(port);
        protocol.setHost("127.0.0.1");
        protocol.setSerialization("hessian2");
        service.setProtocol(protocol);
        service.setInterface(Shop.class);
        service.setVersion("1.0.0");
        service.setGroup("east");
        service.setRef(new Counter());
        service.export();
        int relay = relay(port);
        calls(application, relay);
        System.out.flush();
        // What the provider says while it leaves.
        say("# leaving");
        service.unexport();
        org.apache.dubbo.rpc.protocol.dubbo.DubboProtocol.getDubboProtocol().destroy();
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static void calls(ApplicationConfig application, int port) throws Exception {
        ReferenceConfig<Shop> reference = reference(application, port);
        reference.setInterface(Shop.class);
        MethodConfig tell = new MethodConfig();
        tell.setName("tell");
        tell.setReturn(false);
        reference.setMethods(List.of(tell));
        Shop shop = reference.get();

        say("# sayHello");
        shop.sayHello("w\u00f6rld \ud83d\ude00");
        say("# attachments");
        RpcContext.getContext().setAttachment("trace", "t-1");
        shop.sayHello("x");
        say("# void");
        shop.ping();
        say("# null");
        shop.nothing(1L << 40, new int[] {1, 2});
        say("# objects");
        Shop.Order order = new Shop.Order();
        order.title = "o";
        order.id = 7;
        order.before = order;
        shop.orders(order, Map.of("a", 1));
        say("# declared exception");
        attempt(() -> shop.refuse("no"));
        say("# undeclared exception");
        attempt(() -> shop.fail("broken"));
        say("# one-way");
        shop.tell("news");
        Thread.sleep(300);
        say("# echo");
        ((EchoService) shop).$echo("ok");

        say("# generic");
        ReferenceConfig<GenericService> generic = reference(application, port);
        generic.setInterface(Shop.class.getName());
        generic.setGeneric("true");
        generic.get().$invoke("sayHello", new String[] {"java.lang.String"}, new Object[] {"generic"});
        say("# no such method");
        attempt(() -> generic.get().$invoke("missing", new String[] {}, new Object[] {}));
        say("# heartbeat");
        Thread.sleep(2500);
    }

    private static <T> ReferenceConfig<T> reference(ApplicationConfig application, int port) {
        ReferenceConfig<T> reference = new ReferenceConfig<>();
        reference.setApplication(application);
        reference.setUrl("dubbo://127.0.0.1:" + port + "?heartbeat=1000&serialization=hessian2&prefer.serialization=hessian2");
        reference.setVersion("1.0.0");
        reference.setGroup("east");
        reference.setTimeout(10_000);
        reference.setRetries(0);
        reference.setCheck(false);
        return reference;
    }

    private interface Call {
        Object call() throws Exception;
    }

    private static void attempt(Call call) {
        try {
            call.call();
        } catch (Exception expected) {
            System.err.println("as expected: " + expected);
        }
    }

    private static final class Counter implements Shop {
        @Override
        public String sayHello(String name) {
            RpcContext.getServerContext().setAttachment("from", "shop");
            return "Hello " + name;
        }

        @Override
        public void ping() {}

        @Override
        public String nothing(long number, int[] numbers) {
            return null;
        }

        @Override
        public List<Order> orders(Order order, Map<String, Integer> counts) {
            List<Order> orders = new ArrayList<>();
            orders.add(order);
            orders.add(order);
            return orders;
        }

        @Override
        public String refuse(String why) throws Refused {
            throw new Refused(why, 7);
        }

        @Override
        public String fail(String why) {
            IllegalStateException failure = new IllegalStateException(why);
            failure.setStackTrace(new StackTraceElement[0]);
            throw failure;
        }

        @Override
        public void tell(String news) {}
    }

    // -----------------------------------------------------------------------------------------------------------------

    private static void say(String line) {
        synchronized (System.out) {
            System.out.println(line);
        }
    }

    /** Dubbo would connect to the machine's own address where it is told the loopback's. */
    private static void advertiseLoopback() throws ReflectiveOperationException {
        Field address = NetUtils.class.getDeclaredField("LOCAL_ADDRESS");
        address.setAccessible(true);
        address.set(null, InetAddress.getLoopbackAddress());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static int relay(int target) throws IOException {
        ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread accepting = new Thread(() -> {
            try {
                while (true) {
                    Socket consumer = listener.accept();
                    Socket provider = new Socket(InetAddress.getLoopbackAddress(), target);
                    pass(consumer, provider, ">");
                    pass(provider, consumer, "<");
                }
            } catch (IOException end) {
                System.err.println("the relay ends: " + end);
            }
        });
        accepting.setDaemon(true);
        accepting.start();
        return listener.getLocalPort();
    }

    private static void pass(Socket from, Socket to, String mark) {
        Thread passing = new Thread(() -> {
            try {
                DataInputStream in = new DataInputStream(from.getInputStream());
                OutputStream out = to.getOutputStream();
                while (true) {
                    byte[] header = new byte[16];
                    in.readFully(header);
                    int length = java.nio.ByteBuffer.wrap(header).getInt(12);
                    byte[] body = new byte[length];
                    in.readFully(body);
                    say(mark + " " + java.util.HexFormat.of().formatHex(header) + java.util.HexFormat.of().formatHex(body));
                    out.write(header);
                    out.write(body);
                    out.flush();
                }
            } catch (EOFException end) {
                // One side has closed.
            } catch (IOException failure) {
                System.err.println("the relay lost a side: " + failure);
            }
        });
        passing.setDaemon(true);
        passing.start();
    }
}
