using System.Collections.Generic;

namespace Acme.Sheets;

/// <summary>A table with a heading. Rows are as long as the heading.</summary>
public sealed class Sheet
{
    private readonly List<IReadOnlyList<string>> rows = new();

    public Sheet(params string[] heading)
    {
        Heading = heading;
    }

    public IReadOnlyList<string> Heading { get; }

    public IReadOnlyList<IReadOnlyList<string>> Rows => rows;

    /// <summary>Appends a row; missing cells at its end stay empty.</summary>
    public Sheet AddRow(params string[] cells)
    {
        rows.Add(Cells.Pad(cells, Heading.Count));
        return this;
    }
}
