"use strict";
// Path and definition of the first line in sight, above the code of a file. Its parts are links.

(() => {
  const where = document.querySelector("[data-where]");
  const shown = where?.querySelector("[data-where-symbol]");
  const heading = document.querySelector("h1");
  const code = document.querySelector("pre.code");
  if (!code || !heading || !shown) return;

  // In the order of the file, what encloses before what it encloses.
  const outline = [...document.querySelectorAll("[data-lines]")].map((entry) => {
    const [first, last] = entry.dataset.lines.split(" ").map(Number);
    return { entry, first, last, link: entry.querySelector("a") };
  });
  const lineHeight = () => code.querySelector(".code-line").getBoundingClientRect().height || 1;

  let before = "";
  const update = () => {
    const isBelow = heading.getBoundingClientRect().bottom < 0;
    where.hidden = !isBelow;
    if (!isBelow) return;
    const edge = where.getBoundingClientRect().bottom;
    const top = code.querySelector(".code-line").getBoundingClientRect().top;
    const line = Math.max(1, Math.floor((edge - top) / lineHeight()) + 1);
    const around = outline.filter(({ first, last }) => first <= line && line <= last);
    const key = around.map(({ first }) => first).join();
    if (key === before) return;
    before = key;
    for (const { entry } of outline) entry.classList.remove("is-here");
    around.at(-1)?.entry.classList.add("is-here");
    shown.replaceChildren(
      ...around.map(({ link }) => {
        const copy = document.createElement("a");
        copy.href = link.hash;
        copy.textContent = link.textContent;
        return copy;
      }),
    );
  };

  let asked = false;
  const soon = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      update();
    });
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);
  update();
})();
