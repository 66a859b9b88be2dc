package org.example.peer;

/** A child of {@link Base} that no method's signature names: Dubbo 3.3 takes it only from the list of allowed classes. */
public class Special extends Base {
    private static final long serialVersionUID = 1;

    public String extra;
}
