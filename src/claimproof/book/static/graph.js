"use strict";
// The graph of claims: sections as boxes, proof steps collapsed, one claim's cone on demand.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const HEIGHT = 24, GAP = 8, PAD = 12, TITLE = 26;
  const claims = new Map(window.claimGraph.map((claim) => [claim.id, claim]));
  const usedBy = new Map([...claims.keys()].map((id) => [id, []]));
  for (const claim of claims.values()) for (const other of claim.restsOn) usedBy.get(other).push(claim.id);
  const stepsOf = new Map();
  for (const claim of claims.values()) {
    if (claim.stepOf) stepsOf.set(claim.stepOf, [...(stepsOf.get(claim.stepOf) || []), claim.id]);
  }

  const svg = document.getElementById("graph");
  const paperControl = document.getElementById("graph-paper");
  const verdictControl = document.getElementById("graph-verdict");
  const stepsControl = document.getElementById("graph-steps");
  const coneControl = document.getElementById("graph-cone");
  const edgesControl = document.getElementById("graph-edges");
  const findControl = document.getElementById("graph-find");
  const panel = document.getElementById("graph-panel");
  const expanded = new Set();
  let selected = null;
  let boxes = new Map(); // id -> {x, y, width, height}
  let view = { x: 0, y: 0, width: 1000, height: 600 };
  let whole = { ...view };

  const make = (name, attributes, parent, text) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    if (parent) parent.append(element);
    return element;
  };

  const isShown = (claim) =>
    !claim.stepOf || stepsControl.checked || expanded.has(claim.stepOf) || claim.id === selected;
  // The node that stands for a claim: itself, or the claim that it is a collapsed step of.
  const shownAs = (id) => (isShown(claims.get(id)) ? id : claims.get(id).stepOf);
  const hiddenSteps = (id) => (stepsOf.get(id) || []).filter((step) => !isShown(claims.get(step))).length;
  const label = (id) => (hiddenSteps(id) ? `${id} +${hiddenSteps(id)}` : id);
  const widthOf = (id) => 14 + 6.7 * label(id).length;

  function reach(start, next) {
    const seen = new Set([start]);
    const queue = [start];
    while (queue.length) for (const other of next(queue.pop())) if (!seen.has(other)) seen.add(other), queue.push(other);
    return seen;
  }
  const below = (id) => reach(id, (x) => claims.get(x).restsOn);
  const above = (id) => reach(id, (x) => usedBy.get(x));

  function visibleNodes() {
    const chosen = coneControl.checked && selected ? new Set([...below(selected), ...above(selected)]) : null;
    const nodes = new Set();
    for (const claim of claims.values()) {
      if (chosen ? !chosen.has(claim.id) : paperControl.value && claim.paper !== paperControl.value) continue;
      const node = shownAs(claim.id);
      const wanted = verdictControl.value;
      if (wanted && claims.get(node).verdict !== wanted && claim.verdict !== wanted && claim.id !== selected) continue;
      nodes.add(node);
    }
    return nodes;
  }

  function visibleEdges(nodes) {
    const edges = new Map();
    for (const claim of claims.values()) {
      const to = shownAs(claim.id);
      if (!nodes.has(to)) continue;
      for (const other of claim.restsOn) {
        const from = shownAs(other);
        if (from !== to && nodes.has(from)) edges.set(`${from} ${to}`, [from, to]);
      }
    }
    return [...edges.values()];
  }

  // All claims: a box for each section, its claims in rows, steps behind the claim they belong to.
  function layOutSections(nodes) {
    const width = Math.max(340, Math.min(1250, svg.clientWidth || 1000));
    const sections = new Map();
    for (const claim of claims.values()) {
      if (!nodes.has(claim.id)) continue;
      const key = `${claim.paper} ${claim.section}`;
      if (!sections.has(key)) sections.set(key, []);
      sections.get(key).push(claim);
    }
    const place = new Map([...claims.keys()].map((id, n) => [id, n]));
    const order = (claim) => place.get(claim.stepOf && nodes.has(claim.stepOf) ? claim.stepOf : claim.id);
    const clusters = [];
    let y = 0;
    for (const own of sections.values()) {
      own.sort((a, b) => order(a) - order(b) || (a.stepOf ? 1 : 0) - (b.stepOf ? 1 : 0));
      let x = PAD, row = y + TITLE;
      for (const claim of own) {
        const w = widthOf(claim.id);
        if (x + w > width - PAD && x > PAD) (x = PAD), (row += HEIGHT + GAP);
        boxes.set(claim.id, { x, y: row, width: w, height: HEIGHT });
        x += w + GAP;
      }
      const height = row + HEIGHT + PAD - y;
      const { paper, section } = own[0];
      const name = section === "0" ? "abstract" : `section ${section}`;
      clusters.push({ x: 0, y, width, height, title: `${paper.toUpperCase()}, ${name}: ${own.length}` });
      y += height + 14;
    }
    return { clusters, width, height: Math.max(200, y) };
  }

  // One claim's cone: layers from what it rests on (left) to what rests on it (right).
  function layOutCone(nodes, edges) {
    const graph = new dagre.graphlib.Graph();
    graph.setGraph({ rankdir: "LR", nodesep: 10, ranksep: 46, marginx: 10, marginy: 10 });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const id of nodes) graph.setNode(id, { width: widthOf(id), height: HEIGHT });
    for (const [from, to] of edges) graph.setEdge(from, to);
    dagre.layout(graph);
    for (const id of nodes) {
      const node = graph.node(id);
      boxes.set(id, { x: node.x - node.width / 2, y: node.y - node.height / 2, width: node.width, height: node.height });
    }
    return { clusters: [], width: Math.max(300, graph.graph().width), height: Math.max(150, graph.graph().height) };
  }

  function edgePath(from, to) {
    const a = boxes.get(from), b = boxes.get(to);
    const x1 = a.x + a.width / 2, y1 = a.y + a.height / 2, x2 = b.x + b.width / 2, y2 = b.y + b.height / 2;
    if (coneControl.checked && selected) {
      const start = a.x + a.width, end = b.x - 4, middle = (start + end) / 2;
      return `M${start} ${y1}C${middle} ${y1} ${middle} ${y2} ${end} ${y2}`;
    }
    const bend = Math.min(60, Math.abs(x2 - x1) / 3 + 12);
    return `M${x1} ${y1}Q${(x1 + x2) / 2 + bend} ${(y1 + y2) / 2} ${x2} ${y2}`;
  }

  function draw(keepView) {
    const hadFocus = svg.contains(document.activeElement);
    boxes = new Map();
    const nodes = visibleNodes();
    const edges = visibleEdges(nodes);
    const cone = coneControl.checked && selected;
    const { clusters, width, height } = cone ? layOutCone(nodes, edges) : layOutSections(nodes);
    const rests = selected ? new Set([...below(selected)].map(shownAs)) : null;
    const uses = selected ? new Set([...above(selected)].map(shownAs)) : null;
    const current = selected && shownAs(selected);

    svg.replaceChildren();
    const marker = make("marker", { id: "arrow", viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" }, make("defs", {}, svg));
    make("path", { d: "M0 0L6 3L0 6z" }, marker);
    for (const cluster of clusters) {
      make("rect", { class: "cluster", x: cluster.x, y: cluster.y, width: cluster.width, height: cluster.height, rx: 8 }, svg);
      make("text", { class: "cluster-title", x: cluster.x + PAD, y: cluster.y + 18 }, svg, cluster.title);
    }
    const lines = make("g", { class: "edges" }, svg);
    for (const [from, to] of edges) {
      let kind = "";
      if (selected) {
        if (rests.has(from) && rests.has(to)) kind = "rests";
        else if (uses.has(from) && uses.has(to)) kind = "uses";
      }
      if (kind || edgesControl.checked || cone) {
        make("path", { class: `edge ${kind}`, d: edgePath(from, to), "marker-end": "url(#arrow)" }, lines);
      }
    }
    for (const [id, box] of boxes) {
      const claim = claims.get(id);
      const related = !selected || rests.has(id) || uses.has(id);
      const state = [claim.verdict, claim.full ? "fully verified" : "not fully verified", claim.place].join(", ");
      const node = make("g", {
        class: `node verdict-${claim.verdict}${claim.full ? " full" : ""}${claim.stepOf ? " step" : ""}${id === current ? " selected" : ""}${related ? "" : " far"}`,
        transform: `translate(${box.x} ${box.y})`, role: "button", "data-id": id, "aria-label": `${label(id)}: ${state}`,
        "aria-pressed": id === current ? "true" : "false", tabindex: -1,
      }, svg);
      make("title", {}, node, `${id}: ${state}`);
      make("rect", { width: box.width, height: box.height, rx: 5 }, node);
      make("text", { x: box.width / 2, y: 16, "text-anchor": "middle" }, node, label(id));
    }
    const first = svg.querySelector(current ? `[data-id="${CSS.escape(current)}"]` : ".node");
    if (first) first.setAttribute("tabindex", 0);
    whole = { x: 0, y: 0, width, height };
    if (keepView) show(view);
    else fit();
    if (hadFocus && first) first.focus({ preventScroll: true });
    document.getElementById("graph-count").textContent = `${boxes.size} of ${claims.size} claims shown, ${edges.length} dependencies between them`;
  }

  // Zoom and pan are changes of the view box.
  function show(next) {
    view = next;
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  }
  function fit() {
    const ratio = svg.clientHeight / (svg.clientWidth || 1);
    // At least as wide as everything; what is too tall for that is reached by panning.
    const width = Math.max(whole.width, svg.clientWidth * 0.8) + 12;
    const height = width * ratio;
    const y = height > whole.height ? (whole.height - height) / 2 : 0;
    show({ x: (whole.width - width) / 2, y: Math.max(y, -8), width, height });
    if (selected && boxes.has(shownAs(selected))) reveal(shownAs(selected));
  }
  function zoom(factor, at) {
    const x = at ? at.x : view.x + view.width / 2, y = at ? at.y : view.y + view.height / 2;
    const width = Math.min(6000, Math.max(150, view.width * factor));
    const scale = width / view.width;
    show({ x: x - (x - view.x) * scale, y: y - (y - view.y) * scale, width, height: view.height * scale });
  }
  const pan = (dx, dy) => show({ ...view, x: view.x + dx * view.width, y: view.y + dy * view.height });
  function reveal(id) {
    const box = boxes.get(id), next = { ...view };
    if (box.x < view.x || box.x + box.width > view.x + view.width) next.x = box.x + box.width / 2 - view.width / 2;
    if (box.y < view.y || box.y + box.height > view.y + view.height) next.y = box.y + box.height / 2 - view.height / 2;
    show(next);
  }
  function point(event) {
    const area = svg.getBoundingClientRect();
    return {
      x: view.x + ((event.clientX - area.left) / area.width) * view.width,
      y: view.y + ((event.clientY - area.top) / area.height) * view.height,
    };
  }

  function list(title, ids) {
    if (!ids.length) return "";
    const links = ids.map((id) => `<button type="button" class="claim-link verdict-${claims.get(id).verdict}" data-select="${id}">${id}</button>`);
    return `<p><b>${title}</b> ${links.join(" ")}</p>`;
  }
  function tell() {
    if (!selected) {
      panel.innerHTML = "<p>Choose a claim to see what it rests on and what rests on it.</p>";
      return;
    }
    const claim = claims.get(selected);
    const steps = stepsOf.get(selected) || [];
    const open = expanded.has(selected);
    panel.innerHTML = `<p class="panel-title"><b>${selected}</b> <span class="verdict verdict-${claim.verdict}">${claim.verdict}</span>
      ${claim.full ? "fully verified" : "not fully verified"} · <span class="panel-place"></span></p>
      <p><a href="status.html#${selected}">Statement, evidence and the cell that checks it</a></p>
      ${steps.length && !stepsControl.checked ? `<p class="panel-buttons"><button type="button" id="toggle-steps">${open ? "Hide" : "Show"} its ${steps.length} steps</button></p>` : ""}
      ${list("Rests on", claim.restsOn)}${list("Used by", usedBy.get(selected))}${list("Steps", steps)}`;
    panel.querySelector(".panel-place").textContent = claim.place;
    const toggle = document.getElementById("toggle-steps");
    if (toggle) {
      toggle.addEventListener("click", () => {
        if (open) expanded.delete(selected);
        else expanded.add(selected);
        draw(true);
        tell();
      });
    }
    for (const button of panel.querySelectorAll("[data-select]")) button.addEventListener("click", () => select(button.dataset.select));
  }

  function select(id, keepView = true) {
    selected = id;
    if (id && paperControl.value && claims.get(id).paper !== paperControl.value) paperControl.value = claims.get(id).paper;
    draw(keepView && !coneControl.checked);
    tell();
    if (id) {
      reveal(shownAs(id));
      if (decodeURIComponent(location.hash.slice(1)) !== id) history.replaceState(null, "", `#${id}`);
    }
  }

  // One stop for the tab key; arrows go to the nearest claim in their direction.
  function move(from, dx, dy) {
    const here = boxes.get(from);
    const centre = (box) => [box.x + box.width / 2, box.y + box.height / 2];
    const [x, y] = centre(here);
    let best = null, least = Infinity;
    for (const [id, box] of boxes) {
      const [u, v] = centre(box);
      const along = (u - x) * dx + (v - y) * dy, across = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (along > 1 && along + 3 * across < least) (best = id), (least = along + 3 * across);
    }
    if (best === null) return;
    svg.querySelectorAll('.node[tabindex="0"]').forEach((node) => node.setAttribute("tabindex", -1));
    const node = svg.querySelector(`[data-id="${CSS.escape(best)}"]`);
    node.setAttribute("tabindex", 0);
    reveal(best);
    node.focus({ preventScroll: true });
  }

  svg.addEventListener("keydown", (event) => {
    const node = event.target.closest && event.target.closest(".node");
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key in arrows && event.shiftKey) pan(arrows[event.key][0] * 0.15, arrows[event.key][1] * 0.15);
    else if (event.key in arrows && node) move(node.dataset.id, ...arrows[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && node) select(node.dataset.id);
    else if (event.key === "Escape") select(null);
    else if (event.key === "+" || event.key === "=") zoom(0.8);
    else if (event.key === "-") zoom(1.25);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });

  let drag = null;
  svg.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, view, moved: false, node: event.target.closest(".node") };
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 5) return;
    drag.moved = true;
    const scale = drag.view.width / svg.clientWidth;
    show({ ...drag.view, x: drag.view.x - dx * scale, y: drag.view.y - dy * scale });
  });
  svg.addEventListener("pointerup", () => {
    if (drag && !drag.moved) select(drag.node ? drag.node.dataset.id : null);
    drag = null;
  });
  svg.addEventListener("pointercancel", () => (drag = null));
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page keeps its own scrolling
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, point(event));
  }, { passive: false });

  document.getElementById("graph-in").addEventListener("click", () => zoom(0.8));
  document.getElementById("graph-out").addEventListener("click", () => zoom(1.25));
  document.getElementById("graph-fit").addEventListener("click", fit);
  for (const control of [paperControl, verdictControl, stepsControl, coneControl]) control.addEventListener("change", () => (draw(false), tell()));
  edgesControl.addEventListener("change", () => draw(true));
  findControl.addEventListener("change", () => {
    const wanted = findControl.value.trim().toLowerCase();
    const found = [...claims.keys()].find((id) => id.toLowerCase() === wanted) || [...claims.keys()].find((id) => id.toLowerCase().includes(wanted));
    if (wanted && found) select(found);
  });
  window.addEventListener("resize", () => draw(false));
  window.addEventListener("hashchange", fromAddress);
  function fromAddress() {
    const id = decodeURIComponent(location.hash.slice(1));
    if (claims.has(id)) select(id, false);
    else if (!selected) draw(false), tell();
  }
  fromAddress();
})();
