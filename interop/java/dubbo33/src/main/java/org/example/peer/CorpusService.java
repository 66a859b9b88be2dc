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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import io.netty.handler.codec.DecoderException;
import org.apache.dubbo.rpc.RpcContext;

/** {@link Corpus} as it is meant. */
final class CorpusService implements Corpus {
    private final Map<String, Integer> notices = new ConcurrentHashMap<>();

    @Override
    public boolean echoBoolean(boolean x) {
        return x;
    }

    @Override
    public byte echoByte(byte x) {
        return x;
    }

    @Override
    public char echoChar(char x) {
        return x;
    }

    @Override
    public short echoShort(short x) {
        return x;
    }

    @Override
    public int echoInt(int x) {
        return x;
    }

    @Override
    public long echoLong(long x) {
        return x;
    }

    @Override
    public float echoFloat(float x) {
        return x;
    }

    @Override
    public double echoDouble(double x) {
        return x;
    }

    @Override
    public Boolean echoBoxedBoolean(Boolean x) {
        return x;
    }

    @Override
    public Byte echoBoxedByte(Byte x) {
        return x;
    }

    @Override
    public Character echoBoxedChar(Character x) {
        return x;
    }

    @Override
    public Short echoBoxedShort(Short x) {
        return x;
    }

    @Override
    public Integer echoBoxedInt(Integer x) {
        return x;
    }

    @Override
    public Long echoBoxedLong(Long x) {
        return x;
    }

    @Override
    public Float echoBoxedFloat(Float x) {
        return x;
    }

    @Override
    public Double echoBoxedDouble(Double x) {
        return x;
    }

    @Override
    public String echoString(String x) {
        return x;
    }

    @Override
    public byte[] echoBytes(byte[] x) {
        return x;
    }

    @Override
    public Date echoDate(Date x) {
        return x;
    }

    @Override
    public BigDecimal echoBigDecimal(BigDecimal x) {
        return x;
    }

    @Override
    public BigInteger echoBigInteger(BigInteger x) {
        return x;
    }

    @Override
    public Colour echoColour(Colour x) {
        return x;
    }

    @Override
    public LocalDate echoLocalDate(LocalDate x) {
        return x;
    }

    @Override
    public LocalTime echoLocalTime(LocalTime x) {
        return x;
    }

    @Override
    public LocalDateTime echoLocalDateTime(LocalDateTime x) {
        return x;
    }

    @Override
    public Instant echoInstant(Instant x) {
        return x;
    }

    @Override
    public Duration echoDuration(Duration x) {
        return x;
    }

    @Override
    public ZonedDateTime echoZonedDateTime(ZonedDateTime x) {
        return x;
    }

    @Override
    public boolean[] echoBooleans(boolean[] x) {
        return x;
    }

    @Override
    public char[] echoChars(char[] x) {
        return x;
    }

    @Override
    public short[] echoShorts(short[] x) {
        return x;
    }

    @Override
    public int[] echoInts(int[] x) {
        return x;
    }

    @Override
    public long[] echoLongs(long[] x) {
        return x;
    }

    @Override
    public float[] echoFloats(float[] x) {
        return x;
    }

    @Override
    public double[] echoDoubles(double[] x) {
        return x;
    }

    @Override
    public String[] echoStrings(String[] x) {
        return x;
    }

    @Override
    public Object[] echoObjects(Object[] x) {
        return x;
    }

    @Override
    public Item[] echoItems(Item[] x) {
        return x;
    }

    @Override
    public int[][] echoMatrix(int[][] x) {
        return x;
    }

    @Override
    public List<Object> echoList(List<Object> x) {
        return x;
    }

    @Override
    public Set<Object> echoSet(Set<Object> x) {
        return x;
    }

    @Override
    public Map<Object, Object> echoMap(Map<Object, Object> x) {
        return x;
    }

    @Override
    public List<Item> echoItemList(List<Item> x) {
        return x;
    }

    @Override
    public Map<Integer, Item> echoItemMap(Map<Integer, Item> x) {
        return x;
    }

    @Override
    public Item echoItem(Item x) {
        return x;
    }

    @Override
    public Base echoBase(Base x) {
        return x;
    }

    @Override
    public Node echoNode(Node x) {
        return x;
    }

    @Override
    public Object echoObject(Object x) {
        return x;
    }

    @Override
    public String describe(Object x) {
        return Canonical.of(x);
    }

    @Override
    public String describeScalars(boolean a, byte b, char c, short d, int e, long f, float g, double h) {
        return Canonical.all(a, b, c, d, e, f, g, h);
    }

    @Override
    public String describeBoxed(Boolean a, Byte b, Character c, Short d, Integer e, Long f, Float g, Double h) {
        return Canonical.all(a, b, c, d, e, f, g, h);
    }

    @Override
    public String describeArrays(int[] a, long[] b, double[] c, String[] d, Object[] e, Item[] f) {
        return Canonical.all(a, b, c, d, e, f);
    }

    @Override
    public String describeCollections(List<Object> a, Set<Object> b, Map<Object, Object> c) {
        return Canonical.all(a, b, c);
    }

    @Override
    public String describeItem(Item x) {
        return Canonical.of(x);
    }


    @Override
    public String same(String x) {
        return "String " + Canonical.of(x);
    }

    @Override
    public String same(int x) {
        return "int " + x;
    }

    @Override
    public String same(Integer x) {
        return "Integer " + x;
    }

    @Override
    public String same(String x, int y) {
        return "String,int " + Canonical.all(x, y);
    }

    @Override
    public String same(List<Object> x) {
        return "List " + Canonical.of(x);
    }

    @Override
    public void nothing() {}

    @Override
    public String declared(String message, int code) throws Refused {
        throw new Refused(message, code);
    }

    @Override
    public String undeclared(String kind, String message) {
        switch (kind) {
            case "runtime":
                throw new RuntimeException(message);
            case "state":
                throw new IllegalStateException(message);
            case "foreign":
                // Neither Java's own nor from the jar of the interface: Dubbo does not let it out.
                throw new DecoderException(message);
            default:
                return "unknown kind " + kind;
        }
    }

    @Override
    public CompletableFuture<String> later(String x, int millis) {
        Supplier<String> answer = () -> x;
        return CompletableFuture.supplyAsync(answer, after(millis));
    }

    @Override
    public CompletableFuture<String> laterRefused(String message, int code) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        after(10).execute(() -> answer.completeExceptionally(new Refused(message, code)));
        return answer;
    }

    @Override
    public int slow(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return millis;
    }

    @Override
    public Map<String, String> attachments(String prefix) {
        Map<String, String> found = new HashMap<>();
        RpcContext.getContext().getAttachments().forEach((key, value) -> {
            if (key.startsWith(prefix)) {
                found.put(key, value);
                RpcContext.getServerContext().setAttachment("back." + key, value);
            }
        });
        RpcContext.getServerContext().setAttachment("back.count", String.valueOf(found.size()));
        return found;
    }

    @Override
    public void notice(String x) {
        notices.merge(x, 1, Integer::sum);
    }

    @Override
    public int noticed(String x) {
        return notices.getOrDefault(x, 0);
    }

    private static Executor after(int millis) {
        return CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
    }
}
