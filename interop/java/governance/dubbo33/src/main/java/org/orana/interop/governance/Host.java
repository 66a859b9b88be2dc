package org.orana.interop.governance;

import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.dubbo.common.utils.NetUtils;

/** The address that this program has in the eyes of rules. */
final class Host {
    private Host() {}

    /** Whatever the machine's interfaces say; Dubbo would take the first that others can reach. */
    static void is(String address) throws ReflectiveOperationException, UnknownHostException {
        InetAddress own = InetAddress.getByName(address);
        set("LOCAL_ADDRESS", own);
        set("HOST_ADDRESS", own.getHostAddress());
    }

    private static void set(String name, Object value) throws ReflectiveOperationException {
        Field field = NetUtils.class.getDeclaredField(name);
        field.setAccessible(true);
        field.set(null, value);
    }
}
