package org.example.peer;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** A link of a chain or a ring; {@code self} is meant to refer to the node itself. */
public class Node implements Serializable {
    private static final long serialVersionUID = 1;

    public String name;
    public Node self;
    public Node next;
    public List<Node> others = new ArrayList<>();
}
