package org.orana.interop.governance.bench;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.example.orders.OrderService;

/** The rules that are measured, as documents under their keys. */
enum Rules {
    NONE(Collections.emptyMap()),
    CONDITIONS(conditions("method = find*,get* => zone != z3")),
    ARGUMENT(conditions("arguments[0] = vip => zone != z3")),
    TAG(tagged());

    final Map<String, String> documents;

    Rules(Map<String, String> documents) {
        this.documents = documents;
    }

    /** Five: four that are the same in every set, and {@code last}. */
    private static Map<String, String> conditions(String last) {
        String[] conditions = {
            "application = shop => region != r0",
            "host = 10.20.0.* => region != r1,r2",
            "=> host = 10.*",
            "application != crawler => env = prod",
            last,
        };
        StringBuilder document = new StringBuilder("configVersion: v3.0\nscope: service\nforce: false\nenabled: true\n"
                + "runtime: true\nkey: " + OrderService.class.getName() + "\nconditions:\n");
        for (String condition : conditions) {
            document.append("  - '").append(condition).append("'\n");
        }
        return Collections.singletonMap(OrderService.class.getName() + "::.condition-router", document.toString());
    }

    private static Map<String, String> tagged() {
        Map<String, String> documents = new HashMap<>(conditions("method = find*,get* => zone != z3"));
        documents.put(
                "order-service.tag-router",
                "configVersion: v3.0\nforce: false\nenabled: true\nruntime: true\nkey: order-service\ntags:\n"
                        + "  - name: gray\n    addresses: ['10.1.0.1:20880']\n");
        return documents;
    }
}
