using System.IO;
using System.Linq;

namespace Acme.Sheets;

/// <summary>Writes a sheet in some file format.</summary>
public abstract class SheetWriter
{
    public abstract void Write(Sheet sheet, TextWriter target);
}

/// <summary>Comma-separated values, every cell quoted.</summary>
public class CsvWriter : SheetWriter
{
    public override void Write(Sheet sheet, TextWriter target)
    {
        foreach (var row in sheet.Rows.Prepend(sheet.Heading))
        {
            target.WriteLine(string.Join(",", row.Select(Cells.Escape)));
        }
    }
}
