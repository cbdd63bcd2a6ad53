"use strict";
// Recent searches and repositories of a person in an organisation, kept in this browser alone: a
// search may hold a secret. Signing out forgets them.

(() => {
  const MOST = 10;
  const PREFIX = "aeterna:";

  const inStorage = (act) => {
    try {
      return act(localStorage);
    } catch {
      return null; // the browser keeps nothing: then there is nothing to show, or to forget
    }
  };
  const read = (key) => {
    const found = inStorage((storage) => JSON.parse(storage.getItem(PREFIX + key)));
    const isEntry = (entry) => typeof entry?.text === "string" && typeof entry.address === "string";
    return Array.isArray(found) ? found.filter(isEntry) : [];
  };
  const write = (key, entries) =>
    inStorage((storage) => storage.setItem(PREFIX + key, JSON.stringify(entries.slice(0, MOST))));
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
    inStorage((storage) => storage.removeItem(`${PREFIX}searches/${recent.dataset.recentList}`));
    recent.hidden = true;
    document.getElementById("q")?.focus();
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-forget]")) return;
    inStorage((storage) => {
      for (const key of Object.keys(storage)) if (key.startsWith(PREFIX)) storage.removeItem(key);
    });
  });

  const opened = document.querySelector("[data-opened]");
  if (opened) remember(`repositories/${opened.dataset.opened}`, { text: opened.dataset.name, address: opened.dataset.address });
  list(document);
  document.addEventListener("htmx:afterSettle", () => list(document));
})();
