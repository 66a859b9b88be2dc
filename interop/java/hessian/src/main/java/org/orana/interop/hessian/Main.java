package org.orana.interop.hessian;

import com.alibaba.com.caucho.hessian.io.Hessian2Input;
import com.alibaba.com.caucho.hessian.io.Hessian2Output;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * {@code golden}: a line for each named stream of the corpus, its bytes in hexadecimal, long runs as {@code (61*32768)}.
 * {@code golden-compact}: the same for the compact form of java.time, which the property of that name switches on.
 * {@code echo}: reads streams in hexadecimal, a line each, and answers with what it writes after reading them:
 * {@code ok HEX}, or {@code error CLASS: MESSAGE}.
 */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        switch (arguments.length == 1 ? arguments[0] : "") {
            case "golden" -> golden(Corpus.all(), out);
            case "golden-compact" -> golden(Corpus.compactTime(), out);
            case "echo" -> echo(out);
            default -> throw new IllegalArgumentException("golden, golden-compact or echo");
        }
    }

    private static void golden(Map<String, Object[]> corpus, PrintStream out) throws IOException {
        for (Map.Entry<String, Object[]> entry : corpus.entrySet()) {
            String line;
            try {
                line = entry.getKey() + " " + runs(write(entry.getValue()));
            } catch (Exception refusal) {
                line = "# " + entry.getKey() + " is refused: " + refusal.getClass().getName();
            }
            out.println(line);
        }
    }

    private static void echo(PrintStream out) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                byte[] written = write(read(HexFormat.of().parseHex(line)));
                answer = "ok " + HexFormat.of().formatHex(written);
            } catch (Exception | StackOverflowError failure) {
                answer = ("error " + failure).replaceAll("[\r\n]+", " ");
            }
            out.println(answer);
        }
    }

    private static byte[] write(Object[] stream) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Hessian2Output out = new Hessian2Output(bytes);
        for (Object value : stream) {
            out.writeObject(value);
        }
        out.flush();
        return bytes.toByteArray();
    }

    private static Object[] read(byte[] bytes) throws IOException {
        ByteArrayInputStream rest = new ByteArrayInputStream(bytes);
        Hessian2Input in = new Hessian2Input(rest);
        List<Object> stream = new ArrayList<>();
        while (!in.isEnd()) {
            stream.add(in.readObject());
        }
        return stream.toArray();
    }

    /** Hexadecimal, with every run of more than 64 equal bytes written once. */
    private static String runs(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < bytes.length; ) {
            int end = at;
            while (end < bytes.length && bytes[end] == bytes[at]) {
                end++;
            }
            String one = HexFormat.of().toHexDigits(bytes[at]);
            text.append(end - at > 64 ? "(" + one + "*" + (end - at) + ")" : one.repeat(end - at));
            at = end;
        }
        return text.toString();
    }
}
