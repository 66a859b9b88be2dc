package org.example.peer;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32;

/** The canonical text of a value, as {@link Corpus} defines it. */
final class Canonical {
    /** What is longer is told by its length and a check sum. */
    private static final int SHORT = 64;

    private final StringBuilder text = new StringBuilder();
    private final Map<Object, Integer> met = new IdentityHashMap<>();

    private Canonical() {}

    static String of(Object value) {
        Canonical canonical = new Canonical();
        canonical.add(value);
        return canonical.text.toString();
    }

    /** Of several values, parted by one space. */
    static String all(Object... values) {
        List<String> texts = new ArrayList<>();
        for (Object value : values) {
            texts.add(of(value));
        }
        return String.join(" ", texts);
    }

    private void add(Object value) {
        if (value == null || value instanceof Boolean || value instanceof Byte || value instanceof Short
                || value instanceof Integer) {
            text.append(value);
        } else if (value instanceof Long) {
            text.append(value).append('L');
        } else if (value instanceof Float) {
            text.append(String.format("f%08x", Float.floatToIntBits((Float) value)));
        } else if (value instanceof Double) {
            text.append(String.format("d%016x", Double.doubleToLongBits((Double) value)));
        } else if (value instanceof Character) {
            text.append(String.format("c%04x", (int) (Character) value));
        } else if (value instanceof String) {
            addString((String) value);
        } else if (value instanceof byte[]) {
            addBytes((byte[]) value);
        } else if (value instanceof Date) {
            text.append("date:").append(((Date) value).getTime());
        } else if (value instanceof BigDecimal) {
            text.append("decimal:").append(value);
        } else if (value instanceof BigInteger) {
            text.append("integer:").append(value);
        } else if (value instanceof Enum) {
            Enum<?> constant = (Enum<?>) value;
            text.append(constant.getDeclaringClass().getSimpleName()).append('.').append(constant.name());
        } else if (value.getClass().getName().startsWith("java.time.")) {
            text.append(value.getClass().getSimpleName()).append(':').append(value);
        } else if (value instanceof List) {
            addList("[", (List<?>) value, "]");
        } else if (value instanceof Set) {
            addSet((Set<?>) value);
        } else if (value instanceof Map) {
            addMap((Map<?, ?>) value);
        } else if (value.getClass().isArray()) {
            addArray(value);
        } else {
            addObject(value);
        }
    }

    private void addString(String value) {
        if (value.length() > SHORT) {
            byte[] units = value.getBytes(StandardCharsets.UTF_16BE);
            text.append("text[").append(value.length()).append(']').append(checked(units));
            return;
        }
        text.append('"');
        for (char unit : value.toCharArray()) {
            boolean plain = unit >= 0x20 && unit <= 0x7e && unit != '"' && unit != '\\';
            text.append(plain ? String.valueOf(unit) : String.format("\\u%04x", (int) unit));
        }
        text.append('"');
    }

    private void addBytes(byte[] value) {
        text.append("bytes[").append(value.length).append(']');
        if (value.length > SHORT) {
            text.append(checked(value));
            return;
        }
        for (byte b : value) {
            text.append(String.format("%02x", b));
        }
    }

    private void addList(String start, List<?> values, String end) {
        text.append(start);
        String gap = "";
        for (Object value : values) {
            text.append(gap);
            add(value);
            gap = ", ";
        }
        text.append(end);
    }

    private void addSet(Set<?> values) {
        List<String> texts = new ArrayList<>();
        for (Object value : values) {
            texts.add(of(value));
        }
        Collections.sort(texts);
        text.append("set{").append(String.join(", ", texts)).append('}');
    }

    private void addMap(Map<?, ?> values) {
        Map<String, Object> sorted = new TreeMap<>();
        values.forEach((key, value) -> sorted.put(of(key), value));
        addPairs("map{", sorted);
    }

    private void addArray(Object values) {
        List<Object> elements = new ArrayList<>();
        for (int i = 0; i < Array.getLength(values); i++) {
            elements.add(Array.get(values, i));
        }
        addList(values.getClass().getComponentType().getSimpleName() + "[", elements, "]");
    }

    private void addObject(Object value) {
        Integer number = met.get(value);
        if (number != null) {
            text.append('#').append(number);
            return;
        }
        met.put(value, met.size());
        Map<String, Object> sorted = new TreeMap<>();
        for (Class<?> type = value.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    sorted.put(field.getName(), read(field, value));
                }
            }
        }
        addPairs(value.getClass().getSimpleName() + "{", sorted);
    }

    private void addPairs(String start, Map<String, Object> pairs) {
        text.append(start);
        String gap = "";
        for (Map.Entry<String, Object> pair : pairs.entrySet()) {
            text.append(gap).append(pair.getKey()).append('=');
            add(pair.getValue());
            gap = ", ";
        }
        text.append('}');
    }

    private static Object read(Field field, Object object) {
        try {
            field.setAccessible(true);
            return field.get(object);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String checked(byte[] bytes) {
        CRC32 sum = new CRC32();
        sum.update(bytes);
        return String.format("%08x", sum.getValue());
    }
}
