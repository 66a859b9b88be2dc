package org.orana.interop.hessian;

import java.io.Serializable;
import java.math.BigDecimal;
import java.util.Date;
import java.util.List;
import java.util.Map;

/** What an application's own classes look like. */
final class Beans {
    private Beans() {}

    enum Colour {
        RED,
        GREEN,
        /** A constant with a class of its own. */
        BLUE {
            @Override
            boolean cold() {
                return true;
            }
        };

        boolean cold() {
            return false;
        }
    }

    static class Base implements Serializable {
        long id;
        String note;
    }

    static class Item extends Base {
        String name;
        int count;
        double price;
        boolean sold;
        byte small;
        short medium;
        char letter = 'x';
        Integer boxed;
        Date made;
        BigDecimal cost;
        Colour colour;
        byte[] raw;
        int[] numbers;
        List<String> tags;
        Map<Integer, String> labels;
    }

    static class Link implements Serializable {
        Link next;
        int number;

        Link(int number) {
            this.number = number;
        }
    }

    static class Order implements Serializable {
        String title;
        Line first;
        List<Line> lines;
    }

    static class Line implements Serializable {
        Order order;
        int number;

        Line(Order order, int number) {
            this.order = order;
            this.number = number;
        }
    }

    static class Refused extends Exception {
        int code;
        String detail;

        Refused(String message, int code, String detail) {
            super(message);
            this.code = code;
            this.detail = detail;
        }
    }
}
