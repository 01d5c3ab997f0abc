"use strict";
/* Panels on a time axis, drawn by uPlot: lines, states over time, heatmaps. */

const Charts = (() => {
  const el = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "class") made.className = value;
      else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const faded = (hex, share) => {
    if (!/^#[0-9a-f]{6}$/i.test(hex)) return hex;
    return hex + Math.round(255 * share).toString(16).padStart(2, "0");
  };

  function times(panel) {
    const count = Math.max(1, ...panel.frames.flatMap((frame) => frame.series.map((one) => one.values.length)));
    const step = panel.step || 1;
    return Array.from({ length: count }, (_, index) => panel.start + index * step);
  }

  /* Every series of a panel with its field options and colour. */
  function lines(panel) {
    const found = [];
    for (const frame of panel.frames) {
      for (const one of frame.series) {
        const config = Format.fieldConfig(panel, one.name, frame.ref);
        found.push({ ...one, ref: frame.ref, config, color: Format.seriesColor(config, found.length) });
      }
    }
    return found;
  }

  /* Times as people read them, in the board's time zone or the viewer's own. */
  let zone;
  const setZone = (name) => {
    zone = undefined;
    if (!name) return;
    try { new Intl.DateTimeFormat([], { timeZone: name }); zone = name; } catch { /* a name no browser knows: the viewer's own */ }
  };
  const said = (seconds, options) => new Date(seconds * 1000).toLocaleString([], { hour12: false, timeZone: zone, ...options });
  const clock = (seconds) => said(seconds, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const moment = (seconds) => said(seconds);

  function timeAxis() {
    const short = (value) => said(value, { hour: "2-digit", minute: "2-digit" });
    const day = (value) => said(value, { month: "short", day: "numeric" });
    return {
      stroke: css("--muted"), grid: { stroke: css("--grid"), width: 1 }, ticks: { stroke: css("--grid"), width: 1, size: 4 },
      font: "11px system-ui, sans-serif", size: 28, space: 64,
      values: (u, splits) => {
        const gap = splits.length > 1 ? splits[1] - splits[0] : 60;
        return splits.map((value) => (gap >= 86400 ? day(value) : gap < 60 ? clock(value) : short(value)));
      },
    };
  }

  const ruler = document.createElement("canvas").getContext("2d");
  function textWidth(texts) {
    ruler.font = "11px system-ui, sans-serif";
    return Math.max(0, ...texts.map((text) => ruler.measureText(text).width));
  }

  /* Distances of marks that read well in a unit: whole seconds and minutes, powers of 1024. */
  function increments(config) {
    const times = [1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800];
    if (config.unit === "s") return times;
    if (config.unit === "ms") return times.map((each) => each * 1000);
    if (config.unit === "bytes") return Array.from({ length: 50 }, (_, power) => 2 ** power);
    return undefined;
  }

  function valueAxis(config) {
    return {
      incrs: increments(config),
      stroke: css("--muted"), grid: { stroke: css("--grid"), width: 1 }, ticks: { show: false }, gap: 6,
      font: "11px system-ui, sans-serif",
      values: (u, splits) => splits.map((value) => Format.unit(value, config)),
      size: (u, texts) => Math.ceil(textWidth(texts || [])) + 14,
    };
  }

  function valueRange(config) {
    return (u, low, high) => {
      if (low === null || high === null) return [0, 1];
      const room = (high - low || Math.abs(high)) * 0.1 || 1;
      let from = low >= 0 && low - room < (high - low) * 0.5 + room ? 0 : low - room;
      let to = high + room;
      if (typeof config.min === "number") from = Math.min(config.min, low);
      if (typeof config.max === "number") to = Math.max(config.max, high);
      return to > from ? [from, to] : [from, from + 1];
    };
  }

  /* Gaps shorter than `spanNulls` milliseconds are drawn through, as in Grafana. */
  function gapsOver(milliseconds) {
    return (u, index, from, to, gaps) => gaps.filter(([left, right]) =>
      1000 * (u.posToVal(right, "x", true) - u.posToVal(left, "x", true)) > milliseconds);
  }

  function stacked(all, hidden) {
    const sums = {};
    return all.map((one) => {
      const stacking = one.config.custom.stacking || {};
      if (stacking.mode !== "normal" || hidden.has(one.name)) return one.values;
      const key = stacking.group || "A";
      const below = sums[key] || one.values.map(() => 0);
      sums[key] = one.values.map((value, index) => (value || 0) + below[index]);
      return sums[key].map((value, index) => (one.values[index] === null && below[index] === 0 ? null : value));
    });
  }

  function bandsOf(all, hidden) {
    const bands = [];
    const last = {};
    all.forEach((one, index) => {
      const stacking = one.config.custom.stacking || {};
      if (stacking.mode !== "normal" || hidden.has(one.name)) return;
      const key = stacking.group || "A";
      if (last[key]) bands.push({ series: [index + 1, last[key]], fill: faded(one.color, share(one)) });
      last[key] = index + 1;
    });
    return bands;
  }

  const share = (one) => ((one.config.custom.fillOpacity ?? 0) / 100);

  function thresholdLines(panel) {
    const defaults = (panel.raw.fieldConfig || {}).defaults || {};
    const mode = ((defaults.custom || {}).thresholdsStyle || {}).mode || "off";
    if (mode === "off") return [];
    return ((defaults.thresholds || {}).steps || []).filter((step) => typeof step.value === "number");
  }

  function drawThresholds(u, steps) {
    const { ctx } = u;
    ctx.save();
    ctx.setLineDash([8, 6]);
    ctx.lineWidth = 1.5 * devicePixelRatio;
    for (const step of steps) {
      const y = u.valToPos(step.value, "y", true);
      if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) continue;
      ctx.strokeStyle = Format.color(step.color);
      ctx.beginPath();
      ctx.moveTo(u.bbox.left, y);
      ctx.lineTo(u.bbox.left + u.bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  }

  function drawEvents(u, annotations) {
    const { ctx } = u;
    ctx.save();
    ctx.setLineDash([3, 3]);
    for (const annotation of annotations) {
      ctx.strokeStyle = ctx.fillStyle = Format.color(annotation.color);
      for (const event of annotation.events) {
        const x = u.valToPos(event.time, "x", true);
        if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
        ctx.beginPath();
        ctx.moveTo(x, u.bbox.top);
        ctx.lineTo(x, u.bbox.top + u.bbox.height);
        ctx.stroke();
        ctx.beginPath();
        const bottom = u.bbox.top + u.bbox.height, size = 4 * devicePixelRatio;
        ctx.moveTo(x - size, bottom + size);
        ctx.lineTo(x + size, bottom + size);
        ctx.lineTo(x, bottom);
        ctx.fill();
      }
    }
    ctx.restore();
  }

  function eventsNear(u, annotations, at) {
    const reach = Math.abs(u.posToVal(6, "x") - u.posToVal(0, "x"));
    return annotations.flatMap((annotation) => annotation.events
      .filter((event) => Math.abs(event.time - at) <= reach)
      .map((event) => ({ name: `${annotation.name}: ${event.text}`, color: Format.color(annotation.color) })));
  }

  /* A box beside the cursor; `rows(index, left, top)` says what is in it. */
  function tooltip(rows) {
    const box = el("div", { class: "tip", hidden: true });
    const show = (u) => {
      const { idx, left, top } = u.cursor;
      const mine = u.over.matches(":hover") || u.root.contains(document.activeElement);
      const content = idx === null || idx === undefined || left < 0 || !mine ? null : rows(u, idx, left, top);
      box.hidden = !content;
      if (!content) return;
      box.replaceChildren(el("div", { class: "tip-time" }, moment(u.data[0][idx])), ...content.slice(0, 21).map((row) =>
        el("div", { class: `tip-row${row.near ? " near" : ""}` }, swatch(row.color), el("span", {}, row.name),
          el("b", {}, row.text || ""))));
      const right = left > u.over.clientWidth / 2;
      box.style.left = right ? "" : `${left + 14}px`;
      box.style.right = right ? `${u.over.clientWidth - left + 14}px` : "";
      box.style.top = `${Math.max(-20, Math.min(top, u.over.clientHeight - 40))}px`;
    };
    return { hooks: { init: [(u) => u.over.append(box)], setCursor: [show] } };
  }

  const swatch = (color) => {
    const made = el("i", { class: "swatch", "aria-hidden": "true" });
    made.style.background = color;
    return made;
  };

  /* Arrow keys move the cursor of a focused chart, Home and End take it to either end. */
  function keyboard(u) {
    u.root.tabIndex = 0;
    u.root.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
      if (!by) return;
      event.preventDefault();
      const now = u.cursor.idx ?? (by > 0 ? -1 : u.data[0].length);
      const next = Math.max(0, Math.min(u.data[0].length - 1, now + by));
      const left = Math.min(u.over.clientWidth - 1, Math.max(0, u.valToPos(u.data[0][next], "x")));
      u.setCursor({ left, top: u.over.clientHeight / 2 });
    });
    u.root.addEventListener("blur", () => u.setCursor({ left: -10, top: -10 }));
  }

  function zoom(u) {
    const { left, width } = u.select;
    if (width < 4) return;
    App.zoom(u.posToVal(left, "x"), u.posToVal(left + width, "x"), u);
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  function base(holder, panel, extra) {
    const width = Math.max(80, holder.clientWidth);
    const height = Math.max(60, holder.clientHeight);
    return {
      width, height, tzDate: (at) => (zone ? uPlot.tzDate(new Date(at * 1000), zone) : new Date(at * 1000)), legend: { show: false }, padding: [8, 10, 0, 0],
      scales: { x: { time: true, range: () => panel.view }, ...extra.scales },
      cursor: { sync: { key: "board" }, drag: { x: true, y: false, setScale: false }, points: extra.points, y: false },
      series: extra.series, axes: extra.axes, bands: extra.bands, plugins: extra.plugins,
      hooks: { draw: extra.draw || [], setSelect: [zoom] },
    };
  }

  function made(holder, options, data, label) {
    const u = new uPlot(options, data, holder);
    u.root.setAttribute("role", "img");
    u.root.setAttribute("aria-label", label);
    keyboard(u);
    return u;
  }

  function summary(panel, all) {
    const last = all.slice(0, 8).map((one) => `${one.name}: ${Format.display(Format.reduce(one.values, "lastNotNull"), one.config).text}`);
    const rest = all.length > 8 ? `, and ${all.length - 8} more` : "";
    return `${panel.raw.title || "chart"}. Last values: ${last.join(", ")}${rest}. Arrow keys move the cursor.`;
  }

  function timeseries(holder, panel, context) {
    const all = lines(panel);
    const hidden = context.hidden;
    const config = ((panel.raw.fieldConfig || {}).defaults) || {};
    const steps = thresholdLines(panel);
    const series = all.map((one) => {
      const custom = one.config.custom;
      const dash = (custom.lineStyle || {}).fill === "dash" ? (custom.lineStyle.dash || [10, 10]) : undefined;
      const limit = custom.spanNulls;
      const bars = custom.drawStyle === "bars" ? uPlot.paths.bars({ size: [0.8, 60] }) : undefined;
      return {
        label: one.name, stroke: one.color, width: Math.max(1, custom.lineWidth ?? 1), dash, show: !hidden.has(one.name),
        fill: share(one) ? faded(one.color, share(one)) : undefined, points: { show: custom.showPoints === "always" },
        spanGaps: limit === true, gaps: typeof limit === "number" ? gapsOver(limit) : undefined, paths: bars,
      };
    });
    const data = [times(panel), ...stacked(all, hidden)];
    const rows = (u, index, left, top) => {
      const at = u.posToVal(top, "y");
      const there = all.map((one, place) => ({ one, value: one.values[index], drawn: data[place + 1][index] }))
        .filter((row) => row.value !== null && row.value !== undefined && !hidden.has(row.one.name));
      const near = Math.min(...there.map((row) => Math.abs(row.drawn - at)));
      const single = ((panel.raw.options || {}).tooltip || {}).mode === "single";
      const chosen = single ? there.filter((row) => Math.abs(row.drawn - at) === near) : there.sort((a, b) => b.value - a.value);
      return [...eventsNear(u, context.annotations, u.data[0][index]), ...chosen.map((row) => ({
        name: row.one.name, color: row.one.color, text: Format.display(row.value, row.one.config).text,
        near: !single && Math.abs(row.drawn - at) === near,
      }))];
    };
    const options = base(holder, panel, {
      scales: { y: { range: valueRange(config) } }, series: [{}, ...series], bands: bandsOf(all, hidden),
      axes: [timeAxis(), valueAxis(config)], plugins: [tooltip(rows)],
      draw: [(u) => drawThresholds(u, steps), (u) => drawEvents(u, context.annotations)],
    });
    return made(holder, options, data, summary(panel, all));
  }

  /* Runs of equal values: [from index, to index (exclusive), value]; null where nothing is known. */
  function runs(values, merge) {
    const found = [];
    values.forEach((value, index) => {
      const last = found[found.length - 1];
      if (merge && last && last[2] === value) last[1] = index + 1;
      else found.push([index, index + 1, value]);
    });
    return found;
  }

  function states(holder, panel, context) {
    const history = panel.raw.type === "status-history";
    const all = lines(panel);
    const options = panel.raw.options || {};
    const axis = times(panel);
    const step = panel.step || 60;
    const narrow = holder.clientWidth < 500;
    const names = all.map((one) => shortened(one.name, narrow ? 110 : 230));
    const line = (holder.clientHeight - 40) / Math.max(1, all.length); // pixels a row has for its name
    const every = Math.ceil(9 / Math.max(1, line));
    const draw = (u) => {
      const { ctx, bbox } = u;
      const tall = bbox.height / Math.max(1, all.length);
      const inset = tall * (1 - (options.rowHeight ?? 0.9)) / 2;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
      ctx.textBaseline = "middle";
      ctx.textAlign = "left";
      all.forEach((one, row) => {
        const top = bbox.top + row * tall + inset;
        const high = Math.max(2, tall - 2 * inset);
        for (const [from, to, value] of runs(one.values, !history && options.mergeValues !== false)) {
          if (value === null) continue;
          const left = u.valToPos(axis[from] - (history ? step / 2 : 0), "x", true);
          const right = u.valToPos(axis[to - 1] + (history ? step / 2 : step), "x", true);
          const gap = history ? Math.min(2, (right - left) * (1 - (options.colWidth ?? 0.9)) / 2) : 0;
          const shown = Format.display(value, one.config);
          ctx.fillStyle = shown.color;
          ctx.globalAlpha = Math.max(0.35, (one.config.custom.fillOpacity ?? 70) / 100);
          ctx.fillRect(left + gap, top, Math.max(1, right - left - 2 * gap), high);
          ctx.globalAlpha = 1;
          const space = right - left - 10 * devicePixelRatio;
          if (options.showValue !== "never" && high > 12 * devicePixelRatio && ctx.measureText(shown.text).width < space) {
            ctx.fillStyle = css("--on-state");
            const start = Math.max(left, bbox.left);
            ctx.fillText(shown.text, start + 5 * devicePixelRatio, top + high / 2);
          }
        }
      });
      ctx.restore();
      drawEvents(u, context.annotations);
    };
    const rows = (u, index, left, top) => {
      const row = Math.min(all.length - 1, Math.max(0, Math.floor(top / (u.over.clientHeight / all.length))));
      const one = all[row];
      if (!one) return null;
      const shown = Format.display(one.values[index] ?? null, one.config);
      return [{ name: one.name, color: shown.color, text: shown.text }, ...eventsNear(u, context.annotations, u.data[0][index])];
    };
    const namesAxis = {
      stroke: css("--text"), font: `${Math.max(8, Math.min(11, Math.floor(line * every)))}px system-ui, sans-serif`,
      grid: { show: false }, ticks: { show: false }, gap: 8,
      splits: () => all.map((_, row) => all.length - row - 0.5), values: () => names.map((name, row) => (row % every ? "" : name)),
      size: () => Math.ceil(textWidth(names)) + 16,
    };
    return made(holder, base(holder, panel, {
      scales: { y: { range: () => [0, Math.max(1, all.length)] } }, series: [{}, { show: false }], points: { show: false },
      axes: [timeAxis(), namesAxis], plugins: [tooltip(rows)], draw: [draw],
    }), [axis, axis.map(() => 0)], summary(panel, all));
  }

  function shortened(text, width) {
    if (textWidth([text]) <= width) return text;
    let tail = text;
    while (tail.length > 3 && textWidth([`…${tail}`]) > width) tail = tail.slice(1);
    return `…${tail}`;
  }

  /* Rows of a heatmap: one a series, or values counted into equal steps when the panel asks to calculate. */
  function cells(panel, all) {
    const options = panel.raw.options || {};
    const length = times(panel).length;
    if (!options.calculate) {
      const sorted = [...all].sort((a, b) => parseFloat(a.name) - parseFloat(b.name));
      return { labels: sorted.map((one) => one.name), rows: sorted.map((one) => one.values) };
    }
    const values = all.flatMap((one) => one.values).filter((value) => value !== null);
    const many = Number(((options.calculation || {}).yBuckets || {}).value) || 10;
    const low = Math.min(...values), high = Math.max(...values);
    const size = (high - low || 1) / many;
    const rows = Array.from({ length: many }, () => Array.from({ length }, () => null));
    for (const one of all) {
      one.values.forEach((value, index) => {
        if (value === null) return;
        const row = Math.min(many - 1, Math.floor((value - low) / size));
        rows[row][index] = (rows[row][index] || 0) + 1;
      });
    }
    const config = ((panel.raw.fieldConfig || {}).defaults) || {};
    return { labels: rows.map((_, row) => Format.unit(Number((low + row * size).toPrecision(3)), config)), rows };
  }

  const mixed = (from, to, at) => `rgb(${from.map((value, index) => Math.round(value + (to[index] - value) * at)).join(",")})`;
  function heat(at) {
    const steps = Format.isLight() ? [[255, 240, 220], [253, 174, 107], [166, 54, 3]] : [[50, 32, 18], [217, 95, 14], [255, 228, 190]];
    return at < 0.5 ? mixed(steps[0], steps[1], at * 2) : mixed(steps[1], steps[2], at * 2 - 1);
  }

  function heatmap(holder, panel, context) {
    const all = lines(panel);
    const { labels, rows } = cells(panel, all);
    const axis = times(panel);
    const step = panel.step || 60;
    const highest = Math.max(0, ...rows.flat().map((value) => value || 0)) || 1;
    const power = ((panel.raw.options || {}).color || {}).exponent || 0.5;
    const draw = (u) => {
      const { ctx, bbox } = u;
      const tall = bbox.height / Math.max(1, rows.length);
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      rows.forEach((row, place) => {
        const top = bbox.top + bbox.height - (place + 1) * tall;
        row.forEach((value, index) => {
          if (!value) return;
          const left = u.valToPos(axis[index], "x", true);
          const right = u.valToPos(axis[index] + step, "x", true);
          ctx.fillStyle = heat((value / highest) ** power);
          ctx.fillRect(left, top + 0.5, Math.max(1, right - left - 0.5), tall - 1);
        });
      });
      ctx.restore();
      drawEvents(u, context.annotations);
    };
    const tip = (u, index, left, top) => {
      const place = rows.length - 1 - Math.floor(top / (u.over.clientHeight / rows.length));
      const row = rows[place];
      if (!row) return null;
      const value = row[index] ?? null;
      return [{ name: labels[place], color: value ? heat((value / highest) ** power) : "transparent", text: value === null ? "0" : String(value) }];
    };
    const bucketAxis = {
      stroke: css("--muted"), font: "11px system-ui, sans-serif", grid: { show: false }, ticks: { show: false },
      splits: () => labels.map((_, row) => row + 0.5), values: () => labels, size: () => Math.ceil(textWidth(labels)) + 16,
    };
    return made(holder, base(holder, panel, {
      scales: { y: { range: () => [0, Math.max(1, rows.length)] } }, series: [{}, { show: false }], points: { show: false },
      axes: [timeAxis(), bucketAxis], plugins: [tooltip(tip)], draw: [draw],
    }), [axis, axis.map(() => 0)], `${panel.raw.title}: a heatmap of ${rows.length} rows, ${highest} at most in a cell.`);
  }

  return { el, css, faded, setZone, moment, times, lines, swatch, timeseries, states, heatmap };
})();
