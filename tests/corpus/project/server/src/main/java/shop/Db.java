package shop;

public final class Db {
    private static final String PASSWORD = "s3cr3t";
    // phaser:ignore-next-line no-system-out
    void log(String message) { System.out.print(message); }

    void connect() {
        String password = System.getenv("DB_PASSWORD");
        try {
            open(password);
        } catch (RuntimeException e) {
            throw new IllegalStateException(e);
        }
    }
}
