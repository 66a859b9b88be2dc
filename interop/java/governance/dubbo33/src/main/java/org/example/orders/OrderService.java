package org.example.orders;

/** The service that rules are about. Every method answers with the address of the provider, {@code host:port}. */
public interface OrderService {
    String find(String who);

    String findPage(String who, int page);

    String get(String id);

    String getAll();

    String list();

    /** Takes {@code millis} milliseconds. */
    String save(String order, int millis);
}
