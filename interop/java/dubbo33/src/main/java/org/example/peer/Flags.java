package org.example.peer;

import java.util.HashMap;
import java.util.Map;

/** What a program was told on its command line: {@code --key value} pairs. */
final class Flags {
    private final Map<String, String> values = new HashMap<>();

    Flags(String[] args) {
        for (int i = 0; i < args.length; i += 2) {
            if (!args[i].startsWith("--") || i + 1 == args.length) {
                throw new IllegalArgumentException("`" + args[i] + "` is not `--key value`");
            }
            values.put(args[i].substring(2), args[i + 1]);
        }
    }

    /** Null if it was not given. */
    String text(String key) {
        return values.get(key);
    }

    String text(String key, String otherwise) {
        return values.getOrDefault(key, otherwise);
    }

    int number(String key, int otherwise) {
        String value = values.get(key);
        return value == null ? otherwise : Integer.parseInt(value);
    }

    boolean has(String key) {
        return values.containsKey(key);
    }
}
