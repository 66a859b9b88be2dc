package org.orana.interop.governance;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a program was told on its command line: {@code --key value} pairs; {@code --param key=value} may be said often. */
final class Flags {
    private final Map<String, String> values = new HashMap<>();
    private final Map<String, String> parameters = new LinkedHashMap<>();

    Flags(String[] args) {
        for (int i = 0; i < args.length; i += 2) {
            if (!args[i].startsWith("--") || i + 1 == args.length) {
                throw new IllegalArgumentException("`" + args[i] + "` is not `--key value`");
            }
            if (args[i].equals("--param")) {
                String[] pair = args[i + 1].split("=", 2);
                parameters.put(pair[0], pair[1]);
            } else {
                values.put(args[i].substring(2), args[i + 1]);
            }
        }
    }

    /** Null if it was not given. */
    String text(String key) {
        return values.get(key);
    }

    String text(String key, String otherwise) {
        return values.getOrDefault(key, otherwise);
    }

    /** The parameters of the consumer's URL. */
    Map<String, String> parameters() {
        return parameters;
    }
}
