"use strict";
// For narrow windows: cells get the words of their column, so that site.css can put them below each
// other, and what is current in a row of links is in sight. Wide tables scroll without this file.

(() => {
  const label = (table) => {
    const words = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
    if (!words.length) return;
    for (const row of table.querySelectorAll("tbody tr")) {
      const cells = [...row.cells];
      // A heading of several rows stands in the first of them: cells are counted from the end.
      cells.forEach((cell, at) => (cell.dataset.label ??= words[words.length - cells.length + at] ?? ""));
    }
    table.classList.add("is-labelled");
  };
  const labelAll = () => document.querySelectorAll("table.table-wide").forEach(label);

  for (const link of document.querySelectorAll(".sections [aria-current], .tabs [aria-current]")) {
    const row = link.parentElement;
    row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
  }
  labelAll();
  document.addEventListener("htmx:afterSettle", labelAll);
})();
