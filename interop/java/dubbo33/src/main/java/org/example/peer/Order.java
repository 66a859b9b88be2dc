package org.example.peer;

import java.io.Serializable;
import java.util.Date;
import java.util.List;

/** An object as applications pass them; that of {@link EchoLoad} takes about a kilobyte on the wire. */
public class Order implements Serializable {
    private static final long serialVersionUID = 1;

    public long id;
    public String number;
    public Date placed;
    public boolean paid;
    public int priority;
    public double total;
    public String currency;
    public Long couponId;
    public String note;
    public Customer customer;
    public Address shipTo;
    public Address billTo;
    public List<String> tags;
    public List<Line> lines;
    public int[] history;

    /** Who ordered. */
    public static class Customer implements Serializable {
        private static final long serialVersionUID = 1;

        public long id;
        public String name;
        public String email;
    }

    /** Where to. */
    public static class Address implements Serializable {
        private static final long serialVersionUID = 1;

        public String street;
        public String city;
        public String zip;
        public String country;
    }

    /** What. */
    public static class Line implements Serializable {
        private static final long serialVersionUID = 1;

        public String sku;
        public String title;
        public int quantity;
        public double price;
    }
}
