package org.example.peer;

/** An exception that a method declares, with a field of its own. */
public class Refused extends Exception {
    private static final long serialVersionUID = 1;

    private final int code;

    public Refused(String message, int code) {
        super(message);
        this.code = code;
    }

    public int getCode() {
        return code;
    }
}
