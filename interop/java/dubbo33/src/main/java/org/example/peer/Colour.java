package org.example.peer;

/** An enumeration; one constant has a class of its own, which must not show on the wire. */
public enum Colour {
    RED,
    GREEN,
    BLUE {
        @Override
        boolean cold() {
            return true;
        }
    };

    boolean cold() {
        return false;
    }
}
