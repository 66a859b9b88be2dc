package org.orana.interop.frames;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/** What is called: a method for each kind of argument and result. */
public interface Shop {
    String sayHello(String name);

    void ping();

    String nothing(long number, int[] numbers);

    List<Order> orders(Order order, Map<String, Integer> counts);

    String refuse(String why) throws Refused;

    String fail(String why);

    void tell(String news);

    final class Order implements Serializable {
        public String title;
        public long id;
        public Order before;
    }

    final class Refused extends Exception {
        private final int code;

        public Refused(String message, int code) {
            super(message, null, false, false);
            this.code = code;
        }
    }
}
