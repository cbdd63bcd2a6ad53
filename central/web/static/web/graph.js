"use strict";
// The call graph: dagre places its boxes; what a node is joined to lights up, the view box moves,
// arrow keys follow lines. Without this file the table says the same.

(() => {
  const figure = document.querySelector("[data-picture]");
  const svg = document.querySelector("[data-graph]");
  if (!figure || !svg || !window.dagre) return;
  figure.hidden = false;

  const nodes = [...svg.querySelectorAll(".node")];
  const edges = [...svg.querySelectorAll(".edge")].map((line) => ({
    line, from: Number(line.dataset.from), to: Number(line.dataset.to),
  }));

  // --- Where it stands --------------------------------------------------------------------------

  const [width, height] = [212, 44];
  const level = (number) => Number(nodes[number].dataset.level);
  const ends = ({ from, to }) => (level(from) <= level(to) ? [from, to] : [to, from]);
  const graph = new window.dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 12, edgesep: 8, ranksep: 112, marginx: 24, marginy: 24 });
  nodes.forEach((_, number) => graph.setNode(String(number), { width, height }));
  edges.forEach((edge, index) => {  // always to the right: what goes back is turned around
    const [left, right] = ends(edge);
    const minlen = level(right) - level(left);
    if (minlen) graph.setEdge(String(left), String(right), { minlen }, String(index));
  });
  window.dagre.layout(graph);
  const at = (number) => graph.node(String(number));
  const side = (number, by, below) => ({ x: at(number).x + by * width / 2, y: at(number).y + below });
  const curve = (points) => points.slice(1).map((end, number) => {
    const [start, middle] = [points[number], (points[number].x + end.x) / 2];
    return `C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}`;
  }).join(" ");
  edges.forEach((edge, index) => {
    const [left, right] = ends(edge);
    const found = graph.edge(String(left), String(right), String(index));
    const below = height / 4;
    let [start, way] = [side(edge.from, 1, below), ""];
    if (found) {
      const inner = found.points.slice(1, -1);  // one alone is no way around boxes
      const offset = left === edge.from ? 0 : below;
      const points = [side(left, 1, offset), ...(inner.length > 1 ? inner : []), side(right, -1, offset)];
      if (offset) points.reverse();
      [start] = points;
      way = curve(points);
    } else {  // of one layer
      const end = side(edge.to, 1, -below);
      way = `C${start.x + 50} ${start.y} ${end.x + 50} ${end.y} ${end.x} ${end.y}`;
    }
    edge.line.setAttribute("d", `M${start.x} ${start.y} ${way}`);
    const label = edge.line.nextElementSibling;
    if (!label?.matches(".edge-label")) return;
    const middle = edge.line.getPointAtLength(edge.line.getTotalLength() / 2);
    label.setAttribute("x", middle.x);
    label.setAttribute("y", middle.y);
  });
  nodes.forEach((node, number) => {
    node.setAttribute("transform", `translate(${at(number).x - width / 2} ${at(number).y - height / 2})`);
  });
  const all = { x: 0, y: 0, width: graph.graph().width, height: graph.graph().height };
  figure.classList.toggle("figure-low", all.height < 300);
  const view = { ...all };

  // --- What is joined ---------------------------------------------------------------------------

  const light = (number) => {
    const lit = new Set([number]);
    for (const { line, from, to } of edges) {
      const joined = from === number || to === number;
      line.classList.toggle("is-lit", joined);
      if (joined) lit.add(from).add(to);
    }
    nodes.forEach((node, index) => node.classList.toggle("is-lit", lit.has(index)));
    svg.classList.toggle("is-chosen", number !== null);
  };
  const numberOf = (target) => {
    const node = target instanceof Element ? target.closest(".node") : null;
    return node ? Number(node.dataset.node) : null;
  };
  svg.addEventListener("pointerover", (event) => light(numberOf(event.target) ?? focused()));
  svg.addEventListener("pointerleave", () => light(focused()));
  svg.addEventListener("focusin", (event) => {
    const number = numberOf(event.target);
    light(number);
    if (number !== null && !dragged) reveal(nodes[number]);
  });
  svg.addEventListener("focusout", () => light(null));
  const focused = () => numberOf(document.activeElement);

  // --- The view ---------------------------------------------------------------------------------

  const show = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  const scale = () => {
    const box = svg.getBoundingClientRect();
    return Math.max(view.width / box.width, view.height / box.height);
  };
  const zoom = (factor, x = view.x + view.width / 2, y = view.y + view.height / 2) => {
    const width = Math.min(Math.max(view.width * factor, 200), all.width * 4);
    const by = width / view.width;
    view.x = x - (x - view.x) * by;
    view.y = y - (y - view.y) * by;
    view.width = width;
    view.height *= by;
    show();
  };
  const centre = (node) => {
    const at = node.transform.baseVal.getItem(0).matrix;
    const box = node.getBBox();
    view.x = at.e + box.width / 2 - view.width / 2;
    view.y = at.f + box.height / 2 - view.height / 2;
    show();
  };
  const reveal = (node) => {
    const at = node.transform.baseVal.getItem(0).matrix;
    const box = node.getBBox();
    const inside = at.e >= view.x && at.f >= view.y
      && at.e + box.width <= view.x + view.width && at.f + box.height <= view.y + view.height;
    if (!inside) centre(node);
  };
  const within = (start, room) => (room < 0 ? room / 2 : Math.min(Math.max(start, 0), room));
  const begin = () => {
    const box = svg.getBoundingClientRect();
    const fits = all.width <= box.width * 1.6 && all.height <= box.height * 1.6;
    Object.assign(view, all);
    if (fits) return show();
    // Letters that can be read, and are not larger than those of the page; the root in the middle.
    view.width = Math.max(Math.min(all.width, box.width * 1.2), box.width);
    view.height = view.width * box.height / box.width;
    const root = svg.querySelector(".node-root") ?? nodes[0];
    if (root) centre(root);
    view.x = within(view.x, all.width - view.width);
    view.y = within(view.y, all.height - view.height);
    show();
  };

  figure.addEventListener("click", (event) => {
    const what = event.target instanceof Element ? event.target.closest("[data-zoom]") : null;
    if (!what) return;
    if (what.dataset.zoom === "all") { Object.assign(view, all); show(); }
    else zoom(what.dataset.zoom === "in" ? 0.8 : 1.25);
  });
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, at.x, at.y);
  }, { passive: false });

  let drag = null;
  let dragged = false;
  const fingers = new Map(); // where each is
  let pinch = null;
  const spread = () => {
    const [one, other] = [...fingers.values()];
    return {
      distance: Math.max(1, Math.hypot(one.x - other.x, one.y - other.y)),
      x: (one.x + other.x) / 2,
      y: (one.y + other.y) / 2,
    };
  };
  svg.addEventListener("pointerdown", (event) => {
    dragged = false;
    if (event.pointerType === "touch") fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    pinch = fingers.size === 2 ? { ...spread(), view: { ...view }, scale: scale() } : null;
    if (event.button === 0) drag = { x: event.clientX, y: event.clientY, left: view.x, top: view.y };
  });
  const pinched = () => {
    const now = spread();
    const by = pinch.distance / now.distance;
    const box = svg.getBoundingClientRect();
    Object.assign(view, pinch.view);
    const [x, y] = [view.x + (pinch.x - box.x) * pinch.scale, view.y + (pinch.y - box.y) * pinch.scale];
    zoom(by, x, y);
    view.x -= (now.x - pinch.x) * scale();
    view.y -= (now.y - pinch.y) * scale();
    dragged = true;
    show();
  };
  // The page scrolls under one finger, not under two.
  svg.addEventListener("touchmove", (event) => { if (event.touches.length > 1) event.preventDefault(); }, { passive: false });
  svg.addEventListener("pointermove", (event) => {
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pinch) return pinched();
    if (!drag) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!dragged && Math.hypot(x, y) < 5) return; // a click
    if (!dragged) svg.setPointerCapture(event.pointerId);
    dragged = true;
    svg.classList.add("is-dragged");
    view.x = drag.left - x * scale();
    view.y = drag.top - y * scale();
    show();
  });
  const drop = (event) => {
    drag = pinch = null;
    fingers.delete(event.pointerId);
    svg.classList.remove("is-dragged");
  };
  svg.addEventListener("pointerup", drop);
  svg.addEventListener("pointercancel", drop);
  svg.addEventListener("click", (event) => { if (dragged) event.preventDefault(); }, true);
  svg.addEventListener("dragstart", (event) => event.preventDefault());

  // --- The keyboard -----------------------------------------------------------------------------

  const place = (number) => nodes[number].transform.baseVal.getItem(0).matrix;
  const nearest = (here, candidates) => candidates
    .map((number) => [Math.hypot(place(number).e - place(here).e, place(number).f - place(here).f), number])
    .sort((one, other) => one[0] - other[0])[0]?.[1];
  const next = {
    ArrowLeft: (here) => nearest(here, edges.filter((one) => one.to === here && one.from !== here).map((one) => one.from)),
    ArrowRight: (here) => nearest(here, edges.filter((one) => one.from === here && one.to !== here).map((one) => one.to)),
    ArrowUp: (here) => nearest(here, beside(here).filter((one) => place(one).f < place(here).f)),
    ArrowDown: (here) => nearest(here, beside(here).filter((one) => place(one).f > place(here).f)),
  };
  const beside = (here) => nodes.map((_, index) => index).filter((one) => place(one).e === place(here).e);
  svg.addEventListener("keydown", (event) => {
    const here = focused();
    if (here === null || !(event.key in next)) return;
    const found = next[event.key](here);
    event.preventDefault();
    event.stopPropagation(); // to the arrows of the page
    if (found !== undefined) nodes[found].focus();
  });

  begin();
})();
