"use strict";
/* How values look: units, mappings, thresholds, colours and reductions, by the rules of Grafana's field options. */

const Format = (() => {
  const PALETTE = [
    "green", "semi-dark-yellow", "light-blue", "semi-dark-orange", "red", "blue", "purple", "#705da0",
    "dark-green", "yellow", "#447ebc", "#c15c17", "#890f02", "#0a437c", "#6d1f62", "#584477",
    "light-green", "#f4d598", "#70dbed", "#f9ba8f",
  ];
  // Shade by name: [on dark, on light]. The ones for light are darker, so that text keeps a contrast of 4.5.
  const COLORS = {
    green: ["#73bf69", "#2f7d25"], "dark-green": ["#37872d", "#1f6016"], "semi-dark-green": ["#56a64b", "#2f7d25"],
    "light-green": ["#96d98d", "#4a9a3f"], red: ["#f2495c", "#c4162a"], "dark-red": ["#c4162a", "#ad0317"],
    "semi-dark-red": ["#e02f44", "#c4162a"], "light-red": ["#ff7383", "#d92c43"], orange: ["#ff9830", "#b35900"],
    "dark-orange": ["#fa6400", "#b34700"], "semi-dark-orange": ["#ff780a", "#b35000"],
    "light-orange": ["#ffb357", "#b86a00"], yellow: ["#fade2a", "#8a6d00"], "dark-yellow": ["#e0b400", "#7a6000"],
    "semi-dark-yellow": ["#f2cc0c", "#8a6d00"], "light-yellow": ["#ffee52", "#8a7a00"], blue: ["#5794f2", "#1f60c4"],
    "dark-blue": ["#1f60c4", "#1250b0"], "semi-dark-blue": ["#3274d9", "#1f60c4"], "light-blue": ["#8ab8ff", "#3274d9"],
    purple: ["#b877d9", "#8f3bb8"], "dark-purple": ["#8f3bb8", "#7c2ea3"], "semi-dark-purple": ["#a352cc", "#8f3bb8"],
    "light-purple": ["#ca95e5", "#a352cc"], text: ["#d8d9da", "#24292e"], white: ["#ffffff", "#24292e"],
    "super-light-green": ["#c8f2c2", "#5c9a54"], "super-light-red": ["#ffa6b0", "#d0566a"],
    "super-light-orange": ["#ffcb7d", "#b87a1e"], "super-light-yellow": ["#fff899", "#8f8020"],
    "super-light-blue": ["#c0d8ff", "#4f84cf"], "super-light-purple": ["#deb6f2", "#a868c8"],
    gray: ["#8e8e8e", "#6b6b6b"], transparent: ["transparent", "transparent"],
  };

  const isLight = () => document.documentElement.dataset.theme === "light";
  const color = (name) => {
    if (COLORS[name]) return COLORS[name][isLight() ? 1 : 0];
    return /^(#|rgb|hsl)/.test(name || "") ? name : color("text");
  };
  const paletteColor = (index) => color(PALETTE[index % PALETTE.length]);

  function digits(value, decimals) {
    if (decimals !== undefined && decimals !== null) return value.toFixed(decimals);
    const size = Math.abs(value);
    if (size === 0 || Number.isInteger(value) && size < 1e15) return String(value);
    return String(Number(value.toPrecision(size >= 100 ? 4 : 3)));
  }

  function scaled(value, base, names, decimals) {
    let step = 0;
    let rest = value;
    while (Math.abs(rest) >= base && step < names.length - 1) { rest /= base; step += 1; }
    return digits(rest, decimals) + names[step];
  }

  const SHORT = ["", " K", " Mil", " Bil", " Tri"];
  function time(seconds, decimals) {
    const size = Math.abs(seconds);
    if (size === 0) return "0 s";
    if (size < 1) return `${digits(seconds * 1000, decimals)} ms`;
    if (size < 60) return `${digits(seconds, decimals)} s`;
    if (size < 3600) return `${digits(seconds / 60, decimals)} min`;
    if (size < 86400) return `${digits(seconds / 3600, decimals)} hours`;
    return `${digits(seconds / 86400, decimals)} days`;
  }

  const UNITS = {
    short: (v, d) => scaled(v, 1000, SHORT, d),
    none: (v, d) => digits(v, d),
    locale: (v) => v.toLocaleString(),
    percent: (v, d) => `${digits(v, d)}%`,
    percentunit: (v, d) => `${digits(v * 100, d)}%`,
    ms: (v, d) => time(v / 1000, d),
    s: (v, d) => time(v, d),
    bytes: (v, d) => scaled(v, 1024, [" B", " KiB", " MiB", " GiB", " TiB"], d),
    decbytes: (v, d) => scaled(v, 1000, [" B", " kB", " MB", " GB", " TB"], d),
    Bps: (v, d) => scaled(v, 1000, [" B/s", " kB/s", " MB/s", " GB/s"], d),
    ops: (v, d) => `${scaled(v, 1000, SHORT, d)} ops/s`,
    reqps: (v, d) => `${scaled(v, 1000, SHORT, d)} req/s`,
    cps: (v, d) => `${scaled(v, 1000, SHORT, d)} c/s`,
    currencyUSD: (v, d) => `$${digits(v, d === undefined ? 2 : d)}`,
    dateTimeAsIso: (v) => new Date(v).toISOString().replace("T", " ").slice(0, 19),
  };

  function unit(value, config) {
    const write = UNITS[config.unit] || UNITS[config.unit ? "none" : "short"];
    const known = !config.unit || UNITS[config.unit];
    const text = write(value, config.decimals);
    return known ? text : `${text} ${config.unit.replace(/^(suffix|si|short):/, "")}`;
  }

  function mapped(value, mappings) {
    for (const mapping of mappings || []) {
      const options = mapping.options || {};
      if (mapping.type === "value" && value !== null && options[String(value)]) return options[String(value)];
      if (mapping.type === "special" && value === null && /null|nan/.test(options.match || "")) return options.result;
      if (mapping.type === "range" && value !== null
          && (options.from === null || value >= options.from) && (options.to === null || value <= options.to)) {
        return options.result;
      }
    }
    return null;
  }

  function thresholdColor(value, config) {
    const thresholds = config.thresholds || {};
    const steps = thresholds.steps || [];
    let at = value;
    if (thresholds.mode === "percentage") {
      const low = config.min || 0;
      const high = config.max === undefined ? 100 : config.max;
      at = 100 * (value - low) / (high - low || 1);
    }
    let found = steps.length ? steps[0].color : "text";
    for (const step of steps) if (step.value !== null && step.value !== undefined && at >= step.value) found = step.color;
    return found;
  }

  /* Text and colour of a value: a mapping wins over the unit and the thresholds. */
  function display(value, config) {
    const map = mapped(value, config.mappings);
    if (value === null || value === undefined) {
      return { text: map && map.text || config.noValue || "no data", color: color(map && map.color || "gray"), none: true };
    }
    const named = map && map.color ? map.color : thresholdColor(value, config);
    const fixed = config.color && config.color.mode === "fixed" ? config.color.fixedColor : null;
    return { text: map && map.text || unit(value, config), color: color(map && map.color ? map.color : fixed || named) };
  }

  const REDUCERS = {
    lastNotNull: (all) => (all.length ? all[all.length - 1] : null),
    firstNotNull: (all) => (all.length ? all[0] : null),
    max: (all) => (all.length ? all.reduce((a, b) => Math.max(a, b)) : null),
    min: (all) => (all.length ? all.reduce((a, b) => Math.min(a, b)) : null),
    mean: (all) => (all.length ? all.reduce((a, b) => a + b, 0) / all.length : null),
    sum: (all) => (all.length ? all.reduce((a, b) => a + b, 0) : null),
    count: (all) => all.length,
    range: (all) => (all.length ? REDUCERS.max(all) - REDUCERS.min(all) : null),
    delta: (all) => (all.length ? all[all.length - 1] - all[0] : null),
  };
  REDUCERS.last = REDUCERS.lastNotNull;
  REDUCERS.first = REDUCERS.firstNotNull;
  REDUCERS.diff = REDUCERS.delta;
  const CALC_NAMES = { lastNotNull: "Last *", last: "Last", max: "Max", min: "Min", mean: "Mean", sum: "Total",
    count: "Count", range: "Range", delta: "Delta", diff: "Difference", first: "First", firstNotNull: "First *" };

  function reduce(values, calc) {
    const there = values.filter((value) => value !== null);
    return (REDUCERS[calc] || REDUCERS.lastNotNull)(there);
  }

  function assigned(target, path, value) {
    const [head, ...rest] = path.split(".");
    target[head] = rest.length ? assigned({ ...(target[head] || {}) }, rest.join("."), value) : value;
    return target;
  }

  function matches(matcher, name, ref) {
    if (matcher.id === "byName") return matcher.options === name;
    if (matcher.id === "byFrameRefID") return matcher.options === ref;
    if (matcher.id === "byRegexp") {
      const text = String(matcher.options).replace(/^\/(.*)\/[a-z]*$/, "$1");
      try { return new RegExp(text).test(name); } catch { return false; }
    }
    return false;
  }

  /* The options of one field: the panel's defaults and what overrides say about this name and query. */
  function fieldConfig(panel, name, ref) {
    const source = panel.raw.fieldConfig || {};
    const config = { ...(source.defaults || {}), custom: { ...((source.defaults || {}).custom || {}) } };
    for (const override of source.overrides || []) {
      if (!matches(override.matcher || {}, name, ref)) continue;
      for (const property of override.properties || []) assigned(config, property.id, property.value);
    }
    return config;
  }

  function seriesColor(config, index, value) {
    const how = config.color || {};
    if (how.mode === "fixed") return color(how.fixedColor);
    if (how.mode === "thresholds" && value !== undefined) return color(thresholdColor(value, config));
    return paletteColor(index);
  }

  return { color, unit, display, mapped, reduce, fieldConfig, seriesColor, paletteColor, thresholdColor, isLight, CALC_NAMES };
})();
