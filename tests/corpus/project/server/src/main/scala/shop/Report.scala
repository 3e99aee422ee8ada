package shop

object Report {
  val base = "http://reports.example.com"

  def main(args: Array[String]): Unit = {
    println(base)
    Console.println(args.length)
    args.foreach(println(_)) // TODO
  }
}
