"use strict";
/* The page: which board, which time, which variables; asks for the picture and draws it. */

const App = (() => {
  const { el } = Charts;
  const given = JSON.parse(document.getElementById("data").textContent);
  const fixed = Boolean(given.pictures); // a file: all data is inside, nothing can be asked
  const root = document.getElementById("app");
  const DRAW = {
    timeseries: Charts.timeseries, "state-timeline": Charts.states, "status-history": Charts.states, heatmap: Charts.heatmap,
    stat: Panels.stat, gauge: Panels.gauge, bargauge: Panels.bargauge, table: Panels.table, text: Panels.text,
  };
  const ON_TIME = new Set(["timeseries", "state-timeline", "status-history", "heatmap"]);
  const RANGES = ["5m", "15m", "30m", "1h", "3h", "6h", "12h", "24h", "2d", "7d"];
  const REFRESH = [0, 5, 10, 30, 60, 300];
  const GRID_ROW = 30, GAP = 8;

  const state = { uid: given.uid, query: new URLSearchParams(fixed ? "" : location.search), picture: null, timer: 0, asked: 0 };
  const memory = new Map(); // what a viewer did to a panel: hidden series, order of a table, table instead of chart
  let charts = [];

  const keep = (chart, holder) => charts.push({ chart, holder });
  const forget = () => { charts.forEach(({ chart }) => chart.destroy()); charts = []; };
  const remembered = (panel) => {
    const key = `${state.uid}/${panel.raw.id}`;
    if (!memory.has(key)) memory.set(key, { hidden: new Set(), sort: null, table: false });
    return memory.get(key);
  };

  /* ---- what is asked for ---- */

  function go(change, push = true) {
    change(state.query);
    if (!fixed) history[push ? "pushState" : "replaceState"](null, "", `/d/${encodeURIComponent(state.uid)}?${state.query}`);
    load();
  }

  async function load() {
    clearTimeout(state.timer);
    const turn = ++state.asked;
    document.body.dataset.ready = "false";
    try {
      const picture = fixed ? given.pictures[state.uid] : await ask();
      if (turn !== state.asked) return;
      state.picture = picture;
      render();
    } catch (error) {
      if (turn !== state.asked) return;
      trouble(error.message);
    }
    plan();
  }

  async function ask() {
    const reply = await fetch(`/api/board/${encodeURIComponent(state.uid)}?${state.query}`);
    const picture = await reply.json();
    if (!reply.ok) throw new Error(picture.error || `HTTP ${reply.status}`);
    return picture;
  }

  function plan() {
    clearTimeout(state.timer);
    const every = refreshSeconds();
    // What a person has open is not taken away under their hands.
    const busy = () => document.hidden || root.querySelector("details[open]");
    if (!fixed && every) state.timer = setTimeout(() => (busy() ? plan() : load()), every * 1000);
  }

  const refreshSeconds = () => Number(state.query.get("refresh") ?? (state.picture || {}).refresh ?? 0);

  function zoom(from, to, chart) {
    if (fixed) { chart.setScale("x", { min: from, max: to }); return; }
    go((query) => { query.set("from", Math.round(from * 1000)); query.set("to", Math.round(to * 1000)); });
  }

  /* A link of Grafana's, its variables filled in: boards have the same addresses here. */
  function link(url, { labels, fields }) {
    const picture = state.picture;
    const time = `from=${encodeURIComponent(picture.from)}&to=${encodeURIComponent(picture.to)}`;
    const variables = new Map(picture.variables.map((variable) => [variable.name, variable]));
    const filled = url.replace(/\$\{([^}]+)\}/g, (whole, inside) => {
      const [name, how] = inside.split(":");
      if (name === "__url_time_range") return time;
      if (name === "__all_variables") return picture.variables.map((each) => each.query).join("&");
      const label = /^__field\.labels\.(\w+)$/.exec(name) || /^__data\.fields\.(\w+)$/.exec(name);
      if (label) return encodeURIComponent((name.startsWith("__field") ? labels : fields)[label[1]] ?? "");
      const variable = variables.get(name);
      if (!variable) return whole;
      return how === "queryparam" ? variable.query : encodeURIComponent(variable.selected.join(","));
    });
    return fixed ? `#${/\/d\/([\w-]+)/.exec(filled)?.[1] || state.uid}` : filled.startsWith("/") || /^https?:/.test(filled) ? filled : "#";
  }

  /* ---- the head of the page ---- */

  function head() {
    const picture = state.picture;
    const title = el("h1", {}, picture ? picture.title : document.title);
    const boards = el("nav", { "aria-label": "Boards" }, picker("Board", given.boards.map((board) => [board.uid, board.title]), state.uid, open));
    const controls = picture ? [...picture.variables.filter((each) => !each.hidden).map(variableControl), annotationControl(picture), timeControl(picture), refreshControl()] : [];
    return el("header", { class: "head" }, title, el("div", { class: "controls" }, boards, ...controls, themeControl()),
      el("p", { class: "preview-note", role: "note" }, "A preview drawn by obs with uPlot. It is not Grafana's renderer: details will differ there."));
  }

  function open(uid) {
    if (fixed) { location.hash = uid; return; }
    const next = new URLSearchParams();
    for (const [name, value] of state.query) if (name.startsWith("var-") || name === "from" || name === "to" || name === "refresh") next.append(name, value);
    state.uid = uid;
    state.query = next;
    go(() => {});
  }

  function picker(label, options, selected, choose, enabled = true) {
    const select = el("select", { "aria-label": label, disabled: !enabled, onchange: () => choose(select.value) },
      ...options.map(([value, text]) => el("option", { value, selected: value === selected }, text)));
    return el("label", { class: "control" }, el("span", {}, label), select);
  }

  function variableControl(variable) {
    const all = "$__all";
    if (!variable.multi) {
      const options = [...(variable.includeAll ? [[all, "All"]] : []), ...variable.options.map((each) => [each, each])];
      const choose = (value) => go((query) => query.set(`var-${variable.name}`, value));
      return picker(variable.label, options, variable.selected[0], choose, !fixed);
    }
    const isAll = variable.selected.includes(all);
    const shown = isAll ? "All" : variable.selected.length > 2 ? `${variable.selected.length} chosen` : variable.selected.join(", ") || "none";
    const box = el("fieldset", {}, el("legend", {}, variable.label));
    const search = el("input", { type: "search", placeholder: "Filter", "aria-label": `Filter ${variable.label}` });
    if (variable.options.length > 10) box.append(search);
    const choices = (variable.includeAll ? [[all, "All"]] : []).concat(variable.options.map((each) => [each, each]));
    const items = choices.map(([value, text]) => el("label", {}, el("input", { type: "checkbox", value, checked: variable.selected.includes(value), disabled: fixed }), text));
    box.append(el("div", { class: "choices" }, ...items));
    search.addEventListener("input", () => items.forEach((item) => { item.hidden = !item.textContent.toLowerCase().includes(search.value.toLowerCase()); }));
    const details = el("details", { class: "control picker" }, el("summary", {}, el("span", {}, variable.label), el("b", {}, shown)), box);
    box.addEventListener("change", (event) => {
      if (event.target.type !== "checkbox") return;
      const checked = [...box.querySelectorAll("input:checked")].map((input) => input.value);
      const chosen = event.target.value === all || !checked.length ? [all] : checked.filter((value) => value !== all);
      box.querySelectorAll("input[type=checkbox]").forEach((input) => { input.checked = chosen.includes(input.value); });
      details.dataset.chosen = JSON.stringify(chosen);
    });
    details.addEventListener("toggle", () => {
      if (details.open || !details.dataset.chosen) return;
      const chosen = JSON.parse(details.dataset.chosen);
      go((query) => { query.delete(`var-${variable.name}`); chosen.forEach((value) => query.append(`var-${variable.name}`, value)); });
    });
    details.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      details.open = false;
      details.querySelector("summary").focus();
    });
    return details;
  }

  function annotationControl(picture) {
    if (!picture.annotations.length) return null;
    const change = () => go((query) => {
      query.delete("annotations");
      const on = [...box.querySelectorAll("input:checked")].map((input) => input.value);
      (on.length ? on : [""]).forEach((name) => query.append("annotations", name));
    });
    const box = el("fieldset", {}, el("legend", {}, "Marks on time axes"), el("div", { class: "choices" }, ...picture.annotations.map((each) => {
      const input = el("input", { type: "checkbox", value: each.name, checked: each.on, disabled: fixed, onchange: change });
      return el("label", {}, input, Charts.swatch(Format.color(each.color)), each.name);
    })));
    const on = picture.annotations.filter((each) => each.on).length;
    return el("details", { class: "control picker" }, el("summary", {}, el("span", {}, "Marks"), el("b", {}, `${on} of ${picture.annotations.length}`)), box);
  }

  function timeControl(picture) {
    const now = /^now-(\w+)$/.exec(picture.from);
    const options = RANGES.map((each) => [each, `Last ${each}`]);
    if (!now || picture.to !== "now") options.unshift(["", `${Charts.moment(picture.start)} …`]);
    else if (!RANGES.includes(now[1])) options.unshift([now[1], `Last ${now[1]}`]);
    const choose = (value) => value && go((query) => { query.set("from", `now-${value}`); query.set("to", "now"); });
    return picker("Time", options, now && picture.to === "now" ? now[1] : "", choose, !fixed);
  }

  function refreshControl() {
    if (fixed) return null;
    const now = refreshSeconds();
    const options = [...new Set([...REFRESH, now])].sort((a, b) => a - b).map((each) => [String(each), each ? `every ${each < 60 ? `${each} s` : `${each / 60} min`}` : "off"]);
    return el("span", { class: "refresh" }, picker("Refresh", options, String(now), (value) => { state.query.set("refresh", value); go(() => {}, false); }),
      el("button", { type: "button", class: "plain", "aria-label": "Refresh now", title: "Refresh now", onclick: load }, "⟳"));
  }

  function themeControl() {
    const swap = () => {
      document.documentElement.dataset.theme = Format.isLight() ? "dark" : "light";
      try { localStorage.setItem("obs-theme", document.documentElement.dataset.theme); } catch { /* a file may have no storage */ }
      render();
    };
    const name = Format.isLight() ? "Dark" : "Light";
    return el("button", { type: "button", class: "plain", onclick: swap, "aria-label": `${name} colours` }, name);
  }

  /* ---- the body of the page ---- */

  function render() {
    if (!state.uid) { index(); return; }
    const focus = focused();
    const { scrollX, scrollY } = window;
    forget();
    Charts.setZone(state.picture.timezone);
    document.title = state.picture.title;
    const main = el("main", { id: "main" }, ...state.picture.sections.map(section));
    root.replaceChildren(el("a", { class: "skip", href: "#main" }, "Skip to the panels"), head(), main);
    for (const { draw } of waiting.splice(0)) draw();
    window.scrollTo(scrollX, scrollY);
    refocus(focus);
    document.body.dataset.ready = "true";
  }

  const focused = () => {
    const active = document.activeElement;
    return active && active !== document.body ? active.dataset.focus || active.getAttribute("aria-label") : null;
  };
  function refocus(name) {
    if (!name) return;
    const found = [...root.querySelectorAll("[data-focus], [aria-label]")].find((each) => (each.dataset.focus || each.getAttribute("aria-label")) === name);
    if (found) found.focus({ preventScroll: true });
  }

  const waiting = [];

  function section(each) {
    const holder = el("section", { class: "row" });
    if (each.title) {
      const press = () => (fixed ? toggleFixed(each) : go((query) => {
        const open = new Set(query.getAll("open"));
        if (open.has(String(each.id))) open.delete(String(each.id)); else open.add(String(each.id));
        query.delete("open");
        open.forEach((id) => query.append("open", id));
      }));
      const canClose = each.panels.length === 0 || state.query.getAll("open").includes(String(each.id)) || fixed;
      const name = `${each.title}`;
      const button = el("button", { type: "button", "aria-expanded": String(each.open), disabled: !canClose, onclick: press, "data-focus": `row-${each.id}` },
        el("span", { "aria-hidden": "true" }, each.open ? "▾ " : "▸ "), name, each.open ? null : el("small", {}, ` ${each.count} panels`));
      holder.append(el("h2", {}, canClose ? button : name));
    }
    if (each.open && each.panels.length) holder.append(grid(each.panels));
    return holder;
  }

  function toggleFixed(each) { each.open = !each.open; render(); }

  function grid(panels) {
    const top = Math.min(...panels.map((panel) => panel.raw.gridPos.y));
    const made = el("div", { class: "grid" });
    for (const panel of [...panels].sort((a, b) => a.raw.gridPos.y - b.raw.gridPos.y || a.raw.gridPos.x - b.raw.gridPos.x)) {
      const { x, y, w, h } = panel.raw.gridPos;
      const box = panelBox(panel);
      box.style.setProperty("--x", x + 1);
      box.style.setProperty("--y", y - top + 1);
      box.style.setProperty("--w", w);
      box.style.setProperty("--h", h);
      box.style.setProperty("--tall", `${h * GRID_ROW + (h - 1) * GAP}px`);
      made.append(box);
    }
    return made;
  }

  function panelBox(panel) {
    const { raw } = panel;
    const id = `panel-${raw.id}`;
    const mine = remembered(panel);
    const body = el("div", { class: "body" });
    const box = el("section", { class: `panel kind-${raw.type}${raw.transparent ? " transparent" : ""}`, id, "data-kind": raw.type, "aria-labelledby": raw.title ? `${id}-title` : null });
    if (raw.title) box.append(el("div", { class: "panel-head" }, el("h3", { id: `${id}-title`, title: raw.title }, raw.title), ...panelTools(panel, mine)));
    box.append(body);
    waiting.push({ draw: () => drawPanel(panel, box, body, mine) });
    return box;
  }

  function panelTools(panel, mine) {
    const tools = [];
    const { raw } = panel;
    if (ON_TIME.has(raw.type)) {
      const press = () => { mine.table = !mine.table; render(); };
      tools.push(el("button", { type: "button", class: "tool", "aria-pressed": String(mine.table), onclick: press, "data-focus": `table-${raw.id}`, "aria-label": `${raw.title} as a table`, title: "Show as a table" }, "≡"));
    }
    if (raw.description || panel.exprs.length) {
      tools.push(el("details", { class: "about" }, el("summary", { class: "tool", "aria-label": `About ${raw.title}`, title: "About this panel" }, "i"),
        el("div", { class: "about-box" }, Panels.markdown(raw.description || ""), ...panel.exprs.map((expr) => el("pre", {}, expr)))));
    }
    return tools;
  }

  function drawPanel(panel, box, body, mine) {
    const draw = DRAW[panel.raw.type];
    panel.view = [state.picture.start, state.picture.end];
    const left = panel.frames.reduce((sum, frame) => sum + frame.left_out, 0);
    if (panel.errors.length) box.querySelector(".panel-head")?.append(el("span", { class: "problem", role: "alert", title: panel.errors.join("\n") }, "!"));
    if (!draw) return message(box, body, "unsupported", `The preview does not draw panels of type ${panel.raw.type}.`);
    const rows = panel.table ? panel.table.rows.length : panel.frames.reduce((sum, frame) => sum + frame.series.length, 0);
    if (panel.raw.type !== "text" && !rows) {
      if (panel.errors.length) return message(box, body, "error", panel.errors.join("; "));
      const config = (panel.raw.fieldConfig || {}).defaults || {};
      return message(box, body, "empty", config.noValue || "No data");
    }
    const context = {
      hidden: mine.hidden, sort: mine.sort, link, annotations: state.picture.annotations.filter((each) => each.on),
      toggle: (name) => { if (!mine.hidden.delete(name)) mine.hidden.add(name); redraw(); },
      resort: (sort) => { mine.sort = sort; redraw(); },
    };
    const redraw = () => {
      charts = charts.filter(({ chart, holder }) => !body.contains(holder) || (chart.destroy(), false));
      paint(panel, body, mine, context, draw);
    };
    paint(panel, body, mine, context, draw);
    if (left) body.append(el("p", { class: "note" }, `${left} more series are not drawn.`));
    box.dataset.state = panel.errors.length ? "error" : "drawn";
    return undefined;
  }

  function paint(panel, body, mine, context, draw) {
    body.replaceChildren();
    if (!ON_TIME.has(panel.raw.type)) { draw(body, panel, context); return; }
    if (mine.table) { body.append(Panels.asTable(panel)); return; }
    const plot = el("div", { class: "plot" });
    const legend = panel.raw.type === "timeseries" ? Panels.legend(panel, context) : null;
    if (legend && ((panel.raw.options || {}).legend || {}).placement === "right") body.classList.add("beside");
    body.append(plot, ...(legend ? [legend] : []));
    keep(draw(plot, panel, context), plot);
  }

  function message(box, body, kind, text) {
    box.dataset.state = kind;
    body.append(el("p", { class: "message" }, text));
  }

  function trouble(text) {
    const alert = el("p", { class: "trouble", role: "alert" }, `The board could not be loaded: ${text} `, el("button", { type: "button", onclick: load }, "Try again"));
    const old = root.querySelector(".trouble");
    if (old) old.replaceWith(alert); else root.prepend(alert);
    document.body.dataset.ready = "error";
  }

  function index() {
    const items = given.boards.map((board) => el("li", {}, el("a", { href: fixed ? `#${board.uid}` : `/d/${encodeURIComponent(board.uid)}` }, board.title), el("p", {}, board.question)));
    root.replaceChildren(el("header", { class: "head" }, el("h1", {}, "Boards"), el("div", { class: "controls" }, themeControl()),
      el("p", { class: "preview-note", role: "note" }, "A preview drawn by obs with uPlot. It is not Grafana's renderer: details will differ there.")), el("main", { id: "main" }, el("ul", { class: "boards" }, ...items)));
    document.body.dataset.ready = "true";
  }

  /* ---- begin ---- */

  function begin() {
    let theme = null;
    try { theme = localStorage.getItem("obs-theme"); } catch { /* a file may have no storage */ }
    document.documentElement.dataset.theme = theme || (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
    const resized = new ResizeObserver(() => {
      for (const { chart, holder } of charts) {
        const { clientWidth: width, clientHeight: height } = holder;
        if (width && height && (Math.abs(chart.width - width) > 1 || Math.abs(chart.height - height) > 1)) chart.setSize({ width, height });
      }
    });
    resized.observe(root);
    document.addEventListener("click", (event) => {
      root.querySelectorAll("details.control[open], details.about[open]").forEach((each) => { if (!each.contains(event.target)) each.open = false; });
    });
    window.addEventListener("popstate", () => {
      state.uid = decodeURIComponent(/^\/d\/([^/]+)/.exec(location.pathname)?.[1] || state.uid || "");
      state.query = new URLSearchParams(location.search);
      load();
    });
    window.addEventListener("hashchange", () => { if (fixed && given.pictures[location.hash.slice(1)]) { state.uid = location.hash.slice(1); load(); window.scrollTo(0, 0); } });
    if (fixed && given.pictures[location.hash.slice(1)]) state.uid = location.hash.slice(1);
    if (state.uid) load(); else index();
  }

  return { begin, keep, zoom };
})();

App.begin();
