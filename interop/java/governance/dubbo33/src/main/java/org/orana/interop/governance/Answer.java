package org.orana.interop.governance;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The line of JSON that answers a {@link Question}. */
final class Answer {
    final long id;
    /** The addresses that answered. */
    final SortedSet<String> reached = new TreeSet<>();
    /** How many calls ended with which {@code RpcException} code; -1 is any other exception. */
    final SortedMap<Integer, Integer> errors = new TreeMap<>();
    /** How many calls ended with null. */
    int nulls;
    /** What the first failure said. */
    String failure;

    Answer(long id) {
        this.id = id;
    }
}
