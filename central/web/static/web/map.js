"use strict";
// The map as a picture that moves and zooms. Without this file the table says the same.

(() => {
  const place = document.querySelector("[data-map]");
  const data = document.getElementById("map-data");
  if (!place || !data || !window.cytoscape) return;
  const { address, level, nodes, links } = JSON.parse(data.textContent);
  for (const one of [place, ...document.querySelectorAll("[data-map-tools]")]) one.hidden = false;

  const colour = (name) => {  // a canvas knows neither custom properties nor light-dark()
    const probe = document.createElement("span");
    probe.className = `map-colour-${name}`;
    place.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  const style = () => [
    {
      selector: "node",
      style: {
        label: "data(name)", "font-size": 12, color: colour("text"), "text-valign": "bottom",
        "text-margin-y": 4, "min-zoomed-font-size": 7, "background-color": colour("accent"),
        width: "data(size)", height: "data(size)",
      },
    },
    {
      selector: "edge",
      style: {
        width: "data(width)", "curve-style": "bezier", "target-arrow-shape": "triangle",
        "line-color": colour("muted"), "target-arrow-color": colour("muted"), opacity: 0.7,
      },
    },
    { selector: "edge[?lags]", style: { "line-style": "dashed", "line-color": colour("warn"), "target-arrow-color": colour("warn") } },
    { selector: "edge[?cycle]", style: { "line-color": colour("bad"), "target-arrow-color": colour("bad") } },
    { selector: ".is-dim", style: { opacity: 0.12 } },
  ];

  const onCircle = (index) => {  // nodes that begin at one place would be moved apart by chance
    const angle = (2 * Math.PI * index) / nodes.length;
    return { x: 500 * Math.cos(angle), y: 500 * Math.sin(angle) };
  };
  const map = window.cytoscape({
    container: place,
    elements: [
      ...nodes.map((one, index) => ({
        data: { ...one, size: 14 + 6 * Math.log2(1 + one.users) }, position: onCircle(index),
      })),
      ...links.map((one) => ({ data: { ...one, width: 1 + Math.log10(1 + one.weight) } })),
    ],
    style: style(),
    layout: { name: "cose", animate: false, randomize: false, nodeDimensionsIncludeLabels: true },
    maxZoom: 4, minZoom: 0.05,
  });

  map.on("mouseover", "node", ({ target }) => {
    map.elements().not(target.closedNeighborhood()).addClass("is-dim");
  });
  map.on("mouseout", "node", () => map.elements().removeClass("is-dim"));
  map.on("tap", "node", ({ target }) => {
    const query = new URLSearchParams({ project: target.data("project"), level });
    location.assign(`${address}?${query}`);
  });
  const zooms = { in: 1.4, out: 1 / 1.4 };
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      const by = zooms[button.dataset.zoom];
      if (!by) return map.fit(undefined, 20);
      map.zoom({ level: map.zoom() * by, renderedPosition: { x: place.clientWidth / 2, y: place.clientHeight / 2 } });
    });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => map.style(style()));
})();
