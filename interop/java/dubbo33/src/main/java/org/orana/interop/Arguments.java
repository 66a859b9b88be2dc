package org.orana.interop;

import java.util.HashMap;
import java.util.Map;

/** The program's arguments: a role, then {@code key=value} pairs. */
final class Arguments {
    final String role;
    private final Map<String, String> values = new HashMap<>();

    Arguments(String[] args) {
        role = args[0];
        for (int i = 1; i < args.length; i++) {
            String[] pair = args[i].split("=", 2);
            values.put(pair[0], pair[1]);
        }
    }

    String text(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("the argument " + key + "=... is missing");
        }
        return value;
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

    boolean on(String key, boolean otherwise) {
        String value = values.get(key);
        return value == null ? otherwise : value.equals("on");
    }
}
