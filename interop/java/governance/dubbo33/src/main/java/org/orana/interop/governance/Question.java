package org.orana.interop.governance;

import java.util.List;
import java.util.Map;

/** A line of JSON that asks: call this so often, and tell whom it reaches. Numbers among the arguments are ints. */
final class Question {
    long id;
    String method;
    List<Object> arguments;
    Map<String, String> attachments;
    int calls;
}
