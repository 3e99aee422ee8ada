class A { void F() { Console.WriteLine("a"); var x = new Random(); throw new Exception("b"); } }
