package org.example.peer;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Every type there and back, and what the other side says has arrived. */
final class TypeCases {
    private final Cases cases;
    private final Corpus corpus;

    TypeCases(Cases cases, Corpus corpus) {
        this.cases = cases;
        this.corpus = corpus;
    }

    void run() {
        scalars();
        texts();
        times();
        arrays();
        collections();
        objects();
        described();
    }

    private void scalars() {
        echo("boolean", corpus::echoBoolean, true, false);
        echo("byte", corpus::echoByte, (byte) 0, (byte) 47, (byte) 48, Byte.MIN_VALUE, Byte.MAX_VALUE);
        echo("char", corpus::echoChar, Samples.CHARS);
        echo("short", corpus::echoShort, (short) 0, (short) 2047, (short) 2048, Short.MIN_VALUE, Short.MAX_VALUE);
        echo("int", corpus::echoInt, Samples.INTS);
        echo("long", corpus::echoLong, Samples.LONGS);
        echo("float", corpus::echoFloat, Samples.FLOATS);
        echo("double", corpus::echoDouble, Samples.DOUBLES);
        echo("boxed.boolean", corpus::echoBoxedBoolean, true, false, null);
        echo("boxed.byte", corpus::echoBoxedByte, Byte.MIN_VALUE, Byte.MAX_VALUE, null);
        echo("boxed.char", corpus::echoBoxedChar, 'A', '\u4e2d', null);
        echo("boxed.short", corpus::echoBoxedShort, Short.MIN_VALUE, Short.MAX_VALUE, null);
        echo("boxed.int", corpus::echoBoxedInt, 0, Integer.MIN_VALUE, null);
        echo("boxed.long", corpus::echoBoxedLong, 0L, Long.MIN_VALUE, null);
        echo("boxed.float", corpus::echoBoxedFloat, 1.1f, Float.MAX_VALUE, null);
        echo("boxed.double", corpus::echoBoxedDouble, 1.1, Double.MAX_VALUE, null);
        echo("decimal", corpus::echoBigDecimal, and(Samples.DECIMALS, null));
        echo("integer", corpus::echoBigInteger, and(Samples.INTEGERS, null));
        echo("enum", corpus::echoColour, Colour.RED, Colour.BLUE, null);
    }

    private void texts() {
        echo("string", corpus::echoString, and(Samples.STRINGS, null));
        echo("bytes", corpus::echoBytes, and(Samples.BYTES, null));
    }

    private void times() {
        LocalDate day = LocalDate.of(2024, 2, 29);
        LocalTime hour = LocalTime.of(23, 59, 58, 123_456_789);
        echo("date", corpus::echoDate, and(Samples.DATES, null));
        echo("time.local-date", corpus::echoLocalDate, day, LocalDate.of(-1, 1, 1), null);
        echo("time.local-time", corpus::echoLocalTime, hour, LocalTime.of(1, 2, 3), null);
        echo("time.local-date-time", corpus::echoLocalDateTime, LocalDateTime.of(day, hour), null);
        echo("time.instant", corpus::echoInstant, Instant.EPOCH, Instant.ofEpochSecond(-5, 7), null);
        echo("time.duration", corpus::echoDuration, Duration.ZERO, Duration.ofSeconds(3_725, 5_000_000), null);
        ZonedDateTime here = ZonedDateTime.of(day, hour, ZoneId.of("Asia/Shanghai"));
        echo("time.zoned", corpus::echoZonedDateTime, here, null);
    }

    private void arrays() {
        echo("booleans", corpus::echoBooleans, new boolean[] {true, false}, new boolean[0], null);
        echo("chars", corpus::echoChars, new char[] {'a', '\u4e2d'}, new char[0], null);
        echo("shorts", corpus::echoShorts, new short[] {1, -300}, new short[0], null);
        echo("ints", corpus::echoInts, new int[] {1, -70_000}, new int[8], new int[0], null);
        echo("longs", corpus::echoLongs, new long[] {1, Long.MIN_VALUE}, new long[0], null);
        echo("floats", corpus::echoFloats, new float[] {1.5f, 1.1f}, new float[0], null);
        echo("doubles", corpus::echoDoubles, new double[] {1.5, Math.PI}, new double[0], null);
        echo("strings", corpus::echoStrings, new String[] {"a", null, "\u4e2d"}, new String[0], null);
        echo("objects", corpus::echoObjects, Samples.mixed().toArray(), new Object[0], null);
        Item[] items = {new Item(), null, Samples.item()};
        echo("items", corpus::echoItems, items, new Item[0], null);
        echo("matrix", corpus::echoMatrix, new int[][] {{1}, {}, {2, 3}}, new int[0][], null);
    }

    private void collections() {
        echo("list", corpus::echoList, Samples.mixed(), Samples.numbers(300), Samples.list(), null);
        echo("set", corpus::echoSet, Samples.set(1, 2L, "three", null), Samples.set(), null);
        echo("map", corpus::echoMap, Samples.map(), new TreeMap<>(Map.of("a", 1)), new HashMap<>(), null);
        List<Item> items = new ArrayList<>(Arrays.asList(Samples.item(), null, Samples.hollow()));
        echo("item-list", corpus::echoItemList, items, new ArrayList<>(), null);
        Map<Integer, Item> byNumber = new HashMap<>();
        byNumber.put(-1, Samples.item());
        byNumber.put(1, null);
        echo("item-map", corpus::echoItemMap, byNumber, new HashMap<>(), null);
    }

    private void objects() {
        echo("item", corpus::echoItem, Samples.item(), Samples.hollow(), new Item(), null);
        echo("base", corpus::echoBase, Samples.item(), Samples.special(), Samples.base(), new Base(), null);
        echo("cycle", corpus::echoNode, Samples.self(), Samples.chain(3, true), Samples.chain(100, false), null);
        Item shared = Samples.hollow();
        echo("shared", corpus::echoObject, Samples.list(shared, shared));
        for (Object value : Samples.mixed()) {
            echo("object." + (value == null ? "null" : value.getClass().getSimpleName()), corpus::echoObject, value);
        }
        echo("object.Special", corpus::echoObject, Samples.special());
    }

    private void described() {
        describe("string", (Object[]) Samples.STRINGS);
        describe("bytes", (Object[]) Samples.BYTES);
        describe("int", (Object[]) Samples.INTS);
        describe("long", (Object[]) Samples.LONGS);
        describe("double", (Object[]) Samples.DOUBLES);
        describe("date", (Object[]) Samples.DATES);
        describe("decimal", (Object[]) Samples.DECIMALS);
        describe("integer", (Object[]) Samples.INTEGERS);
        describe("mixed", Samples.mixed());
        describe("set", Samples.set(1, "two", null));
        describe("map", Samples.map());
        describe("item", Samples.item(), Samples.hollow(), new Item());
        describe("special", Samples.special());
        describe("cycle", Samples.self(), Samples.chain(3, true), Samples.chain(100, false));
        Item[] typed = {Samples.item(), Samples.hollow(), new Item(), null};
        for (int i = 0; i < typed.length; i++) {
            Item item = typed[i];
            cases.answers("describe.typed-item." + i, Canonical.of(item), () -> corpus.describeItem(item));
        }
        cases.answers(
                "describe.scalars",
                Canonical.all(true, (byte) -1, '\u4e2d', (short) 300, -70_000, 5L, 1.1f, 1.1),
                () -> corpus.describeScalars(true, (byte) -1, '\u4e2d', (short) 300, -70_000, 5L, 1.1f, 1.1));
        cases.answers(
                "describe.boxed",
                Canonical.all(true, (byte) -1, '\u4e2d', (short) 300, -70_000, 5L, 1.1f, 1.1),
                () -> corpus.describeBoxed(true, (byte) -1, '\u4e2d', (short) 300, -70_000, 5L, 1.1f, 1.1));
        cases.answers(
                "describe.boxed-null",
                "null null null null null null null null",
                () -> corpus.describeBoxed(null, null, null, null, null, null, null, null));
        Item[] items = {Samples.item(), null};
        String[] words = {"a", null};
        Object[] objects = {1, "b"};
        cases.answers(
                "describe.arrays",
                Canonical.all(new int[] {1}, new long[] {2}, new double[] {3.5}, words, objects, items),
                () -> corpus.describeArrays(new int[] {1}, new long[] {2}, new double[] {3.5}, words, objects, items));
        List<Object> list = Samples.list("x", 1);
        cases.answers(
                "describe.collections",
                Canonical.all(list, Samples.set("x", 1), Samples.map()),
                () -> corpus.describeCollections(list, Samples.set("x", 1), Samples.map()));
    }

    @SafeVarargs
    private <T> void echo(String name, Echo<T> echo, T... values) {
        // A call with a null alone gives no array.
        List<T> all = values == null ? Arrays.asList((T) null) : Arrays.asList(values);
        int number = 0;
        for (T value : all) {
            cases.answers("echo." + name + "." + number++, value, () -> echo.echo(value));
        }
    }

    private void describe(String name, Object... values) {
        int number = 0;
        for (Object value : values) {
            cases.answers("describe." + name + "." + number++, Canonical.of(value), () -> corpus.describe(value));
        }
    }

    private static <T> T[] and(T[] values, T more) {
        T[] all = Arrays.copyOf(values, values.length + 1);
        all[values.length] = more;
        return all;
    }

    /** A method that answers its argument. */
    private interface Echo<T> {
        T echo(T value);
    }
}
