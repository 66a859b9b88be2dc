package org.example.peer;

/** What the speed of calls is measured with: both methods answer their argument. */
public interface Echo {
    String text(String x);

    Order order(Order x);
}
