"use strict";
// Recent searches and repositories of a person in an organisation, kept in this browser alone: a
// search may hold a secret. Signing out forgets them.

(() => {
  const MOST = 10;
  const PREFIX = "aeterna:";

  const read = (key) => {
    try {
      const found = JSON.parse(localStorage.getItem(PREFIX + key) ?? "[]");
      return Array.isArray(found) ? found.filter((one) => typeof one?.text === "string" && typeof one.address === "string") : [];
    } catch {
      return [];
    }
  };
  const write = (key, entries) => {
    try {
      localStorage.setItem(PREFIX + key, JSON.stringify(entries.slice(0, MOST)));
    } catch {
      // The browser keeps nothing: then there is nothing to show.
    }
  };
  const remember = (key, entry) =>
    write(key, [entry, ...read(key).filter(({ text, address }) => text !== entry.text || address !== entry.address)]);

  const linkTo = ({ text, address }) => {
    const link = document.createElement("a");
    link.href = address;
    link.textContent = text;
    const row = document.createElement("li");
    row.append(link);
    return row;
  };
  // Only addresses of this place: the storage may have been written by hand.
  const isOwn = ({ address }) => address.startsWith("?") || (address.startsWith("/o/") && !address.includes("//"));

  const list = (main) => {
    const searched = main.querySelector("[data-recent]");
    if (searched) remember(`searches/${searched.dataset.recent}`, { text: searched.dataset.text, address: location.search });
    const recent = main.querySelector("[data-recent-list]");
    if (!recent) return;
    const key = recent.dataset.recentList;
    const entries = read(`searches/${key}`).filter(isOwn);
    recent.querySelector("ul").replaceChildren(...entries.map(linkTo));
    recent.hidden = entries.length === 0;
    const opened = read(`repositories/${key}`).filter(isOwn);
    const listed = main.querySelector("[data-opened-list]");
    for (const entry of opened.reverse()) {
      const same = [...(listed?.children ?? [])].find((row) => row.querySelector("a").textContent === entry.text);
      listed?.prepend(same ?? linkTo(entry));
    }
  };

  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-recent-clear]")) return;
    const recent = event.target.closest("[data-recent-list]");
    try {
      localStorage.removeItem(`${PREFIX}searches/${recent.dataset.recentList}`);
    } catch {
      // There is nothing then.
    }
    recent.hidden = true;
    document.getElementById("q")?.focus();
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-forget]")) return;
    try {
      for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
    } catch {
      // As above.
    }
  });

  const opened = document.querySelector("[data-opened]");
  if (opened) remember(`repositories/${opened.dataset.opened}`, { text: opened.dataset.name, address: opened.dataset.address });
  list(document);
  document.addEventListener("htmx:afterSettle", () => list(document));
})();
