"use strict";
// Marks the lines that the address names: #L10 or #L10-L20. A click with Shift extends them.
// Links to other addresses of the same file name them too.

(() => {
  const asked = () => {
    const found = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash);
    if (!found) return null;
    const lines = [Number(found[1]), Number(found[2] ?? found[1])];
    return { first: Math.min(...lines), last: Math.max(...lines) };
  };

  const mark = (scrolls) => {
    for (const line of document.querySelectorAll(".is-marked")) line.classList.remove("is-marked");
    const range = asked();
    for (const link of document.querySelectorAll("a[data-with-lines]")) link.hash = range ? location.hash : "";
    const first = range && document.getElementById(`L${range.first}`);
    if (!first) return;
    for (let line = first, number = range.first; line && number <= range.last; number += 1) {
      line.classList.add("is-marked");
      line = line.nextElementSibling;
    }
    if (scrolls) first.scrollIntoView({ block: range.first === range.last ? "center" : "start" });
  };

  document.addEventListener("click", (event) => {
    const number = event.target.closest?.("a.code-number");
    const range = asked();
    if (!number || !event.shiftKey || !range) return;
    event.preventDefault();
    const to = Number(number.hash.slice(2));
    const [first, last] = [Math.min(range.first, to), Math.max(range.last, to)];
    history.replaceState(null, "", `#L${first}-L${last}`);
    mark(false);
  });
  addEventListener("hashchange", () => mark(true));
  mark(true);
})();
