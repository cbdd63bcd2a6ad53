using System.Collections.Generic;
using Acme.Sheets;

namespace Acme.Franchise;

/// <summary>One shop's month.</summary>
public sealed class ShopReport
{
    private readonly SheetWriter writer;

    public ShopReport(SheetWriter writer)
    {
        this.writer = writer;
    }

    /// <summary>The pieces sold by article, as the owner gets them.</summary>
    public string Render(IEnumerable<KeyValuePair<string, int>> sold)
    {
        var sheet = new Sheet("article", "pieces");
        foreach (var (article, pieces) in sold)
        {
            sheet.AddRow(article, pieces.ToString());
        }
        using var text = new System.IO.StringWriter();
        writer.Write(sheet, text);
        return text.ToString();
    }
}
