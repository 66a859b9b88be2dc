package org.example.peer;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An object with a field of most types, nested in itself. There is no {@code float}: Hessian of Dubbo 3.3.6 writes eight
 * bytes into such a field when it reads one.
 */
public class Item extends Base {
    private static final long serialVersionUID = 1;

    public boolean flag;
    public byte small;
    public short medium;
    public int count;
    public char letter = 'x';
    public double price;
    public Integer boxed;
    public Long big;
    public Double ratio;
    public String name;
    public Date made;
    public BigDecimal cost;
    public BigInteger huge;
    public Colour colour;
    public LocalDate day;
    public byte[] raw;
    public int[] numbers;
    public String[] words;
    public List<String> tags;
    public Set<Integer> marks;
    public Map<Integer, String> labels;
    public Item inner;
    public List<Item> parts;
}
