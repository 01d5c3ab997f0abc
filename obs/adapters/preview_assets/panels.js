"use strict";
/* Panels that are not on a time axis, and the legend. Everything that comes from data goes in as text, never as HTML. */

const Panels = (() => {
  const { el, lines, swatch } = Charts;

  function reducedAll(panel) {
    const calc = ((((panel.raw.options || {}).reduceOptions || {}).calcs) || ["lastNotNull"])[0];
    return lines(panel).map((one) => ({ ...one, value: Format.reduce(one.values, calc) }));
  }

  function stat(holder, panel) {
    const options = panel.raw.options || {};
    const all = reducedAll(panel);
    const shown = all.length ? all : [{ name: "", value: null, values: [], config: Format.fieldConfig(panel, "", "") }];
    const grid = el("div", { class: "stats" });
    for (const one of shown) {
      const { text, color, none } = Format.display(one.value, one.config);
      const name = all.length > 1 || options.textMode === "value_and_name" ? el("div", { class: "stat-name" }, one.name) : null;
      const value = el("div", { class: `stat-value${none ? " none" : ""}` }, text);
      const box = el("div", { class: "stat-box" }, name, value);
      if (options.colorMode === "background" || options.colorMode === "background_solid") {
        box.style.background = color;
        box.classList.add("filled");
      } else value.style.color = color;
      if (options.graphMode === "area" && one.values.length > 2) box.append(spark(one, color));
      grid.append(box);
    }
    holder.append(grid);
    const boxes = [...grid.children];
    const narrow = Math.min(holder.clientWidth / boxes.length, holder.clientWidth);
    for (const box of boxes) {
      const value = box.querySelector(".stat-value");
      const size = Math.min(46, holder.clientHeight * 0.5, 1.7 * narrow / Math.max(2, value.textContent.length));
      value.style.fontSize = `${Math.max(14, size)}px`;
    }
  }

  function spark(one, color) {
    const holder = el("div", { class: "spark", "aria-hidden": "true" });
    requestAnimationFrame(() => {
      if (!holder.clientWidth) return;
      const axis = one.values.map((_, index) => index);
      App.keep(new uPlot({
        width: holder.clientWidth, height: Math.max(16, holder.clientHeight), legend: { show: false }, cursor: { show: false },
        padding: [2, 0, 0, 0], scales: { x: { time: false } }, axes: [{ show: false }, { show: false }],
        series: [{}, { stroke: color, width: 1, fill: Charts.faded(color, 0.15), points: { show: false }, spanGaps: true }],
      }, [axis, one.values], holder), holder);
    });
    return holder;
  }

  function limits(panel, all) {
    const config = (panel.raw.fieldConfig || {}).defaults || {};
    const values = all.map((one) => one.value).filter((value) => value !== null);
    const low = config.min ?? Math.min(0, ...values);
    const high = config.max ?? (config.unit === "percentunit" ? 1 : config.unit === "percent" ? 100 : Math.max(0, ...values));
    return [low, high > low ? high : low + 1];
  }

  function bargauge(holder, panel) {
    const all = reducedAll(panel);
    const [low, high] = limits(panel, all);
    const list = el("div", { class: "bars" });
    for (const one of all) {
      const { text, color } = Format.display(one.value, one.config);
      const fill = el("div", { class: "bar-fill" });
      fill.style.width = `${one.value === null ? 0 : Math.max(0, Math.min(100, 100 * (one.value - low) / (high - low)))}%`;
      fill.style.background = color;
      const value = el("span", { class: "bar-value" }, text);
      value.style.color = color;
      const title = el("span", { class: "bar-name", title: one.name }, one.name);
      list.append(el("div", { class: "bar-row" }, title, el("div", { class: "bar-track", "aria-hidden": "true" }, fill), value));
    }
    holder.append(list);
  }

  function gauge(holder, panel) {
    const all = reducedAll(panel);
    const [low, high] = limits(panel, all);
    const grid = el("div", { class: "stats" });
    const arc = (share) => {
      const angle = Math.PI * (1 - share);
      return `${50 + 40 * Math.cos(angle)} ${50 - 40 * Math.sin(angle)}`;
    };
    for (const one of all) {
      const { text, color } = Format.display(one.value, one.config);
      const share = one.value === null ? 0 : Math.max(0, Math.min(1, (one.value - low) / (high - low)));
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      svg.setAttribute("viewBox", "0 0 100 58");
      svg.setAttribute("aria-hidden", "true");
      for (const [to, stroke] of [[1, "var(--track)"], [share, color]]) {
        const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
        path.setAttribute("d", `M 10 50 A 40 40 0 0 1 ${arc(to)}`);
        path.setAttribute("stroke-width", "10");
        path.setAttribute("fill", "none");
        path.style.stroke = stroke;
        svg.append(path);
      }
      const value = el("div", { class: "gauge-value" }, text);
      value.style.color = color;
      const name = all.length > 1 ? el("div", { class: "stat-name" }, one.name) : null;
      grid.append(el("div", { class: "gauge-box" }, svg, value, name));
    }
    holder.append(grid);
  }

  const byValue = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a ?? "").localeCompare(String(b ?? ""), [], { numeric: true }));

  function table(holder, panel, context) {
    const { columns, rows } = panel.table;
    const configs = columns.map((name) => Format.fieldConfig(panel, name, ""));
    const wanted = ((panel.raw.options || {}).sortBy || [])[0];
    const sort = context.sort || (wanted ? { column: columns.indexOf(wanted.displayName), down: wanted.desc } : { column: -1 });
    const sorted = sort.column < 0 ? rows : [...rows].sort((a, b) => (sort.down ? -1 : 1) * byValue(a[sort.column], b[sort.column]));
    const head = el("tr", {}, ...columns.map((name, column) => {
      const here = sort.column === column;
      const direction = here ? (sort.down ? "descending" : "ascending") : "none";
      const press = () => context.resort({ column, down: here ? !sort.down : typeof rows[0]?.[column] === "number" });
      const arrow = here ? (sort.down ? " ↓" : " ↑") : "";
      const numeric = rows.some((row) => typeof row[column] === "number");
      return el("th", { scope: "col", "aria-sort": direction, class: numeric ? "number" : null },
        el("button", { type: "button", onclick: press }, name + arrow));
    }));
    const body = sorted.slice(0, 500).map((row) => el("tr", {}, ...row.map((cell, column) => tableCell(cell, configs[column], columns, row, context))));
    const more = rows.length > 500 ? el("p", { class: "note" }, `${rows.length - 500} more rows are left out.`) : null;
    holder.append(el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${panel.raw.title}, a table` },
      el("table", {}, el("thead", {}, head), el("tbody", {}, ...body)), more));
  }

  function tableCell(cell, config, columns, row, context) {
    const number = typeof cell === "number" || cell === null;
    const shown = number ? Format.display(cell, config) : { text: cell };
    const how = ((config.custom || {}).cellOptions || {}).type;
    const link = (config.links || [])[0];
    const fields = Object.fromEntries(columns.map((name, index) => [name, row[index]]));
    const inside = link ? el("a", { href: context.link(link.url, { fields, labels: fields }), title: link.title }, shown.text) : shown.text;
    const made = el("td", { class: number ? "number" : null }, inside);
    if (how === "color-text" && shown.color) made.style.color = shown.color;
    if (how === "color-background" && shown.color) made.style.background = shown.color;
    return made;
  }

  /* The little of Markdown that boards use: headings, lists, emphasis, code and links to http addresses. */
  function markdown(text) {
    const holder = el("div", { class: "markdown" });
    for (const block of String(text).split(/\n\s*\n/)) {
      const heading = /^(#{1,4})\s+(.*)$/.exec(block.trim());
      const items = block.trim().split("\n");
      const columns = items.length > 1 && /^\s*\|?[\s:|-]+\|?\s*$/.test(items[1]) && items[1].includes("-") && items[0].includes("|");
      if (heading) holder.append(el(`h${Math.min(6, heading[1].length + 2)}`, {}, ...inline(heading[2])));
      else if (columns) holder.append(pipes(items));
      else if (items.every((line) => /^\s*[-*]\s+/.test(line))) {
        holder.append(el("ul", {}, ...items.map((line) => el("li", {}, ...inline(line.replace(/^\s*[-*]\s+/, ""))))));
      } else if (block.trim()) holder.append(el("p", {}, ...inline(block.trim().replace(/\n/g, " "))));
    }
    return holder;
  }

  function pipes(rows) {
    const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => inline(cell.trim()));
    const [head, , ...body] = rows;
    return el("table", {}, el("thead", {}, el("tr", {}, ...cells(head).map((cell) => el("th", { scope: "col" }, ...cell)))),
      el("tbody", {}, ...body.map((line) => el("tr", {}, ...cells(line).map((cell) => el("td", {}, ...cell))))));
  }

  function inline(text) {
    const found = [];
    const pattern = /\*\*(.+?)\*\*|`([^`]+)`|\[([^\]]+)\]\((https?:\/\/[^\s)]+|\/[^\s)]*)\)|\*([^*]+)\*/g;
    let last = 0;
    for (const match of text.matchAll(pattern)) {
      found.push(text.slice(last, match.index));
      if (match[1]) found.push(el("strong", {}, ...inline(match[1])));
      else if (match[2]) found.push(el("code", {}, match[2]));
      else if (match[3]) found.push(el("a", { href: match[4], rel: "noreferrer" }, match[3]));
      else found.push(el("em", {}, match[5]));
      last = match.index + match[0].length;
    }
    found.push(text.slice(last));
    return found;
  }

  function text(holder, panel) {
    holder.append(markdown((panel.raw.options || {}).content || ""));
  }

  function legend(panel, context) {
    const options = (panel.raw.options || {}).legend || {};
    if (options.showLegend === false) return null;
    const calcs = options.calcs || [];
    const rows = lines(panel).map((one) => ({ one, values: calcs.map((calc) => Format.reduce(one.values, calc)) }));
    const by = calcs.findIndex((calc) => Format.CALC_NAMES[calc] === options.sortBy);
    if (by >= 0) rows.sort((a, b) => (options.sortDesc ? -1 : 1) * ((a.values[by] ?? -Infinity) - (b.values[by] ?? -Infinity)));
    const press = (one) => el("button", {
      type: "button", class: "series", "aria-pressed": String(!context.hidden.has(one.name)), title: "Show or hide this series",
      onclick: () => context.toggle(one.name),
    }, swatch(one.color), el("span", {}, one.name));
    const jump = (one) => {
      const link = (one.config.links || [])[0];
      return link ? el("a", { class: "jump", href: context.link(link.url, { labels: one.labels, fields: one.labels }), title: link.title, "aria-label": `${link.title}: ${one.name}` }, "↗") : null;
    };
    if (options.displayMode !== "table") {
      return el("div", { class: "legend list" }, ...rows.map(({ one, values }) => el("span", {}, press(one), jump(one),
        ...calcs.map((calc, index) => el("small", {}, ` ${Format.CALC_NAMES[calc] || calc}: ${Format.display(values[index], one.config).text}`)))));
    }
    const head = el("tr", {}, el("th", { scope: "col" }, "Name"), ...calcs.map((calc) => el("th", { scope: "col", class: "number" }, Format.CALC_NAMES[calc] || calc)));
    const body = rows.map(({ one, values }) => el("tr", {}, el("td", {}, press(one), jump(one)),
      ...values.map((value) => el("td", { class: "number" }, Format.display(value, one.config).text))));
    return el("div", { class: "legend table", tabindex: "0", role: "group", "aria-label": "Legend" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...body)));
  }

  /* What a chart shows, as a table: for those who cannot see it. */
  function asTable(panel) {
    const calcs = ["lastNotNull", "min", "mean", "max"];
    const rows = lines(panel).map((one) => el("tr", {}, el("th", { scope: "row" }, one.name),
      ...calcs.map((calc) => el("td", { class: "number" }, Format.display(Format.reduce(one.values, calc), one.config).text))));
    const head = el("tr", {}, el("th", { scope: "col" }, "Name"), ...calcs.map((calc) => el("th", { scope: "col", class: "number" }, Format.CALC_NAMES[calc])));
    return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${panel.raw.title} as a table` },
      el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
  }

  return { stat, bargauge, gauge, table, text, legend, asTable, markdown };
})();
