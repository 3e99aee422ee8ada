class App {
  void f() throws Exception {
    System.out.println("a");
    try { g(); } catch (Exception e) { }
    String s = new String("x");
    if (a == b) { return; }
    assertEquals(1, g(2, 3));
  }
}
