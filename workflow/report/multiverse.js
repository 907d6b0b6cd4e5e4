// The multiverse: the specification curve of a claim under a protocol, as SVG. Its data is the JSON beside it on the page.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("mv-data").textContent);
  const get = (id) => document.getElementById(id);
  const choices = Object.keys(data.choices), count = data.universes.length;
  const state = { at: null, order: [] };

  function make(tag, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  const rows = () => data.curves[get("mv-claim").value][get("mv-protocol").value];
  const signed = (value, digits) => (value >= 0 ? "+" : "−") + Math.abs(value).toFixed(digits);
  const isDefault = (u) => data.universes[u][1].every((level) => level === 0);
  const ink = { fill: "currentColor", "font-family": "system-ui, sans-serif" };

  function draw() {
    const all = rows(), choice = get("mv-choice").value, levels = choice ? data.choices[choice] : [];
    state.order = all.map((_, u) => u).sort((a, b) => all[a][0] - all[b][0] || a - b);
    const [width, left, right, top, high, row] = [960, 150, 12, 12, 300, 20];
    const height = top + high + 26 + row * levels.length + 8;
    const least = Math.min(-1, ...all.map((r) => r[1])), most = Math.max(1, ...all.map((r) => r[2]));
    const x = (place) => left + ((place + 0.5) * (width - left - right)) / count;
    const y = (value) => top + (high * (most - value)) / (most - least || 1);
    const box = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${get("mv-claim").value}, protocol ${get("mv-protocol").value}: ${count} universes` });
    const step = [0.5, 1, 2, 5, 10, 20, 50].find((size) => (most - least) / size <= 8) || 100;
    for (let tick = Math.ceil(least / step) * step; tick <= most; tick += step) {
      box.append(make("line", { x1: left, x2: width - right, y1: y(tick), y2: y(tick), stroke: "currentColor", "stroke-opacity": Math.abs(tick) < 1e-9 ? 0.8 : 0.15 }));
      box.append(make("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end", "font-size": 12, ...ink }, signed(tick, step < 1 ? 1 : 0)));
    }
    const place = choices.indexOf(choice);
    state.order.forEach((u, k) => {
      const [mean, low, up, verdict] = all[u], level = place < 0 ? 0 : data.universes[u][1][place];
      const faded = place >= 0 && level === 0 && !isDefault(u) ? 0.3 : 1;
      const one = make("g", { "data-universe": u, opacity: faded });
      one.append(make("rect", { x: x(k) - (width - left - right) / count / 2, y: top, width: (width - left - right) / count, height: height - top, fill: "transparent" }));
      one.append(make("line", { x1: x(k), x2: x(k), y1: y(low), y2: y(up), stroke: data.colours[verdict], "stroke-width": 3, "stroke-opacity": 0.5 }));
      one.append(make("circle", { cx: x(k), cy: y(mean), r: 4, fill: data.colours[verdict] }));
      if (isDefault(u)) one.append(make("circle", { cx: x(k), cy: y(mean), r: 8, fill: "none", stroke: "currentColor", "stroke-width": 2 }));
      if (place >= 0) one.append(make("rect", { x: x(k) - 4, y: top + high + 22 + row * level, width: 8, height: 12, fill: data.colours[verdict] }));
      if (state.at === u) one.append(make("rect", { x: x(k) - 7, y: top, width: 14, height: height - top - 4, fill: "none", stroke: "currentColor", "stroke-dasharray": "3 3" }));
      box.append(one);
    });
    levels.forEach((level, l) => box.append(make("text", { x: left - 8, y: top + high + 33 + row * l, "text-anchor": "end", "font-size": 12, ...ink }, l ? level : `${level} (default)`)));
    get("mv-box").replaceChildren(box);
    const numbers = data.verdicts.map((verdict, v) => [all.filter((r) => r[3] === v).length, verdict]).filter(([number]) => number);
    get("mv-status").textContent = `${get("mv-claim").value}: ${numbers.map(([number, verdict]) => `${verdict} under ${number}`).join(", ")} of ${count} universes.`;
    tell();
  }

  function tell() {
    const about = get("mv-about");
    if (state.at === null) { about.textContent = ""; return; }
    const [mean, low, high, verdict, wins, losses] = rows()[state.at], [name, levels] = data.universes[state.at];
    const same = choices.filter((_, i) => !levels[i]).length;
    about.textContent = `${name}: ${signed(mean, 2)} points (${signed(low, 1)} to ${signed(high, 1)}), ${wins} wins, ${losses} losses; ${data.verdicts[verdict]}. ${same} of ${choices.length} choices as in the default.`;
  }

  function choose(u) {
    if (u === state.at) return;
    state.at = u;
    draw();
  }

  for (const [id, values] of [["mv-claim", Object.keys(data.curves)], ["mv-protocol", Object.keys(Object.values(data.curves)[0] || {})], ["mv-choice", choices]]) {
    get(id).append(...values.map((value) => { const made = document.createElement("option"); made.value = made.textContent = value; return made; }));
  }
  if (!Object.keys(data.curves).length) {
    get("mv-status").textContent = "The paper makes no claims about these bandits.";
    return;
  }
  get("mv-controls").addEventListener("input", draw);
  get("mv-controls").addEventListener("submit", (event) => event.preventDefault());
  get("mv-box").addEventListener("pointerover", (event) => {
    const one = event.target.closest("[data-universe]");
    if (one) choose(Number(one.dataset.universe));
  });
  get("mv-box").addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    if (event.key === "Escape") { choose(null); return; }
    if (!(event.key in steps)) return;
    event.preventDefault();
    const at = state.order.indexOf(state.at);
    choose(state.order[Math.max(0, Math.min(count - 1, at < 0 ? 0 : at + steps[event.key]))]);
  });
  draw();
})();
