package org.example;

import java.util.List;
import java.util.function.*;
import static org.example.Tools.check;

/** A box. */
public class Sample extends Base implements Sized {
    private final List<String> items = new ArrayList<>();

    public Sample(int n) { super(n); }

    @Override
    public int size() { return items.size() + check(1); }

    enum Kind { A, B }
    interface Inner { void run(); }
    record Pair(int a, int b) {}
}
