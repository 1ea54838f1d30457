using System;
using System.Collections.Generic;

namespace App.Core
{
    /// <summary>A box.</summary>
    public class Sample : Base
    {
        private int count;
        public int Size { get; set; }
        public Sample(int n) { count = n; }
        public void Put(string item) { Console.WriteLine(item); Check<int>(new Other()); }
    }
    public interface ISized { int Measure(); }
    public enum Kind { A, B }
    public record Pair(int A, int B);
}
