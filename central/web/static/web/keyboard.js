"use strict";
// Short cuts; the list of them is the dialog #keys. Nothing here is needed to use a page.

(() => {
  const CHORD_MS = 1200;
  let chordUntil = 0;

  const isTyping = (element) =>
    element.isContentEditable || ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName);

  const step = (by) => {
    const results = [...document.querySelectorAll("[data-result]")];
    if (!results.length) return false;
    const at = results.indexOf(document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : results.length - 1) : at + by;
    const result = results[Math.max(0, Math.min(results.length - 1, next))];
    result.focus({ preventScroll: true });
    result.scrollIntoView({ block: "center" });
    return true;
  };

  const toSearch = () => {
    const field = document.getElementById("q");
    if (field) {
      field.focus();
      field.select();
    } else {
      document.querySelector('[data-key="s"]')?.click();
    }
    return true;
  };

  const toFinder = () => {
    const field = document.getElementById("find");
    if (!field) return go("t");
    field.focus();
    field.select();
    return true;
  };

  const showKeys = () => {
    document.getElementById("keys")?.showModal();
    return true;
  };

  const go = (key) => {
    const link = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
    link?.click();
    return Boolean(link);
  };

  const ACTIONS = {
    "/": toSearch,
    "?": showKeys,
    t: toFinder,
    j: () => step(1),
    k: () => step(-1),
    g: () => {
      chordUntil = performance.now() + CHORD_MS;
      return true;
    },
  };
  const isSearchField = (element) => element.id === "q" || element.id === "find";

  // The list is of what the field held a moment ago; otherwise the form is sent.
  const openFirstFound = (field) => {
    const found = document.getElementById("found");
    const first = found?.dataset.query === field.value ? found.querySelector("[data-result]") : null;
    first?.click();
    return Boolean(first);
  };

  const ARROWS = { ArrowDown: 1, ArrowUp: -1 };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = event.target;
    if (target.id === "find" && event.key === "Enter" && openFirstFound(target)) event.preventDefault();
    if (isSearchField(target) && event.key === "Escape") {
      event.preventDefault(); // a search field would lose its text
      target.blur();
    }
    if (isSearchField(target) && event.key === "ArrowDown" && step(1)) event.preventDefault();
    if (isTyping(target) || document.querySelector("dialog[open]")) return;
    const isChord = performance.now() < chordUntil;
    chordUntil = 0;
    // The arrows scroll a page as ever until a result has the focus.
    const arrow = target.matches?.("[data-result]") ? ARROWS[event.key] : 0;
    const done = isChord ? go(event.key) : arrow ? step(arrow) : ACTIONS[event.key]?.();
    if (done) event.preventDefault();
  });
})();
