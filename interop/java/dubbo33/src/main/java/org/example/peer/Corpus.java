package org.example.peer;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A method for every kind of argument, result and outcome. It is the contract between peers of all languages: whoever
 * offers it does what is said here, and whoever calls it may rely on that.
 *
 * <p>A method {@code echo…} answers its argument, null included. Since two wrongs at one end could make a right echo, a
 * method {@code describe…} answers the <em>canonical text</em> of what arrived. The texts of several arguments are parted
 * by one space. Canonical text is ASCII:
 *
 * <table>
 * <tr><td>null</td><td>{@code null}</td></tr>
 * <tr><td>boolean</td><td>{@code true}, {@code false}</td></tr>
 * <tr><td>byte, short, int</td><td>{@code -12}; inside of {@code Object} the wire does not tell them apart</td></tr>
 * <tr><td>long</td><td>{@code 12L}</td></tr>
 * <tr><td>float</td><td>{@code f3f800000}: eight hexadecimal digits, its IEEE bits</td></tr>
 * <tr><td>double</td><td>{@code d3ff0000000000000}: sixteen</td></tr>
 * <tr><td>char</td><td>{@code c0041}: its UTF-16 unit</td></tr>
 * <tr><td>String</td><td>{@code "…"}; quote, backslash and all units below 0020 or above 007e as <code>&#92;uXXXX</code>,
 *     hexadecimal in lower case. Of more than 64 UTF-16 units:
 *     {@code text[UNITS]XXXXXXXX}, the CRC-32 of its units, each high byte first</td></tr>
 * <tr><td>byte[]</td><td>{@code bytes[LENGTH]}, then its hexadecimal digits; of more than 64 bytes their CRC-32</td></tr>
 * <tr><td>Date</td><td>{@code date:MILLIS}</td></tr>
 * <tr><td>BigDecimal, BigInteger</td><td>{@code decimal:1.50}, {@code integer:-7}, as {@code toString} says it</td></tr>
 * <tr><td>enum</td><td>{@code Colour.RED}</td></tr>
 * <tr><td>java.time</td><td>{@code LocalDate:2024-02-29}: the class's simple name and ISO 8601</td></tr>
 * <tr><td>List</td><td>{@code [a, b]}</td></tr>
 * <tr><td>Set</td><td>{@code set{a, b}}, sorted by text</td></tr>
 * <tr><td>Map</td><td>{@code map{k=v, …}}, sorted by the keys' texts</td></tr>
 * <tr><td>other arrays</td><td>{@code int[a, b]}, {@code String[…]}, {@code Object[…]}, {@code Item[…]}: the element's
 *     simple name; {@code int[][int[1], int[2]]}</td></tr>
 * <tr><td>objects</td><td>{@code Item{field=…, …}}: the simple name, all fields, inherited ones too, sorted by name.
 *     Objects are numbered from 0 as they are first met; one that is met again is {@code #NUMBER}</td></tr>
 * </table>
 *
 * <p>Keys of maps and elements of sets are never objects. Methods are Java's own; a peer that has no overloads leaves
 * {@code same} out.
 */
public interface Corpus {
    // One type each.

    boolean echoBoolean(boolean x);

    byte echoByte(byte x);

    char echoChar(char x);

    short echoShort(short x);

    int echoInt(int x);

    long echoLong(long x);

    float echoFloat(float x);

    double echoDouble(double x);

    Boolean echoBoxedBoolean(Boolean x);

    Byte echoBoxedByte(Byte x);

    Character echoBoxedChar(Character x);

    Short echoBoxedShort(Short x);

    Integer echoBoxedInt(Integer x);

    Long echoBoxedLong(Long x);

    Float echoBoxedFloat(Float x);

    Double echoBoxedDouble(Double x);

    String echoString(String x);

    byte[] echoBytes(byte[] x);

    Date echoDate(Date x);

    BigDecimal echoBigDecimal(BigDecimal x);

    BigInteger echoBigInteger(BigInteger x);

    Colour echoColour(Colour x);

    LocalDate echoLocalDate(LocalDate x);

    LocalTime echoLocalTime(LocalTime x);

    LocalDateTime echoLocalDateTime(LocalDateTime x);

    Instant echoInstant(Instant x);

    Duration echoDuration(Duration x);

    ZonedDateTime echoZonedDateTime(ZonedDateTime x);

    boolean[] echoBooleans(boolean[] x);

    char[] echoChars(char[] x);

    short[] echoShorts(short[] x);

    int[] echoInts(int[] x);

    long[] echoLongs(long[] x);

    float[] echoFloats(float[] x);

    double[] echoDoubles(double[] x);

    String[] echoStrings(String[] x);

    Object[] echoObjects(Object[] x);

    Item[] echoItems(Item[] x);

    int[][] echoMatrix(int[][] x);

    List<Object> echoList(List<Object> x);

    Set<Object> echoSet(Set<Object> x);

    Map<Object, Object> echoMap(Map<Object, Object> x);

    List<Item> echoItemList(List<Item> x);

    Map<Integer, Item> echoItemMap(Map<Integer, Item> x);

    Item echoItem(Item x);

    /** Given an {@link Item} or a {@link Special}, answers that. */
    Base echoBase(Base x);

    Node echoNode(Node x);

    Object echoObject(Object x);

    // What arrived.

    String describe(Object x);

    String describeScalars(boolean a, byte b, char c, short d, int e, long f, float g, double h);

    String describeBoxed(Boolean a, Byte b, Character c, Short d, Integer e, Long f, Float g, Double h);

    String describeArrays(int[] a, long[] b, double[] c, String[] d, Object[] e, Item[] f);

    String describeCollections(List<Object> a, Set<Object> b, Map<Object, Object> c);

    String describeItem(Item x);

    // Overloads answer which of them was called and with what, as "int 5", "Integer 5", "String \"a\"", "String,int
    // \"a\" 5" and "List [1]".

    String same(String x);

    String same(int x);

    String same(Integer x);

    String same(String x, int y);

    String same(List<Object> x);

    // Outcomes.

    void nothing();

    /** Always throws {@link Refused} with that message and code. */
    String declared(String message, int code) throws Refused;

    /**
     * Always throws what the method does not declare: for the kind {@code runtime} a RuntimeException, for {@code state} an
     * IllegalStateException, both with that message; for {@code foreign} an exception of a class that the caller may not
     * have, which reaches it as a RuntimeException whose message contains that message.
     */
    String undeclared(String kind, String message);

    /** Answers the argument once {@code millis} milliseconds have passed; no thread waits for that. */
    CompletableFuture<String> later(String x, int millis);

    /** Fails after a moment with {@link Refused}. */
    CompletableFuture<String> laterRefused(String message, int code);

    /** Answers {@code millis} after that time. */
    int slow(int millis);

    /**
     * Answers the attachments of the call whose keys begin with {@code prefix}. The answer carries them too, with
     * {@code back.} before their keys, and {@code back.count}, how many they are.
     */
    Map<String, String> attachments(String prefix);

    /** Is told one way: there is no answer. */
    void notice(String x);

    /** How many notices with that text have arrived. */
    int noticed(String x);
}
