"use strict";
// Buttons that copy a file's path or its text. They are hidden where nothing can be copied.

(() => {
  const SAID_MS = 2000;

  // Each line without its number, and what stands before it.
  const code = () =>
    [...document.querySelectorAll(".code-line")]
      .map((line) => {
        const number = line.querySelector(".code-number");
        const before = number.previousElementSibling?.textContent ?? "";
        return line.textContent.slice(before.length + number.textContent.length);
      })
      .join("");

  const say = (button, text) => {
    const label = (button.dataset.label ??= button.textContent);
    button.textContent = text;
    setTimeout(() => (button.textContent = label), SAID_MS);
  };

  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("[data-copy], [data-copy-code]")) {
    button.hidden = false;
    button.addEventListener("click", () =>
      navigator.clipboard.writeText(button.dataset.copy ?? code()).then(
        () => say(button, "Copied"),
        () => say(button, "Not allowed"),
      ),
    );
  }
})();
