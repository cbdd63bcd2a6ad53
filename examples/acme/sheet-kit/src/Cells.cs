using System;
using System.Collections.Generic;
using System.Linq;

namespace Acme.Sheets;

/// <summary>What a cell may hold.</summary>
public static class Cells
{
    /// <summary>Fills a row up with empty cells.</summary>
    public static IReadOnlyList<string> Pad(string[] cells, int width)
    {
        if (cells.Length > width)
        {
            throw new ArgumentException("the row has more cells than the heading");
        }
        return cells.Concat(Enumerable.Repeat("", width - cells.Length)).ToList();
    }

    /// <summary>Quotes a cell, and keeps spreadsheet programs from taking it for a formula.</summary>
    public static string Escape(string cell)
    {
        var harmless = cell.StartsWith('=') ? "'" + cell : cell;
        return '"' + harmless.Replace("\"", "\"\"") + '"';
    }
}
