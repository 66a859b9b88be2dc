package org.example.peer;

import java.io.Serializable;

/** A parent class; its fields travel with those of its children. */
public class Base implements Serializable {
    private static final long serialVersionUID = 1;

    public long id;
    public String note;
}
