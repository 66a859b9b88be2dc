package org.orana.interop.hessian;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Currency;
import java.util.Date;
import java.util.EnumSet;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Named values, one or several in a stream, in a fixed order. */
final class Corpus {
    private final Map<String, Object[]> values = new LinkedHashMap<>();

    static Map<String, Object[]> all() {
        Corpus corpus = new Corpus();
        corpus.scalars();
        corpus.strings();
        corpus.collections();
        corpus.objects();
        corpus.time();
        corpus.graphs();
        return corpus.values;
    }

    static Map<String, Object[]> compactTime() {
        Corpus corpus = new Corpus();
        corpus.put("local-date", LocalDate.of(2024, 2, 29));
        corpus.put("local-time", LocalTime.of(1, 2, 3, 4));
        corpus.put("local-date-time", LocalDateTime.of(2024, 2, 29, 1, 2, 3, 4));
        corpus.put("two-dates-and-a-number", LocalDate.of(1969, 12, 31), LocalDate.of(-1, 1, 1), 7);
        return corpus.values;
    }

    private void put(String name, Object... stream) {
        if (values.put(name, stream) != null) {
            throw new IllegalArgumentException("twice: " + name);
        }
    }

    private void scalars() {
        put("null", new Object[] {null});
        put("booleans", true, false);
        put("ints", 0, -16, 47, -17, 48, -2048, 2047, -2049, 2048, -262144, 262143, -262145, 262144,
                Integer.MIN_VALUE, Integer.MAX_VALUE);
        put("longs", 0L, -8L, 15L, -9L, 16L, -2048L, 2047L, -2049L, 2048L, -262144L, 262143L, -262145L, 262144L,
                (long) Integer.MIN_VALUE, (long) Integer.MAX_VALUE, (long) Integer.MIN_VALUE - 1,
                (long) Integer.MAX_VALUE + 1, Long.MIN_VALUE, Long.MAX_VALUE);
        put("doubles", 0.0, 1.0, -1.0, -128.0, 127.0, 128.0, -129.0, -32768.0, 32767.0, 32768.0, 12.25, -1.5, 65.536,
                0.001, 3.14159, 1e300, Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY);
        put("floats", 1.1f, 0.5f, -3f, 3.4028235e38f);
        put("small", (byte) -1, (short) 300, 'a', '\u4e2d');
        put("dates", new Date(0), new Date(894621060000L), new Date(894621091000L), new Date(-1), new Date(-60000),
                new Date(Long.MAX_VALUE), new Date(Integer.MAX_VALUE * 60000L), new Date((Integer.MAX_VALUE + 1L) * 60000L));
        put("binary", new byte[0], new byte[] {1, 2, 3}, zeros(15), zeros(16), zeros(1023), zeros(1024));
        put("binary-long", zeros(9000), zeros(70000));
    }

    private void strings() {
        put("strings", "", "hello", "\u0000", "\u00e9", "\u4e2d\u6587", "\uffff");
        put("surrogates", "\ud83d\ude00", "a\ud83d\ude00b\ud834\udd1e");
        put("lone-surrogates", "a\ud83d", "\ude00b");
        put("lengths", "a".repeat(31), "a".repeat(32), "a".repeat(1023), "a".repeat(1024), "\u4e2d".repeat(31));
        put("chunks", "a".repeat(32768), "b".repeat(32769), "c".repeat(70000));
        put("chunk-before-a-pair", "x".repeat(32767) + "\ud83d\ude00");
        put("chars", new Object[] {new char[] {'a', '\u00e9'}});
    }

    private void collections() {
        put("arrays", new int[] {1, 2}, new int[8], new long[] {1}, new short[] {-1}, new double[] {0.5},
                new float[] {1.1f}, new boolean[] {true, false}, new String[] {"a", null}, new Object[] {1, "a"},
                new Integer[] {1}, new int[][] {{1}, {}}, new Date[] {new Date(0)}, new Colours().both);
        put("array-list", new ArrayList<>(List.of(1, "a")), new ArrayList<>(),
                new ArrayList<>(List.of(1, 2, 3, 4, 5, 6, 7)), new ArrayList<>(List.of(1, 2, 3, 4, 5, 6, 7, 8)));
        put("lists", new LinkedList<>(List.of(1)), Arrays.asList(1L, 2L), Collections.emptyList(),
                Collections.singletonList("x"));
        put("sets", new HashSet<>(List.of(1)), new LinkedHashSet<>(List.of("b", "a")));
        put("hash-map", new HashMap<>(Map.of("a", 1)), new HashMap<>());
        put("maps", linked("a", 1, "b", null), new TreeMap<>(Map.of(2, "b", 1, "a")), linked(1L, 2.5, null, true));
        put("types-by-number", new LinkedList<>(), new LinkedList<>(), new TreeMap<>(), new TreeMap<>());
        put("nested", new ArrayList<>(List.of(new ArrayList<>(List.of(new HashMap<>(Map.of("k", new int[] {1})))))));
    }

    private void objects() {
        put("enums", Beans.Colour.RED, Beans.Colour.GREEN, Beans.Colour.RED, Beans.Colour.BLUE, TimeUnit.SECONDS);
        put("big-decimals", new BigDecimal("1.50"), new BigDecimal("-1E+30"), BigDecimal.ZERO);
        put("big-integers", BigInteger.valueOf(255), BigInteger.ZERO, BigInteger.TWO.pow(100).negate());
        put("uuid", UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"));
        put("classes", String.class, int[].class);
        put("sql", new java.sql.Timestamp(1), new java.sql.Date(0), new java.sql.Time(0));
        put("locale", Locale.CHINA, Currency.getInstance("EUR"));
        put("atomics", new AtomicInteger(3), new AtomicLong(4));
        put("bits", BitSet.valueOf(new long[] {5}), EnumSet.of(Beans.Colour.RED));
        GregorianCalendar calendar = new GregorianCalendar(java.util.TimeZone.getTimeZone("UTC"));
        calendar.setTimeInMillis(0);
        put("calendar", calendar);
        put("bean-empty", new Beans.Item());
        put("bean", item());
        put("bean-twice", item(), item());
        put("plain-object", new Object());
        put("exception", bare(new IllegalStateException("closed")));
        put("exception-without-message", bare(new RuntimeException()));
        put("exception-with-cause", bare(new Exception("boom", bare(new IllegalStateException("c")))));
        put("exception-of-its-own", bare(new Beans.Refused("no", 7, "because")));
        Exception framed = bare(new RuntimeException("framed"));
        framed.setStackTrace(new StackTraceElement[] {
            new StackTraceElement("org.example.Shop", "sell", "Shop.java", 12),
            new StackTraceElement("org.example.Native", "call", null, -2),
        });
        put("exception-with-stack", framed);
        Exception suppressing = bare(new RuntimeException("outer"));
        suppressing.addSuppressed(bare(new RuntimeException("inner")));
        put("exception-with-suppressed", suppressing);
    }

    private void time() {
        LocalDate date = LocalDate.of(2024, 2, 29);
        LocalTime time = LocalTime.of(1, 2, 3, 4);
        LocalDateTime both = date.atTime(time);
        ZoneOffset offset = ZoneOffset.ofHours(8);
        put("local-date", date);
        put("local-time", time);
        put("local-date-time", both);
        put("instant", Instant.ofEpochSecond(1, 2));
        put("duration", Duration.ofSeconds(3, 4));
        put("duration-negative", Duration.ofNanos(-1));
        put("period", Period.of(1, -2, 3));
        put("year", Year.of(2024));
        put("year-month", YearMonth.of(2024, 2));
        put("month-day", MonthDay.of(2, 29));
        put("zone-offset", offset);
        put("zone-id", ZoneId.of("Europe/Berlin"));
        put("offset-date-time", both.atOffset(offset));
        put("offset-time", OffsetTime.of(time, offset));
        put("zoned-date-time", ZonedDateTime.of(both, ZoneId.of("Europe/Berlin")));
        put("dates-in-a-list", new ArrayList<>(List.of(date, date, LocalDate.of(-1, 1, 1))));
    }

    private void graphs() {
        List<Object> self = new ArrayList<>();
        self.add(self);
        put("list-in-itself", self);
        List<Object> shared = new ArrayList<>(List.of(1));
        put("shared", shared, shared, new HashMap<>(Map.of("k", shared)));
        Beans.Link own = new Beans.Link(1);
        own.next = own;
        put("link-to-itself", own);
        Beans.Link first = new Beans.Link(1);
        first.next = new Beans.Link(2);
        first.next.next = new Beans.Link(3);
        first.next.next.next = first.next;
        put("ring-of-two-behind-one", first);
        Beans.Order order = new Beans.Order();
        order.title = "o";
        order.first = new Beans.Line(order, 1);
        order.lines = new ArrayList<>(List.of(order.first, new Beans.Line(order, 2)));
        put("order-and-lines", order);
        int[] numbers = {1};
        put("same-array-twice", numbers, numbers);
        Date day = new Date(0);
        byte[] raw = {1};
        put("same-scalar-twice", day, day, raw, raw);
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put("me", map);
        put("map-in-itself", map);
        put("twenty-classes", manyClasses());
    }

    /** Instances of more classes than have a short form. */
    private static Object[] manyClasses() {
        List<Object> stream = new ArrayList<>(List.of(
                Beans.Colour.RED, TimeUnit.DAYS, new BigDecimal("1"), UUID.fromString("0-0-0-0-1"), String.class,
                new java.sql.Timestamp(0), Locale.ROOT, Currency.getInstance("EUR"), new AtomicInteger(1),
                new AtomicLong(1), LocalDate.of(1, 1, 1), LocalTime.of(1, 1), Year.of(1), YearMonth.of(1, 1),
                MonthDay.of(1, 1), ZoneOffset.UTC, Instant.EPOCH, Duration.ZERO, Period.ZERO, new Beans.Link(1)));
        stream.addAll(List.of(new Beans.Link(2), Duration.ofSeconds(1), Instant.ofEpochSecond(1), Beans.Colour.GREEN));
        return stream.toArray();
    }

    private static Beans.Item item() {
        Beans.Item item = new Beans.Item();
        item.id = 1L << 40;
        item.note = "n";
        item.name = "\u540d";
        item.count = 3;
        item.price = 9.99;
        item.sold = true;
        item.small = -1;
        item.medium = 300;
        item.boxed = 5;
        item.made = new Date(1);
        item.cost = new BigDecimal("9.99");
        item.colour = Beans.Colour.RED;
        item.raw = new byte[] {1, 2};
        item.numbers = new int[] {1, 2, 3};
        item.tags = new ArrayList<>(List.of("a", "b"));
        item.labels = new HashMap<>(Map.of(1, "one"));
        return item;
    }

    private static final class Colours {
        final Beans.Colour[] both = {Beans.Colour.RED, Beans.Colour.GREEN};
    }

    /** Where it was made would be another place after each change of this file. */
    private static <T extends Throwable> T bare(T throwable) {
        throwable.setStackTrace(new StackTraceElement[0]);
        return throwable;
    }

    private static Map<Object, Object> linked(Object... keysAndValues) {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (int at = 0; at < keysAndValues.length; at += 2) {
            map.put(keysAndValues[at], keysAndValues[at + 1]);
        }
        return map;
    }

    private static byte[] zeros(int length) {
        return new byte[length];
    }
}
