// The explorer: the pairwise grid on a canvas, filters, a brush that marks the same datasets in all panels, and the
// regret curves of the dataset that was chosen. Its data is the JSON beside it on the page; nothing is loaded.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { bandits, datasets } = data;
  const get = (id) => document.getElementById(id);
  const canvas = get("grid"), tooltip = get("tooltip");
  // The points are painted behind the scenes, and copied; what follows the pointer is painted on top of the copy.
  const behind = document.createElement("canvas"), front = canvas.getContext("2d"), back = behind.getContext("2d");
  let brush = back;
  const RANGES = ["n", "d", "K"];
  const NEAR = 12; // pixels from a point that still mean it
  const SIGNS = { "-1": "win", 1: "loss", 0: "tie" };

  // What is shown: dataset numbers, and what is marked among them.
  const state = { view: data.views[0], pair: null, shown: [], marked: new Set(), current: null, hover: null, frame: null };
  let panels = [], queued = false, stale = true;

  const name = (i) => datasets.name[i];
  const regret = (bandit, i) => state.view.regret[bandit][i];
  const outcome = (row, column, i) => SIGNS[Math.sign(regret(row, i) - regret(column, i))];
  const ofPair = (what, row, column, i) => state.view[what][row < column ? `${row},${column}` : `${column},${row}`][i];
  const pOf = (row, column, i) => ofPair("p", row, column, i) ?? 1; // null: too few shuffles for a test
  const radius = (p) => Math.sqrt((4 + 6 * -Math.log10(Math.min(1, Math.max(1e-6, p)))) / Math.PI) * 1.9;
  const number = (value) => (value === 0 ? "0" : value < 1e-4 ? value.toExponential(1) : String(Number(value.toPrecision(3))));
  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  function element(tag, text, attributes = {}) {
    const made = document.createElement(tag);
    if (text !== null) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  // The panels: where each is, in pixels of the page.
  function layOut() {
    const wide = get("grid-box").clientWidth;
    const rows = state.pair ? [state.pair[0]] : bandits.map((_, i) => i);
    const columns = state.pair ? [state.pair[1]] : rows;
    const left = 30, bottom = 34, gap = 4;
    const side = Math.max(40, Math.min(state.pair ? 460 : 190, (wide - left) / columns.length));
    const width = left + side * columns.length, height = side * rows.length + bottom;
    const scale = window.devicePixelRatio || 1;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    for (const [page, pen] of [[canvas, front], [behind, back]]) {
      page.width = Math.round(width * scale);
      page.height = Math.round(height * scale);
      pen.setTransform(scale, 0, 0, scale, 0, 0);
    }
    panels = rows.flatMap((row, r) => columns.map((column, c) => (
      { row, column, x: left + c * side, y: r * side, side: side - gap, first: c === 0, last: r === rows.length - 1 })));
    redraw();
  }

  function place(panel, i) {
    const inner = panel.side - 12;
    return [panel.x + 6 + inner * regret(panel.column, i), panel.y + 6 + inner * (1 - regret(panel.row, i))];
  }

  function draw() {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => { queued = false; paint(); });
  }

  function redraw() {
    stale = true;
    draw();
  }

  function mark(kind, x, y, r) {
    brush.beginPath();
    if (kind === "win") brush.arc(x, y, r, 0, 2 * Math.PI);
    else if (kind === "loss") { brush.moveTo(x, y - 1.2 * r); brush.lineTo(x + 1.1 * r, y + 0.8 * r); brush.lineTo(x - 1.1 * r, y + 0.8 * r); brush.closePath(); }
    else brush.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r);
  }

  function paint() {
    const style = getComputedStyle(document.documentElement);
    const colour = (key) => style.getPropertyValue(`--${key}`).trim();
    const ink = Object.fromEntries(["back", "text", "soft", "line", "panel", "win", "loss", "tie", "mark"].map((k) => [k, colour(k)]));
    if (stale) { brush = back; paintPoints(ink); }
    stale = false;
    brush = front;
    brush.save();
    brush.setTransform(1, 0, 0, 1, 0, 0);
    brush.drawImage(behind, 0, 0);
    brush.restore();
    brush.lineWidth = 2.5;
    brush.strokeStyle = ink.mark;
    for (const i of new Set([state.current, state.hover])) {
      if (i === null || !state.shown.includes(i)) continue;
      for (const panel of panels) {
        if (panel.row === panel.column) continue;
        const [x, y] = place(panel, i);
        mark("win", x, y, radius(pOf(panel.row, panel.column, i)) + 4);
        brush.stroke();
      }
    }
    if (state.frame) {
      const { x, y, w, h } = box(state.frame);
      brush.strokeStyle = ink.text;
      brush.lineWidth = 1;
      brush.setLineDash([4, 3]);
      brush.strokeRect(x, y, w, h);
      brush.setLineDash([]);
    }
  }

  function paintPoints(ink) {
    brush.globalAlpha = 1;
    brush.fillStyle = ink.back;
    brush.fillRect(0, 0, canvas.width, canvas.height);
    const small = panels.length > 1 && panels[0].side < 90;
    for (const panel of panels) {
      const { row, column, x, y, side } = panel;
      brush.globalAlpha = 1;
      if (row === column) {
        brush.fillStyle = ink.panel;
        brush.fillRect(x, y, side, side);
        write(bandits[row], x + side / 2, y + side / 2 + 5, ink.text, "center", small ? "bold 11px" : "bold 16px");
        axes(panel, ink, small);
        continue;
      }
      brush.strokeStyle = ink.line;
      brush.lineWidth = 1;
      brush.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
      brush.beginPath();
      brush.moveTo(x + 6, y + side - 6);
      brush.lineTo(x + side - 6, y + 6);
      brush.strokeStyle = ink.soft;
      brush.stroke();
      const count = { win: 0, loss: 0, tie: 0 };
      const marked = state.marked.size > 0;
      for (const front of marked ? [false, true] : [false]) {
        for (const i of state.shown) {
          const kind = outcome(row, column, i);
          if (!front) count[kind] += 1;
          if (marked && state.marked.has(i) !== front) continue;
          brush.globalAlpha = !marked ? 0.7 : front ? 0.95 : 0.18;
          brush.fillStyle = ink[kind];
          mark(kind, ...place(panel, i), radius(pOf(row, column, i)) * (small ? 0.75 : 1));
          brush.fill();
        }
      }
      brush.globalAlpha = 1;
      if (!small) {
        write(`${count.win} won`, x + side - 6, y + side - 7, ink.win, "right", "11px");
        write(`${count.loss} lost`, x + 6, y + 14, ink.loss, "left", "11px");
        if (count.tie) write(`${count.tie} tied`, x + 6, y + 27, ink.soft, "left", "11px");
      }
      axes(panel, ink, small);
    }
  }

  function write(text, x, y, colour, align, font) {
    brush.font = `${font} system-ui, sans-serif`;
    brush.textAlign = align;
    brush.fillStyle = colour;
    brush.fillText(text, x, y);
  }

  function axes(panel, ink, small) {
    const { x, y, side } = panel, inner = side - 12;
    for (const tick of small ? [0, 1] : [0, 0.5, 1]) {
      if (panel.last) write(String(tick), x + 6 + inner * tick, y + side + 13, ink.soft, "center", "10px");
      if (panel.first) write(String(tick), x - 5, y + 6 + inner * (1 - tick) + 3, ink.soft, "right", "10px");
    }
    if (state.pair) {
      write(`normalised regret of ${bandits[panel.column]}`, x + side / 2, y + side + 28, ink.text, "center", "12px");
      brush.save();
      brush.translate(10, y + side / 2);
      brush.rotate(-Math.PI / 2);
      write(`normalised regret of ${bandits[panel.row]}`, 0, 0, ink.text, "center", "12px");
      brush.restore();
    } else if (panel.last) write(bandits[panel.column], x + side / 2, y + side + 28, ink.text, "center", small ? "10px" : "12px");
  }

  const box = ({ from, to }) => ({ x: Math.min(from[0], to[0]), y: Math.min(from[1], to[1]), w: Math.abs(from[0] - to[0]), h: Math.abs(from[1] - to[1]) });
  const panelAt = ([x, y]) => panels.find((p) => p.row !== p.column && x >= p.x && x < p.x + p.side && y >= p.y && y < p.y + p.side);

  function nearest(panel, [x, y]) {
    let best = null, least = NEAR;
    for (const i of state.shown) {
      const [px, py] = place(panel, i);
      const distance = Math.hypot(px - x, py - y);
      if (distance < least) [best, least] = [i, distance];
    }
    return best;
  }

  function difference(i, row, column) {
    const error = ofPair("error", row, column, i), p = ofPair("p", row, column, i);
    const points = (value) => (100 * value).toFixed(2);
    const mean = `difference ${points(regret(row, i) - regret(column, i))}${error === null ? "" : ` ± ${points(error)}`} points`;
    return `${mean} over ${datasets.shuffles[i]} shuffles${p === null ? "" : `, p = ${number(p)}`}`;
  }

  function about(i, row, column) {
    const one = (bandit) => `${bandits[bandit]}: regret ${number(regret(bandit, i))} (${state.view.setting[bandit][i]})`;
    return `${name(i)}\nn = ${datasets.n[i]}, d = ${datasets.d[i]}, K = ${datasets.K[i]}; ${datasets.source[i]}\n${one(row)}\n${one(column)}\n${difference(i, row, column)}`;
  }

  function point(panel, at) {
    const i = panel ? nearest(panel, at) : null;
    if (i !== state.hover) { state.hover = i; draw(); }
    tooltip.hidden = i === null;
    if (i === null) return;
    tooltip.textContent = about(i, panel.row, panel.column);
    const room = get("grid-box").clientWidth - tooltip.offsetWidth;
    tooltip.style.left = `${Math.max(0, Math.min(at[0] + 14, room))}px`;
    tooltip.style.top = `${at[1] + 16}px`;
  }

  // Pointer: hover, click, drag. A finger taps and scrolls; it draws no frame.
  const where = (event) => [event.offsetX, event.offsetY];
  canvas.addEventListener("pointerdown", (event) => {
    const panel = panelAt(where(event));
    if (!panel || event.button) return;
    state.frame = { panel, from: where(event), to: where(event), finger: event.pointerType === "touch" };
    if (!state.frame.finger) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!state.frame || state.frame.finger) { point(panelAt(where(event)), where(event)); return; }
    const { panel } = state.frame;
    const clamp = (value, low) => Math.max(low, Math.min(low + panel.side, value));
    state.frame.to = [clamp(event.offsetX, panel.x), clamp(event.offsetY, panel.y)];
    tooltip.hidden = true;
    draw();
  });
  canvas.addEventListener("pointerup", () => {
    if (!state.frame) return;
    const { panel, from } = state.frame, area = box(state.frame);
    state.frame = null;
    if (area.w > 4 || area.h > 4) {
      const inside = ([x, y]) => x >= area.x && x <= area.x + area.w && y >= area.y && y <= area.y + area.h;
      choose(state.shown.filter((i) => inside(place(panel, i))));
    } else {
      const i = nearest(panel, from);
      choose(i === null ? [] : [i]);
    }
  });
  canvas.addEventListener("pointercancel", () => { state.frame = null; draw(); });
  canvas.addEventListener("pointerleave", () => { if (!state.frame) point(null, null); });
  canvas.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const last = state.shown.length - 1;
    const at = state.shown.indexOf(state.current);
    let to = null;
    if (event.key in steps) to = at < 0 ? 0 : Math.max(0, Math.min(last, at + steps[event.key]));
    else if (event.key === "Home") to = 0;
    else if (event.key === "End") to = last;
    else if (event.key !== "Escape") return;
    event.preventDefault();
    choose(to === null || last < 0 ? [] : [state.shown[to]]);
  });

  // Mark datasets in all panels; of one, the curves are shown, of several those of the first.
  function choose(marked) {
    state.marked = new Set(marked);
    state.current = marked.length ? marked[0] : null;
    tell();
    redraw();
  }

  function tell() {
    const marked = [...state.marked];
    const some = marked.length > 1 ? ` ${marked.length} of them marked: ${marked.slice(0, 12).map(name).join(", ")}${marked.length > 12 ? ", …" : ""}.` : "";
    get("status").textContent = `${state.shown.length} of ${plural(datasets.name.length, "dataset")} shown.${some}`;
    list();
    const box = get("chosen");
    box.replaceChildren();
    if (state.current === null) return;
    const i = state.current, words = element("div", null);
    words.append(element("h3", name(i)));
    words.append(element("p", `n = ${datasets.n[i]}, d = ${datasets.d[i]}, K = ${datasets.K[i]}; source ${datasets.source[i]}; family ${datasets.family[i]}`));
    const table = element("table", null), head = element("tr", null), body = element("tbody", null);
    for (const title of ["bandit", "normalised regret", "usual setting"]) head.append(element("th", title, { scope: "col" }));
    table.append(element("thead", null), body);
    table.tHead.append(head);
    bandits.forEach((bandit, b) => {
      const row = element("tr", null), first = element("th", null, { scope: "row" });
      first.append(swatch(b), ` ${bandit}`);
      row.append(first, element("td", number(regret(b, i))), element("td", state.view.setting[b][i]));
      body.append(row);
    });
    words.append(table);
    const drawing = element("div", null);
    drawing.append(curves(i));
    box.append(words, drawing);
  }

  function shape(tag, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  const stroke = (b) => ({ stroke: data.styles[b].colour, "stroke-dasharray": data.styles[b].dash, "stroke-width": 2, fill: "none" });

  function swatch(b) {
    const made = shape("svg", { width: 30, height: 12, class: "swatch", "aria-hidden": "true" });
    made.append(shape("line", { x1: 2, x2: 28, y1: 6, y2: 6, ...stroke(b) }));
    return made;
  }

  // Regret so far, divided by the rounds so far, against rounds on a logarithmic axis.
  function curves(i) {
    const rounds = data.rounds[data.rounds_of[i]], end = rounds[rounds.length - 1];
    const [width, height, left, bottom, top] = [480, 280, 44, 40, 12];
    const x = (t) => left + ((width - left - 12) * Math.log(t)) / Math.log(Math.max(2, end));
    const y = (share) => top + (height - top - bottom) * (1 - share);
    const made = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Regret curves of all bandits on ${name(i)}` });
    const ink = { fill: "#444", "font-size": 12, "font-family": "system-ui, sans-serif" };
    for (const share of [0, 0.5, 1]) {
      made.append(shape("line", { x1: left, x2: width - 12, y1: y(share), y2: y(share), stroke: "#ddd" }));
      made.append(shape("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end", ...ink }, String(share)));
    }
    for (let t = 1; t <= end; t *= 10) made.append(shape("text", { x: x(t), y: height - bottom + 16, "text-anchor": "middle", ...ink }, t.toLocaleString("en")));
    made.append(shape("text", { x: (left + width) / 2, y: height - 6, "text-anchor": "middle", ...ink }, "round"));
    made.append(shape("text", { x: 12, y: (height - bottom) / 2, transform: `rotate(-90 12 ${(height - bottom) / 2})`, "text-anchor": "middle", ...ink }, "normalised regret so far"));
    bandits.forEach((bandit, b) => {
      const wrong = data.curves[state.view.curve[b][i]];
      const line = shape("polyline", { points: rounds.map((t, k) => `${x(t).toFixed(1)},${y(wrong[k] / t).toFixed(1)}`).join(" "), "data-bandit": bandit, ...stroke(b) });
      line.append(shape("title", {}, bandit));
      made.append(line);
    });
    return made;
  }

  // The same as a table, for those who would rather read.
  function list() {
    if (!get("listing").open) return;
    const body = get("listing").querySelector("tbody");
    body.replaceChildren(...state.shown.map((i) => {
      const row = element("tr", null, state.marked.has(i) ? { class: "chosen" } : {});
      const first = element("th", null, { scope: "row" }), button = element("button", name(i), { type: "button", "aria-pressed": String(state.current === i) });
      button.addEventListener("click", () => { choose([i]); get("chosen").scrollIntoView({ block: "nearest" }); });
      first.append(button);
      row.append(first, ...RANGES.map((key) => element("td", String(datasets[key][i]), { class: "number" })), element("td", datasets.source[i]),
        ...bandits.map((_, b) => element("td", number(regret(b, i)), { class: "number" })));
      return row;
    }));
  }

  // Filters.
  function filter() {
    const { reading, protocol } = Object.fromEntries(["reading", "protocol"].map((key) => [key, get(key).value]));
    state.view = data.views.find((view) => view.reading === reading && view.protocol === protocol);
    const pair = get("panels").value;
    state.pair = pair ? pair.split(",").map(Number) : null;
    const words = get("search").value.trim().toLowerCase(), source = get("source").value;
    const limits = RANGES.map((key) => [key, ...["from", "to"].map((end) => get(`${key}-${end}`).value)]);
    const within = (i) => limits.every(([key, from, to]) => (from === "" || datasets[key][i] >= Number(from)) && (to === "" || datasets[key][i] <= Number(to)));
    state.shown = datasets.name.map((_, i) => i).filter((i) => state.view.regret[0][i] !== null && name(i).toLowerCase().includes(words) && (!source || datasets.source[i] === source) && within(i));
    const kept = [...state.marked].filter((i) => state.shown.includes(i));
    state.marked = new Set(kept);
    if (!kept.includes(state.current)) state.current = kept.length ? kept[0] : null;
    state.hover = null;
    tooltip.hidden = true;
    canvas.setAttribute("aria-label", `Pairwise grid of ${state.pair ? state.pair.map((b) => bandits[b]).join(" against ") : bandits.join(", ")}: variance ${reading}, protocol ${protocol}, ${plural(state.shown.length, "dataset")}`);
    tell();
    layOut();
  }

  function options(id, values) {
    get(id).append(...values.map(([value, text]) => element("option", text, { value })));
  }

  const distinct = (values) => [...new Set(values)];
  if (!data.views.length || bandits.length < 2) {
    get("status").textContent = "There are no pairs of bandits to show.";
    return;
  }
  for (const key of ["reading", "protocol"]) options(key, distinct(data.views.map((view) => view[key])).map((value) => [value, value]));
  options("source", distinct(datasets.source).sort().map((value) => [value, value]));
  options("panels", bandits.flatMap((row, r) => bandits.flatMap((column, c) => (r === c ? [] : [[`${r},${c}`, `${row} against ${column}`]]))));
  for (const key of RANGES) {
    const ends = { from: Math.min(...datasets[key]), to: Math.max(...datasets[key]) };
    for (const end of ["from", "to"]) get(`${key}-${end}`).placeholder = ends[end];
  }
  const titles = ["dataset", ...RANGES, "source", ...bandits];
  const head = element("tr", null);
  head.append(...titles.map((title) => element("th", title, { scope: "col" })));
  get("listing").querySelector("thead").append(head);
  get("listing").addEventListener("toggle", list);
  get("controls").addEventListener("input", filter);
  get("controls").addEventListener("submit", (event) => event.preventDefault());
  get("controls").addEventListener("reset", () => setTimeout(() => { choose([]); filter(); }));
  window.addEventListener("resize", layOut);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // Where a dataset is in a panel, in pixels of the canvas; for tests, and for scripts of one's own.
  canvas.pointOf = (dataset, row, column) => place(panels.find((p) => bandits[p.row] === row && bandits[p.column] === column), datasets.name.indexOf(dataset));
  filter();
})();
