package shop;

import java.util.List;

public final class Order {
    private final List<String> lines;

    public Order(List<String> lines) {
        this.lines = List.copyOf(lines);
    }

    public void print() {
        System.out.println(lines);
        System.err.printf("%d lines%n", lines.size());
        System.out.flush();
    }

    public int price(String line) {
        try {
            return Integer.parseInt(line);
        } catch (NumberFormatException ignored) {
            
        }
        return 0;
    }
}
