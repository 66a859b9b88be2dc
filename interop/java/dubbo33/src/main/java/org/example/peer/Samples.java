package org.example.peer;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The values of the corpus: what is usual, and both sides of every border of the format. */
final class Samples {
    static final Integer[] INTS = {
        0, 1, -1, -16, -17, 47, 48, -2048, -2049, 2047, 2048, -262144, -262145, 262143, 262144, Integer.MIN_VALUE,
        Integer.MAX_VALUE
    };
    static final Long[] LONGS = {
        0L, -8L, -9L, 15L, 16L, -2048L, -2049L, 2047L, 2048L, -262144L, -262145L, 262143L, 262144L,
        (long) Integer.MIN_VALUE, (long) Integer.MAX_VALUE, Integer.MIN_VALUE - 1L, Integer.MAX_VALUE + 1L, Long.MIN_VALUE,
        Long.MAX_VALUE
    };
    /** Without -0.0: Java itself writes that as 0.0. */
    static final Double[] DOUBLES = {
        0.0, 1.0, -1.0, -128.0, -129.0, 127.0, 128.0, -32768.0, -32769.0, 32767.0, 32768.0, 12.25, -1.5, 65.536, 0.001,
        Math.PI, 1e-9, 1e300, Double.MIN_VALUE, Double.MAX_VALUE, Double.NaN, Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY
    };
    static final Float[] FLOATS = {
        0f, 1f, -1.5f, 1.1f, 0.1f, 16777217f, Float.MIN_VALUE, Float.MAX_VALUE, Float.NaN, Float.POSITIVE_INFINITY
    };
    static final Character[] CHARS = {'A', '\0', '"', '\u00e9', '\u4e2d', '\ufffd'};
    static final String[] STRINGS = {
        "",
        "a",
        "nul \0, quote \", backslash \\, line \n end",
        "\u4f60\u597d\uff0c\u4e16\u754c",
        "\ud83d\ude00 \ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67",
        times("x", 31),
        times("x", 32),
        times("x", 1023),
        times("x", 1024),
        // A pair of surrogates across the border of two chunks.
        times("x", 32767) + "\ud83d\ude00",
        times("x", 32768),
        times("\u4e2d", 32769),
        times("\ud83d\ude00", 20_000),
        times("0123456789abcdef", 5 * 65_536),
    };
    static final byte[][] BYTES = {
        bytes(0), bytes(1), bytes(15), bytes(16), bytes(1023), bytes(1024), bytes(8192), bytes(70_000), bytes(5 << 20)
    };
    static final Date[] DATES = {
        new Date(0), new Date(-1), new Date(1), new Date(894_621_060_000L), new Date(894_621_091_123L),
        new Date(-62_135_596_800_000L), new Date(253_402_300_799_999L)
    };
    static final BigDecimal[] DECIMALS = {
        BigDecimal.ZERO, new BigDecimal("1.50"), new BigDecimal("-0.000001"), new BigDecimal("1E+30"),
        new BigDecimal("123456789012345678901234567890.123456789")
    };
    static final BigInteger[] INTEGERS = {
        BigInteger.ZERO, BigInteger.ONE, new BigInteger("-1"), new BigInteger("255"), BigInteger.ONE.shiftLeft(64),
        BigInteger.ONE.shiftLeft(200).negate().add(BigInteger.TEN)
    };

    private Samples() {}

    static String times(String text, int times) {
        return text.repeat(times);
    }

    static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + 7);
        }
        return bytes;
    }

    /** One of each that the wire can tell apart when nobody says what to expect. */
    static List<Object> mixed() {
        Map<Object, Object> inner = new LinkedHashMap<>();
        inner.put("k", list(1, 2L));
        return list(
                null, true, 1, 2L, 1.5, "\u4e2d", bytes(3), new Date(894_621_091_123L), new BigDecimal("1.50"),
                new BigInteger("255"), Colour.RED, Colour.BLUE, Colour.RED, item(), list("nested", list()), inner,
                new int[] {1, 2}, new String[] {"a", null}, LocalDate.of(2024, 2, 29));
    }

    static List<Object> list(Object... values) {
        return new ArrayList<>(Arrays.asList(values));
    }

    static List<Object> numbers(int size) {
        List<Object> numbers = new LinkedList<>();
        for (int i = 0; i < size; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    static Set<Object> set(Object... values) {
        return new LinkedHashSet<>(Arrays.asList(values));
    }

    /** Keys of many types. */
    static Map<Object, Object> map() {
        Map<Object, Object> map = new HashMap<>();
        map.put(1, "int");
        map.put(2L, "long");
        map.put(1.5, null);
        map.put(true, list("true"));
        map.put("text", 3);
        map.put(null, "null");
        map.put(new Date(60_000), new byte[] {1});
        map.put(Colour.GREEN, item());
        map.put(new BigDecimal("0.10"), new TreeMap<>(Map.of("b", 1, "a", 2)));
        return map;
    }

    /** All fields set. */
    static Item item() {
        Item inner = new Item();
        inner.name = "inner";
        inner.id = -5;
        Item item = new Item();
        item.id = 1L << 40;
        item.note = "of the parent";
        item.flag = true;
        item.small = -3;
        item.medium = 300;
        item.count = 70_000;
        item.letter = '\u4e2d';
        item.price = 19.99;
        item.boxed = 7;
        item.big = 8L;
        item.ratio = 0.5;
        item.name = "outer \ud83d\ude00";
        item.made = new Date(894_621_091_123L);
        item.cost = new BigDecimal("12.340");
        item.huge = BigInteger.TEN.pow(30);
        item.colour = Colour.BLUE;
        item.day = LocalDate.of(2024, 2, 29);
        item.raw = bytes(20);
        item.numbers = new int[] {1, -2, 3};
        item.words = new String[] {"one", null, "three"};
        item.tags = new ArrayList<>(Arrays.asList("red", "\u7ea2"));
        item.marks = new HashSet<>(Arrays.asList(3, 1, 2));
        item.labels = new HashMap<>();
        item.labels.put(1, "one");
        item.labels.put(-1, null);
        item.inner = inner;
        item.parts = new ArrayList<>(Arrays.asList(new Item(), null));
        return item;
    }

    /** Collections and arrays there, but empty. */
    static Item hollow() {
        Item item = new Item();
        item.raw = new byte[0];
        item.numbers = new int[0];
        item.words = new String[0];
        item.tags = new ArrayList<>();
        item.marks = new HashSet<>();
        item.labels = new HashMap<>();
        item.parts = new ArrayList<>();
        item.name = "";
        return item;
    }

    static Base base() {
        Base base = new Base();
        base.id = 1L << 33;
        base.note = "alone";
        return base;
    }

    static Special special() {
        Special special = new Special();
        special.id = 9;
        special.note = "\u7279";
        special.extra = "more";
        return special;
    }

    /** One that refers to itself in every way. */
    static Node self() {
        Node node = new Node();
        node.name = "self";
        node.self = node;
        node.next = node;
        node.others.add(node);
        return node;
    }

    /** So many in a row, closed to a ring or not; each knows itself. */
    static Node chain(int length, boolean closed) {
        Node first = new Node();
        Node last = first;
        for (int i = 0; i < length; i++) {
            last.name = "n" + i;
            last.self = last;
            if (i + 1 < length) {
                last.next = new Node();
                last.others.add(first);
                last = last.next;
            }
        }
        last.next = closed ? first : null;
        return first;
    }
}
