using System;
using System.Net.Http;

namespace Shop.Desktop
{
    internal static class Program
    {
        private const string Url = "http://updates.example.com/feed";

        private static void Main()
        {
            try
            {
                new HttpClient().GetAsync(Url).Wait();
            }
            catch (Exception)
            {
            }
            var password = "letmein";
            Console.WriteLine(Url);
        }
    }
}
