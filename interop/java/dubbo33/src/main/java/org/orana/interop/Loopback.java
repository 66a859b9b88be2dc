package org.orana.interop;

import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.dubbo.common.utils.NetUtils;

/** The only address that programs here may show. */
public final class Loopback {
    private Loopback() {}

    /** Dubbo refuses to advertise a loopback address, whatever is configured; here there must be no other. */
    public static void advertise() throws ReflectiveOperationException, UnknownHostException {
        InetAddress loopback = InetAddress.getByName("127.0.0.1");
        set("LOCAL_ADDRESS", loopback);
        set("HOST_ADDRESS", loopback.getHostAddress());
    }

    private static void set(String name, Object value) throws ReflectiveOperationException {
        Field field = NetUtils.class.getDeclaredField(name);
        field.setAccessible(true);
        field.set(null, value);
    }
}
