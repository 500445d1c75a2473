// One plot: curves over time with a legend, zoom, values at the cursor, and the time of the animation.
import uPlot from "uplot";
import { h } from "./dom.js";
import { number } from "./format.js";
import { onTheme, seriesColor, seriesDash, style } from "./theme.js";

const plots = [];
const shownAtFirst = 8;
const finest = 1e-12; // the least part of its values that an axis resolves; below, a curve counts as constant
const largest = 1e300; // numbers beyond are not drawn: their differences are not finite
const smallest = 1e-300; // numbers below are drawn as zero
const crowded = 4; // pixels between marks, at least
let marks = []; // times of events
let shared = null; // the range of time that all plots show, once someone has chosen one

// Times that all plots mark, in their order.
export function setMarks(times) {
  marks = times;
}

// curves: [{label, unit, values, told, axis, bars, stepped}]; values are lists or typed arrays as long as `time`; told, if
// given, is what the legend tells: zeros have no place in a logarithmic plot. Lanes have words instead of numbers, and are
// drawn by their own function.
export function makePlot({ title, unit, note, time, curves, logarithmic, right, lanes }, clock) {
  const factor = logarithmic ? 1 : axisFactor(curves);
  const place = h("div", { class: "plot-place" });
  const heading = h("h3", {}, title, unit ? h("span", { class: "unit" }, ` ${unit}`) : null);
  const panel = h("figure", { class: "plot", "aria-label": title }, h("figcaption", {}, heading, note ? h("p", {}, note) : null), place);
  const options = {
    width: 600,
    height: lanes ? 66 + 26 * lanes.count : 210,
    scales: {
      x: { time: false, range: wide },
      y: logarithmic ? { distr: 3, log: 10, range: decades } : { range: lanes ? [0, lanes.count] : padded },
      right: { range: (u, low, high) => [0, Math.max(1, high ?? 1) * 1.15] },
    },
    axes: [{ ...axis("time in s"), values: ticks(false, 1) }, { ...axis(), size: 62, values: lanes ? () => lanes.names.map(cut) : ticks(logarithmic, factor), ...(logarithmic ? { splits: powers } : {}), ...(lanes ? { splits: () => lanes.names.map((_, i) => lanes.count - i - 0.5), grid: { show: false }, ticks: { show: false } } : {}) }],
    series: [{ label: "time", value: (u, v) => (v == null ? "–" : `${number(v)} s`) }, ...curves.map((curve, i) => series(curve, i, factor))],
    cursor: { sync: { key: "time" }, drag: { x: true, y: false }, points: { size: 6 }, focus: { prox: 24 } },
    focus: { alpha: 0.35 },
    legend: { live: true },
    hooks: { setScale: [shareZoom], ready: [(u) => readyLegend(u)], drawAxes: lanes ? [lanes.draw] : [], draw: [drawMarks] },
  };
  if (right) options.axes.push({ ...axis(), side: 1, scale: "right", size: 40, grid: { show: false } });

  const plot = new uPlot(options, [time, ...curves.map(({ values }) => drawn(values, factor))], place);
  const marker = h("div", { class: "marker" });
  plot.over.append(marker);
  plot.over.addEventListener("click", (event) => {
    if (plot.select.width < 3) clock.set(plot.posToVal(event.offsetX, "x"));
  });
  plots.push({ plot, place, marker });
  new ResizeObserver(() => resize(plot, place)).observe(place);
  onTheme(() => plot.redraw(false));
  const move = () => {
    moveMarker(plot, marker, clock.time);
    showValues(plot, clock);
  };
  clock.onChange(move);
  plot.hooks.setScale.push(move);
  plot.hooks.setSize = [...(plot.hooks.setSize ?? []), move];
  panel.plot = plot;
  panel.refresh = () => {
    const { min, max } = plot.scales.x;
    plot.setData([time, ...curves.map(({ values }) => drawn(values, factor))], false);
    plot.setScale("x", { min, max }); // the same times, another range of values
  };
  return panel;
}

export function resetZoom() {
  for (const { plot } of plots) {
    const x = plot.data[0];
    if (x.length > 0) plot.setScale("x", { min: x[0], max: x[x.length - 1] });
  }
}

export function zoomBy(factor, centre) {
  const first = plots[0]?.plot;
  if (!first) return;
  const { min, max } = first.scales.x;
  const from = centre - (centre - min) * factor;
  first.setScale("x", { min: from, max: from + (max - min) * factor });
}

// For paper: a width that fits, or what the window gives (null).
export function sizePlots(width) {
  for (const { plot, place } of plots) resize(plot, place, width);
}

function resize(plot, place, width = place.clientWidth) {
  if (width > 0 && width !== plot.width) plot.setSize({ width, height: plot.height });
}

const cut = (name) => (name.length > 9 ? `${name.slice(0, 8)}…` : name);

function axis(label) {
  return {
    label,
    labelSize: label ? 18 : 0,
    labelFont: "12px system-ui, sans-serif",
    font: "11px system-ui, sans-serif",
    stroke: () => style("muted"),
    grid: { stroke: () => style("grid"), width: 1 },
    ticks: { stroke: () => style("grid"), width: 1, size: 5 },
    size: label ? 34 : 50,
  };
}

function series({ label, unit, values, told, axis: scale, bars, stepped, words }, i, factor) {
  if (words) return { label, stroke: "transparent", points: { show: false }, value: (u, v, s, index) => (index == null ? "–" : words(u.data[0][index]) || "–") };
  const text = (v) => (unit && v != null ? `${number(v)} ${unit}` : number(v));
  return {
    label,
    scale: scale ?? "y",
    show: i < shownAtFirst,
    stroke: () => seriesColor(i),
    width: bars ? 0 : 1.5,
    pxAlign: 0,
    dash: seriesDash(i),
    points: bars ? { show: true, size: 6, filter: (u, s) => indices(values), fill: () => seriesColor(i) } : { show: values.length < 3 },
    paths: bars ? () => null : stepped ? uPlot.paths.stepped({ align: -1 }) : undefined,
    value: (u, v, s, index) => text(v == null ? told?.[index] : factor === 1 ? v : values[index]),
  };
}

// Only the places where something is.
function indices(values) {
  const found = [];
  values.forEach((v, i) => v > 0 && found.push(i));
  return found;
}

// uPlot has ticks between 1e-32 and 1e17: curves far from 1 are drawn in units of a power of ten.
function axisFactor(curves) {
  let size = 0;
  for (const { values } of curves) for (const v of values) if (Math.abs(v) > size && Math.abs(v) <= largest) size = Math.abs(v);
  if (size < smallest || (size > 1e-9 && size < 1e12)) return 1;
  return 10 ** Math.floor(Math.log10(size));
}

function drawn(values, factor) {
  if (factor === 1 && !values.some((v) => Math.abs(v) > largest)) return values;
  return Array.from(values, (v) => (v === null || Math.abs(v) > largest ? null : v / factor));
}

// A range that floating-point numbers can divide.
function wide(u, low, high) {
  if (low == null || high == null) return [0, 1];
  const least = finest * Math.max(Math.abs(low), Math.abs(high));
  if (high - low > least) return [low, high];
  const room = 10 * least || 1;
  return [low - room, high + room];
}

function padded(u, low, high) {
  if (low == null || high == null) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const room = size < smallest ? 1 : high - low > finest * size ? 0.06 * (high - low) : 0.1 * size;
  return [low - room, high + room];
}

function decades(u, low, high) {
  if (!(low > 0) || !(high > 0)) return [1e-16, 1];
  const from = Math.max(-300, Math.floor(Math.log10(Math.max(low, 1e-20 * high))));
  return [10 ** from, 10 ** Math.max(from + 1, Math.min(300, Math.ceil(Math.log10(high))))];
}

// Every power of ten, or every second, third ... of them.
function powers(u, axis, low, high) {
  const from = Math.round(Math.log10(low));
  const to = Math.round(Math.log10(high));
  const stride = Math.ceil((to - from) / 7);
  const found = [];
  for (let exponent = from; exponent <= to; exponent += stride) found.push(10 ** exponent);
  return found;
}

// As many digits as tell neighbours apart.
function ticks(logarithmic, factor) {
  if (logarithmic) return (u, values) => values.map(power);
  return (u, values) => {
    const step = Math.abs(values[1] - values[0]) || 1;
    const largest = Math.max(...values.map(Math.abs), step);
    const digits = Math.min(15, Math.max(1, Math.ceil(Math.log10(largest / step)) + 2));
    return values.map((v) => number(Math.abs(v) < step * 1e-6 ? 0 : v * factor, digits));
  };
}

// Powers of ten only.
function power(value) {
  const exponent = Math.round(Math.log10(value));
  const digits = String(exponent).replace("-", "⁻").replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]);
  return Math.abs(value / 10 ** exponent - 1) < 1e-6 ? `10${digits}` : "";
}

// uPlot tells later, so that a plot which only follows is known by its range.
function shareZoom(plot, scale) {
  if (scale !== "x") return;
  const { min, max } = plot.scales.x;
  const first = !plot.ranged;
  plot.ranged = true;
  if (first || (shared && shared.min === min && shared.max === max)) return;
  shared = { min, max };
  for (const other of plots) if (other.plot !== plot) other.plot.setScale("x", shared);
}

// A thin line and a foot on the axis for every event, as far as one can tell them apart.
function drawMarks(plot) {
  const { ctx, bbox } = plot;
  const { min, max } = plot.scales.x;
  const foot = 4 * devicePixelRatio;
  const bottom = bbox.top + bbox.height;
  let last = -Infinity;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = style("bad");
  ctx.lineWidth = devicePixelRatio;
  for (const time of marks) {
    const x = Math.round(plot.valToPos(time, "x", true));
    if (time < min || time > max || x - last < crowded * devicePixelRatio) continue;
    last = x;
    ctx.globalAlpha = 0.3;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bottom);
    ctx.stroke();
    ctx.globalAlpha = 0.9;
    ctx.beginPath();
    ctx.moveTo(x - foot, bottom);
    ctx.lineTo(x + foot, bottom);
    ctx.lineTo(x, bottom - 1.5 * foot);
    ctx.fill();
  }
  ctx.restore();
}

function moveMarker(plot, marker, time) {
  const { min, max } = plot.scales.x;
  marker.hidden = !(time >= min && time <= max);
  if (!marker.hidden) marker.style.transform = `translateX(${plot.valToPos(time, "x")}px)`;
}

// Without a pointer in a plot the legend has the values at the present time, ten times a second at most.
function showValues(plot, { time, playing }) {
  const now = performance.now();
  if (plot.cursor.left >= 0 || (playing && now - (plot.told ?? 0) < 100)) return;
  plot.told = now;
  plot.setLegend({ idx: plot.valToIdx(time) }, false);
}

// Names of the legend are buttons for the keyboard, too; with shift only this curve stays.
function readyLegend(plot) {
  const names = [...plot.root.querySelectorAll(".u-legend .u-series th")].slice(1);
  names.forEach((name, i) => {
    name.tabIndex = 0;
    name.setAttribute("role", "button");
    name.title = "Show or hide (with shift: only this one)";
    name.addEventListener("click", (event) => event.shiftKey && (event.stopPropagation(), only(plot, i + 1)), true);
    name.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      if (event.shiftKey) only(plot, i + 1);
      else plot.setSeries(i + 1, { show: !plot.series[i + 1].show });
    });
  });
}

function only(plot, which) {
  plot.batch(() => plot.series.forEach((s, i) => i > 0 && plot.setSeries(i, { show: i === which })));
}
