// One chart of points and lines over any axes, as SVG: eigenvalues, root loci, Bode and Nyquist diagrams.
import { h } from "./dom.js";
import { number } from "./format.js";
import { onTheme, seriesColor } from "./theme.js";

const size = { width: 640, height: 300, left: 66, right: 14, top: 10, bottom: 40 };
const inner = { width: size.width - size.left - size.right, height: size.height - size.top - size.bottom };

// series: [{label, points: [[x, y, text]], marks, color: (i) => text}]; x, y: {label, log, zero}; window: the largest |x| and |y| shown;
// equal: both axes have one scale; cross: points marked by a cross, [x, y, text].
export function makeChart({ title, note, x, y, series, equal, window, cross = [] }) {
  const shown = series.map(() => true);
  const place = h("div", { class: "plot-place" });
  const told = h("p", { class: "told", "aria-live": "off" }, "\u00a0");
  const names = series.length > 1 ? h("div", { class: "tools legend" }, series.map((one, i) => legendButton(one, i, shown, draw))) : null;
  const panel = h("figure", { class: "plot chart", "aria-label": title }, h("figcaption", {}, h("h3", {}, title), note ? h("p", {}, note) : null), place, told, names);
  onTheme(draw);
  draw();
  return panel;

  function draw() {
    const visible = series.map((one, i) => ({ ...one, i })).filter(({ i }) => shown[i]);
    const scale = makeScale(visible, x, y, equal, window, cross);
    const spot = svg("circle", { r: 5, fill: "none", stroke: "var(--accent)", "stroke-width": 2, visibility: "hidden" });
    const picture = svg("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": title }, ...axes(scale, x, y), body(visible, scale, cross), spot);
    picture.addEventListener("pointermove", (event) => point(event, picture, visible, scale, spot, told, x, y));
    place.replaceChildren(picture);
  }
}

function legendButton(one, i, shown, draw) {
  const swatch = h("i", { class: "swatch" });
  const paint = () => (swatch.style.background = shown[i] ? seriesColor(i) : "transparent");
  const button = h("button", { type: "button", title: "Show or hide", "aria-pressed": "true", onclick: () => {
    shown[i] = !shown[i];
    button.setAttribute("aria-pressed", String(shown[i]));
    paint();
    draw();
  } }, swatch, one.label);
  onTheme(paint);
  paint();
  return button;
}

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.filter((child) => child != null));
  return element;
}

const usable = (value, log) => Number.isFinite(value) && (!log || value > 0);

function makeScale(series, x, y, equal, window, cross) {
  const points = [...series.flatMap((one) => one.points), ...cross];
  let [xLow, xHigh] = extent(points.map((p) => p[0]), x, window);
  let [yLow, yHigh] = extent(points.map((p) => p[1]), y, window);
  if (equal) {
    const per = Math.max((xHigh - xLow) / inner.width, (yHigh - yLow) / inner.height);
    [xLow, xHigh] = around(xLow, xHigh, per * inner.width);
    [yLow, yHigh] = around(yLow, yHigh, per * inner.height);
  }
  const at = (value, low, high, log) => ((log ? Math.log10(value) : value) - low) / (high - low);
  return {
    xLow, xHigh, yLow, yHigh,
    x: (value) => size.left + inner.width * at(value, xLow, xHigh, x.log),
    y: (value) => size.top + inner.height * (1 - at(value, yLow, yHigh, y.log)),
    good: (p) => usable(p[0], x.log) && usable(p[1], y.log),
  };
}

// In logarithms on a logarithmic axis.
function extent(values, { log, zero }, window) {
  let low = Infinity;
  let high = -Infinity;
  for (let value of values) {
    if (!usable(value, log)) continue;
    if (window && !log) value = Math.min(window, Math.max(-window, value));
    const v = log ? Math.log10(value) : value;
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  if (!(low <= high)) return [0, 1];
  if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  const room = high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)) ? 0.05 * (high - low) : 0.5 * Math.max(Math.abs(high), log ? 1 : 1e-6) || 1;
  return [low - room, high + room];
}

const around = (low, high, width) => [(low + high - width) / 2, (low + high + width) / 2];

// Round numbers, or powers of ten.
function ticks(low, high, log, most) {
  const found = [];
  if (log && high - low > 1) {
    const stride = Math.ceil((high - low) / most);
    for (let e = Math.ceil(low); e <= high; e += stride) found.push(10 ** e);
    return found;
  }
  const from = log ? 10 ** low : low;
  const to = log ? 10 ** high : high;
  const rough = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((f) => f * power >= rough) * power;
  for (let k = Math.ceil(from / step); k * step <= to; k++) found.push(k * step);
  return found;
}

function axes(scale, x, y) {
  const line = (x1, y1, x2, y2, name) => svg("line", { x1, y1, x2, y2, stroke: `var(--${name})` });
  const text = (content, attributes) => svg("text", { fill: "var(--muted)", "font-size": 11, ...attributes }, content);
  const bottom = size.top + inner.height;
  const right = size.left + inner.width;
  const parts = [];
  for (const value of ticks(scale.xLow, scale.xHigh, x.log, 8)) {
    const at = scale.x(value);
    parts.push(line(at, size.top, at, bottom, value === 0 ? "axis" : "grid"), text(number(value, 4), { x: at, y: bottom + 14, "text-anchor": "middle" }));
  }
  for (const value of ticks(scale.yLow, scale.yHigh, y.log, 6)) {
    const at = scale.y(value);
    parts.push(line(size.left, at, right, at, value === 0 ? "axis" : "grid"), text(number(value, 4), { x: size.left - 6, y: at + 4, "text-anchor": "end" }));
  }
  parts.push(text(x.label, { x: size.left + inner.width / 2, y: size.height - 6, "text-anchor": "middle" }));
  parts.push(text(y.label, { x: 12, y: size.top + inner.height / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${size.top + inner.height / 2})` }));
  return parts;
}

function body(series, scale, cross) {
  const id = `clip${Math.random().toString(36).slice(2)}`;
  const clip = svg("clipPath", { id }, svg("rect", { x: size.left, y: size.top, width: inner.width, height: inner.height }));
  const crosses = cross.map(([px, py, text]) => {
    const [cx, cy] = [scale.x(px), scale.y(py)];
    const path = svg("path", { d: `M${cx - 5} ${cy - 5}l10 10m0 -10l-10 10`, stroke: "var(--bad)", "stroke-width": 1.5 });
    path.append(svg("title", {}, text ?? ""));
    return path;
  });
  return svg("g", { "clip-path": `url(#${id})` }, clip, ...series.map((one) => (one.marks ? marks(one, scale) : curve(one, scale))), ...crosses);
}

// A point that cannot be shown makes a gap.
function curve({ points, i }, scale) {
  let path = "";
  let down = false;
  for (const p of points) {
    if (scale.good(p)) path += `${down ? "L" : "M"}${scale.x(p[0]).toFixed(2)} ${scale.y(p[1]).toFixed(2)}`;
    down = scale.good(p);
  }
  return svg("path", { d: path, fill: "none", stroke: seriesColor(i), "stroke-width": 1.6 });
}

function marks({ points, color, i }, scale) {
  const dots = points.filter(scale.good).map((p, k) => svg("circle", { cx: scale.x(p[0]).toFixed(2), cy: scale.y(p[1]).toFixed(2), r: 3.2, fill: color ? color(k) : seriesColor(i) }));
  return svg("g", {}, ...dots);
}

// Tells the nearest point.
function point(event, picture, series, scale, spot, told, x, y) {
  const box = picture.getBoundingClientRect();
  const at = [((event.clientX - box.left) / box.width) * size.width, ((event.clientY - box.top) / box.height) * size.height];
  let best = 30 ** 2;
  let found = null;
  for (const one of series)
    for (const p of one.points) {
      if (!scale.good(p)) continue;
      const d = (scale.x(p[0]) - at[0]) ** 2 + (scale.y(p[1]) - at[1]) ** 2;
      if (d < best) [best, found] = [d, { one, p }];
    }
  spot.setAttribute("visibility", found ? "visible" : "hidden");
  if (!found) return;
  const { one, p } = found;
  spot.setAttribute("cx", scale.x(p[0]));
  spot.setAttribute("cy", scale.y(p[1]));
  told.textContent = `${one.label}: ${x.label} ${number(p[0])}, ${y.label} ${number(p[1])}${p[2] ? `; ${p[2]}` : ""}`;
}
