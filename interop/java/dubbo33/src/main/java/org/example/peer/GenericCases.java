package org.example.peer;

import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.rpc.RpcContext;
import org.apache.dubbo.rpc.RpcException;
import org.apache.dubbo.rpc.service.GenericService;

/** Calls by one who does not have the interface: objects are maps, or JSON. */
final class GenericCases {
    private static final int PATIENCE_MILLIS = 5_000;
    private static final String TEXT = "java.lang.String";
    private static final String OBJECT = "java.lang.Object";
    private static final String ITEM = Item.class.getName();

    private final Cases cases;
    private final Application application;

    GenericCases(Cases cases, Application application) {
        this.cases = cases;
        this.application = application;
    }

    void run() {
        GenericService corpus = service("true");
        plain(corpus);
        objects(corpus);
        overloads(corpus);
        failures(corpus);
        json(service("gson"));
    }

    private GenericService service(String form) {
        ReferenceConfig<GenericService> config = application.reference(Corpus.class);
        config.setGeneric(form);
        return config.get();
    }

    private void plain(GenericService corpus) {
        cases.answers("generic.string", "\u4e2d", () -> call(corpus, "echoString", TEXT, "\u4e2d"));
        cases.answers("generic.null", null, () -> call(corpus, "echoString", TEXT, null));
        cases.answers("generic.int", 5, () -> call(corpus, "echoInt", "int", 5));
        cases.answers("generic.long", 5L, () -> call(corpus, "echoLong", "long", 5L));
        cases.answers("generic.boxed", 5, () -> call(corpus, "echoBoxedInt", "java.lang.Integer", 5));
        cases.answers("generic.double", 1.1, () -> call(corpus, "echoDouble", "double", 1.1));
        cases.answers("generic.boolean", true, () -> call(corpus, "echoBoolean", "boolean", true));
        cases.answers("generic.date", new Date(5), () -> call(corpus, "echoDate", "java.util.Date", new Date(5)));
        cases.answers("generic.enum", "GREEN", () -> call(corpus, "echoColour", Colour.class.getName(), "GREEN"));
        int[] ints = {1, 2};
        cases.answers("generic.ints", ints, () -> call(corpus, "echoInts", "int[]", ints));
        String[] words = {"a", "b"};
        cases.answers("generic.strings", words, () -> call(corpus, "echoStrings", "java.lang.String[]", words));
        cases.answers("generic.list", Samples.list(1, "a"),
                () -> call(corpus, "echoList", "java.util.List", Samples.list(1, "a")));
        Map<Object, Object> map = new TreeMap<>(Map.of("a", 1));
        cases.answers("generic.map", map, () -> call(corpus, "echoMap", "java.util.Map", map));
        cases.answers("generic.void", null, () -> corpus.$invoke("nothing", new String[0], new Object[0]));
        cases.answers("generic.several", Canonical.all("a", 1), () -> {
            String answer = (String) corpus.$invoke("same", new String[] {TEXT, "int"}, new Object[] {"a", 1});
            return answer.substring("String,int ".length());
        });
        cases.answers("generic.future", "x",
                () -> corpus.$invoke("later", new String[] {TEXT, "int"}, new Object[] {"x", 20}));
        cases.answers("generic.async", "x", () -> corpus
                .$invokeAsync("echoString", new String[] {TEXT}, new Object[] {"x"})
                .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS));
    }

    private void objects(GenericService corpus) {
        cases.says("generic.item", ITEM + " outer 7 GREEN inner one", () -> {
            Map<?, ?> answer = (Map<?, ?>) call(corpus, "echoItem", ITEM, itemAsMap());
            Map<?, ?> inner = (Map<?, ?>) answer.get("inner");
            Map<?, ?> labels = (Map<?, ?>) answer.get("labels");
            return answer.get("class") + " " + answer.get("name") + " " + answer.get("id") + " " + answer.get("colour")
                    + " " + inner.get("name") + " " + labels.values().iterator().next();
        });
        cases.answers("generic.item-arrived", Canonical.of(itemAsObject()),
                () -> call(corpus, "describeItem", ITEM, itemAsMap()));
        cases.answers("generic.object-by-class", Canonical.of(itemAsObject()), () -> {
            Map<String, Object> item = itemAsMap();
            item.put("class", ITEM);
            return call(corpus, "describe", OBJECT, item);
        });
        cases.says("generic.items", "2 outer", () -> {
            Object[] items = {itemAsMap(), itemAsMap()};
            Object[] answer = (Object[]) call(corpus, "echoItems", ITEM + "[]", items);
            return answer.length + " " + ((Map<?, ?>) answer[1]).get("name");
        });
    }

    private void overloads(GenericService corpus) {
        cases.answers("generic.overload-int", "int 5", () -> call(corpus, "same", "int", 5));
        cases.answers("generic.overload-integer", "Integer 5", () -> call(corpus, "same", "java.lang.Integer", 5));
        cases.answers("generic.overload-string", "String \"a\"", () -> call(corpus, "same", TEXT, "a"));
        cases.answers("generic.overload-list", "List [1]",
                () -> call(corpus, "same", "java.util.List", Samples.list(1)));
    }

    private void failures(GenericService corpus) {
        cases.says("generic.declared", Refused.class.getName() + " no",
                () -> failure(() -> corpus.$invoke("declared", new String[] {TEXT, "int"}, new Object[] {"no", 7})));
        cases.says("generic.undeclared", "java.lang.IllegalStateException bad",
                () -> failure(() -> corpus.$invoke(
                        "undeclared", new String[] {TEXT, TEXT}, new Object[] {"state", "bad"})));
        cases.says("generic.no-such-method", "refused", () -> {
            try {
                return "the answer " + call(corpus, "noSuchMethod", TEXT, "a");
            } catch (RpcException e) {
                return e.isTimeout() ? "a timeout" : "refused";
            } catch (RuntimeException e) {
                return isGeneric(e) ? "refused" : e.toString();
            }
        });
    }

    /** The answers are JSON as well, but not those of a provider on Dubbo 2.7: there only {@code json-arrived} holds. */
    private void json(GenericService corpus) {
        cases.answers("json.string", "\"x\"", () -> callWithJson(corpus, "echoString", TEXT, "\"x\""));
        cases.answers("json.int", "5", () -> callWithJson(corpus, "echoInt", "int", "5"));
        String json = "{\"name\":\"outer\",\"id\":7,\"numbers\":[1,2],\"colour\":\"GREEN\"}";
        Item item = new Item();
        item.name = "outer";
        item.id = 7;
        item.numbers = new int[] {1, 2};
        item.colour = Colour.GREEN;
        cases.says("json-arrived.item", "as sent", () -> {
            // A JSON string, or the text itself.
            String answer = String.valueOf(callWithJson(corpus, "describeItem", ITEM, json));
            answer = answer.replace("\\\"", "\"").replace("\\u003d", "=");
            return answer.contains(Canonical.of(item)) ? "as sent" : answer;
        });
        cases.says("json.item", "has all", () -> {
            String answer = String.valueOf(callWithJson(corpus, "echoItem", ITEM, json)).replace(" ", "");
            for (String part : new String[] {"\"name\":\"outer\"", "\"id\":7", "[1,2]", "\"GREEN\""}) {
                if (!answer.contains(part)) {
                    return answer;
                }
            }
            return "has all";
        });
    }

    /** What a generic exception says about the one that was thrown. */
    private static String failure(Callable<?> call) throws Exception {
        try {
            return "the answer " + call.call();
        } catch (RuntimeException e) {
            if (!isGeneric(e)) {
                return e.toString();
            }
            Class<?> type = e.getClass();
            return type.getMethod("getExceptionClass").invoke(e) + " " + type.getMethod("getExceptionMessage").invoke(e);
        }
    }

    /** Dubbo 2.7 still throws the class of 2.6, which has another package. */
    private static boolean isGeneric(RuntimeException e) {
        return e.getClass().getSimpleName().equals("GenericException");
    }

    private static Object call(GenericService corpus, String method, String type, Object argument) {
        return corpus.$invoke(method, new String[] {type}, new Object[] {argument});
    }

    private static Object callWithJson(GenericService corpus, String method, String type, String json) {
        // Dubbo 2.7 says it only of a provider that is called directly.
        RpcContext.getContext().setAttachment("generic", "gson");
        return call(corpus, method, type, json);
    }

    private static Item itemAsObject() {
        Item inner = new Item();
        inner.name = "inner";
        Item item = new Item();
        item.name = "outer";
        item.id = 7;
        item.colour = Colour.GREEN;
        item.numbers = new int[] {1, 2};
        item.labels = new HashMap<>(Map.of(1, "one"));
        item.inner = inner;
        return item;
    }

    private static Map<String, Object> itemAsMap() {
        Map<String, Object> inner = new LinkedHashMap<>();
        inner.put("name", "inner");
        Map<String, Object> item = new LinkedHashMap<>();
        item.put("name", "outer");
        item.put("id", 7L);
        item.put("colour", "GREEN");
        item.put("numbers", new int[] {1, 2});
        // In a TreeMap Dubbo would look for a key `class`, and compare it with the numbers.
        item.put("labels", new HashMap<>(Map.of(1, "one")));
        item.put("inner", inner);
        return item;
    }
}
