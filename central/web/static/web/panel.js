"use strict";
// The panel on an identifier of a file: what it means and where it is used. A pointer that rests on
// it, the focus, Enter or a tap open it; Escape closes it. Without this file identifiers are links.

(() => {
  const REST_MS = 400;
  const LEAVE_MS = 300;
  const KEPT = 200; // panels, so that none is asked for twice
  const area = document.querySelector("[data-panels]");
  const code = area?.querySelector("pre.code");
  if (!code) return;

  const panel = document.createElement("div");
  panel.id = "panel";
  panel.className = "panel";
  panel.hidden = true;
  panel.setAttribute("role", "dialog");
  panel.setAttribute("aria-labelledby", "panel-name");
  panel.tabIndex = -1;
  document.body.append(panel);

  const kept = new Map();
  let open = null; // the link whose panel is shown
  let dismissed = null; // the one whose panel Escape closed: it does not open again by itself
  let request = null;
  let timer = 0;
  let pointer = "mouse";

  const identifier = (target) => target.closest?.(".code-line a:not(.code-number, .blame)") ?? null;

  // Line and column in characters; a hidden character is shown as its code point.
  const addressOf = (link) => {
    const line = link.closest(".code-line");
    const before = document.createRange();
    before.setStartAfter(line.querySelector(".code-number"));
    before.setEndBefore(link);
    const text = before.cloneContents();
    for (const one of text.querySelectorAll(".hidden-character")) one.textContent = " ";
    return `${area.dataset.panels}${line.id.slice(1)}/${[...text.textContent].length}${area.dataset.panelsQuery}`;
  };

  const later = (milliseconds, then) => {
    clearTimeout(timer);
    timer = setTimeout(then, milliseconds);
  };

  const close = () => {
    clearTimeout(timer);
    request?.abort();
    request = null;
    open?.removeAttribute("aria-expanded");
    open = null;
    panel.hidden = true;
  };

  const place = (link) => {
    const around = link.getClientRects()[0];
    const [width, height] = [panel.offsetWidth, panel.offsetHeight];
    const left = Math.max(8, Math.min(around.left, document.documentElement.clientWidth - width - 8));
    const isAbove = around.bottom + height + 12 > innerHeight && around.top > height + 12;
    const top = isAbove ? around.top - height - 4 : around.bottom + 4;
    panel.style.setProperty("--left", `${left + scrollX}px`);
    panel.style.setProperty("--top", `${top + scrollY}px`);
    const below = panel.getBoundingClientRect(); // on a phone it is at the bottom, maybe over the link
    if (below.top < around.bottom && around.top < below.bottom) link.scrollIntoView({ block: "start" });
  };

  const say = (text) => {
    const said = document.createElement("p");
    said.id = "panel-name";
    said.textContent = text;
    panel.replaceChildren(closer(), said);
  };

  const closer = () => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "panel-close";
    button.textContent = "✕";
    button.setAttribute("aria-label", "Close");
    button.addEventListener("click", dismiss);
    return button;
  };

  const dismiss = () => {
    const link = open;
    const hadFocus = panel.contains(document.activeElement);
    close();
    dismissed = link;
    if (hadFocus) link?.focus({ preventScroll: true });
  };

  const explain = (response) =>
    response.redirected
      ? "You are no longer signed in. Load the page again."
      : response.status === 429
        ? "Too many were asked for. Wait a moment, or follow the link."
        : `The service does not answer this (HTTP ${response.status}). Follow the link instead.`;

  const body = async (address, signal) => {
    if (kept.has(address)) return kept.get(address);
    const response = await fetch(address, { signal, headers: { "X-Requested-With": "fetch" } });
    const text = await response.text();
    const found = new DOMParser().parseFromString(text, "text/html").querySelector("[data-panel]");
    if (!found) throw new Error(explain(response));
    if (kept.size >= KEPT) kept.delete(kept.keys().next().value);
    kept.set(address, found);
    return found;
  };

  const show = async (link, takesFocus) => {
    clearTimeout(timer);
    if (open !== link) {
      close();
      open = link;
      link.setAttribute("aria-haspopup", "dialog");
      link.setAttribute("aria-controls", panel.id);
      link.setAttribute("aria-expanded", "true");
      panel.hidden = false;
      say("Looking it up …");
      place(link);
      request = new AbortController();
      const { signal } = request;
      try {
        const found = await body(addressOf(link), signal);
        if (signal.aborted) return;
        panel.replaceChildren(closer(), document.importNode(found, true));
      } catch (error) {
        if (signal.aborted) return;
        say(error instanceof TypeError ? "The service cannot be reached. Try again." : error.message);
      }
      panel.scrollTop = 0;
      place(link);
    }
    if (takesFocus) (panel.querySelector("[data-panel] a:not(.code-number)") ?? panel).focus({ preventScroll: true });
  };

  const isInside = () => panel.contains(document.activeElement);

  code.addEventListener("pointerover", (event) => {
    const link = identifier(event.target);
    if (event.pointerType !== "mouse" || !link) return;
    if (link === open) clearTimeout(timer);
    else if (link !== dismissed) later(REST_MS, () => show(link, false));
  });
  code.addEventListener("pointerout", (event) => {
    const link = identifier(event.target);
    if (event.pointerType !== "mouse" || !link || link.contains(event.relatedTarget)) return;
    if (dismissed === link) dismissed = null;
    clearTimeout(timer);
    if (open && !isInside()) later(LEAVE_MS, close);
  });
  panel.addEventListener("pointerenter", () => clearTimeout(timer));
  panel.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && !isInside()) later(LEAVE_MS, close);
  });

  code.addEventListener("focusin", (event) => {
    const link = identifier(event.target);
    if (link && link !== dismissed && link.matches(":focus-visible")) later(REST_MS, () => show(link, false));
  });
  code.addEventListener("focusout", (event) => {
    if (dismissed === event.target) dismissed = null;
    if (event.target === open && !panel.contains(event.relatedTarget)) later(LEAVE_MS, close);
    else if (!open) clearTimeout(timer);
  });
  panel.addEventListener("focusout", (event) => {
    const to = event.relatedTarget;
    if (to && to !== open && !panel.contains(to)) close();
  });

  code.addEventListener("pointerdown", (event) => (pointer = event.pointerType));
  code.addEventListener("click", (event) => {
    const link = identifier(event.target);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const isByKey = event.detail === 0;
    if (!isByKey && pointer === "mouse") return;
    event.preventDefault();
    show(link, isByKey);
  });
  document.addEventListener("pointerdown", (event) => {
    if (open && event.pointerType !== "mouse" && !panel.contains(event.target) && !identifier(event.target)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !open) return;
    event.preventDefault();
    dismiss();
  });
  panel.addEventListener("click", (event) => {
    const target = event.target.closest("a");
    if (target && target.pathname === location.pathname && target.hash) close(); // a line of this file
  });
})();
