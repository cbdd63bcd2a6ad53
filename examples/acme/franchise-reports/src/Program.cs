using System;
using System.Collections.Generic;
using Acme.Franchise;
using Acme.Sheets;

var report = new ShopReport(new CsvWriter());
Console.Write(report.Render(new Dictionary<string, int> { ["tea"] = 40, ["pots"] = 3 }));
