// The page of a study: scatter plot, parallel coordinates, histograms, heat map, sensitivity indices. A click on a case
// shows the command that runs it.
import { svg } from "./chart.js";
import { h, section, table } from "./dom.js";
import { count, number, short } from "./format.js";

const size = { width: 640, height: 320, left: 70, right: 20, top: 14, bottom: 40 };

export function studyPage({ result }) {
  const { parameters, results, rows, sensitivity } = result;
  const names = [...parameters, ...results];
  const cases = rows.map(([case_, state, ...values]) => ({ case: case_, state, values: values.map((v) => v ?? NaN) }));
  const there = cases.filter(({ state }) => state === 1 || state === 2);
  const told = h("code", { class: "command" }, "Click on a case: here is the command that runs it.");
  const show = (one) => (told.textContent = command(result, one));
  const first = parameters.length + Math.min(1, results.length - 1);
  return h(
    "main",
    { class: "charts" },
    h("p", { class: "lead" }, summary(result, cases.length)),
    h("p", { class: "message", id: "command" }, told),
    chosen("Scatter plot", names, [0, first], (x, y) => scatter(there, names, x, y, show)),
    parallel(there, names, pick(parameters, results), show),
    chosen("Histogram", names, [first], (x) => histogram(there, names, x)),
    parameters.length > 1 ? chosen("Heat map", names, [0, 1, first], (x, y, z) => heat(there, names, x, y, z)) : null,
    h("div", { class: "tables" }, sensitivity.length > 0 ? indices(parameters, sensitivity) : null, result.failures.length > 0 ? failures(result) : null, result.doubts.length > 0 ? doubts(result) : null),
  );
}

function summary({ cases, missing, failed, design }, shown) {
  const parts = [`${count(cases)} cases`, failed > 0 ? `${count(failed)} failed` : null, missing > 0 ? `${count(missing)} not run yet` : null, shown < cases ? `${count(shown)} of them are drawn` : null];
  return `${parts.filter(Boolean).join(", ")}. ${design.join("; ")}.`;
}

// What has to be typed for a case.
export function command({ path, parameters, set, input, settings }, one) {
  const word = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const option = (text) => {
    const [name, value] = [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)];
    return value === "true" ? `--${name.replaceAll("_", "-")}` : word(`--${name.replaceAll("_", "-")}=${value}`);
  };
  const values = parameters.map((name, i) => `--set ${word(`${name}=${one.values[i]}`)}`);
  const parts = [...settings.map(option), ...set.map((text) => `--set ${word(text)}`), ...input.map((text) => `--input ${word(text)}`), ...values];
  return `driftless run ${word(path)} ${parts.join(" ")} --report case${one.case}.html`;
}

// A figure with a choice of columns.
function chosen(title, names, start, draw) {
  const place = h("div", { class: "plot-place" });
  const at = [...start];
  const choices = at.map((value, k) => {
    const select = h("select", { "aria-label": `${title}: column ${k + 1}`, onchange: () => ((at[k] = Number(select.value)), redraw()) }, names.map((name, i) => h("option", { value: i, selected: i === value }, name)));
    return select;
  });
  const redraw = () => place.replaceChildren(draw(...at));
  redraw();
  return h("figure", { class: "plot chart", "aria-label": title }, h("figcaption", {}, h("h3", {}, title)), h("div", { class: "tools" }, choices), place);
}

function range(values) {
  const finite = values.filter(Number.isFinite);
  const low = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const around = Math.max(0.5, Math.abs(low) * 1e-6); // of a single value
  return low < high ? [low, high] : low === high ? [low - around, high + around] : [0, 1];
}

function axes(xName, yName, [xLow, xHigh], [yLow, yHigh]) {
  const text = (x, y, anchor, label) => svg("text", { x, y, "text-anchor": anchor, "font-size": 12, fill: "var(--muted)" }, label);
  const bottom = size.height - size.bottom;
  const right = size.width - size.right;
  return [
    svg("path", { d: `M${size.left} ${size.top}V${bottom}H${right}`, fill: "none", stroke: "var(--axis)" }),
    text(size.left, bottom + 16, "start", short(xLow)),
    text(right, bottom + 16, "end", short(xHigh)),
    text((size.left + right) / 2, bottom + 32, "middle", xName),
    text(size.left - 6, bottom, "end", short(yLow)),
    text(size.left - 6, size.top + 10, "end", short(yHigh)),
    text(size.left + 6, size.top + 2, "start", yName),
  ];
}

const picture = (title, ...children) => svg("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": title }, ...children);
const across = (value, [low, high]) => size.left + ((size.width - size.left - size.right) * (value - low)) / (high - low);
const up = (value, [low, high]) => size.height - size.bottom - ((size.height - size.top - size.bottom) * (value - low)) / (high - low);

function scatter(cases, names, x, y, show) {
  const xs = range(cases.map(({ values }) => values[x]));
  const ys = range(cases.map(({ values }) => values[y]));
  const points = cases.filter(({ values }) => Number.isFinite(values[x]) && Number.isFinite(values[y])).map((one) => {
    const point = svg("circle", { cx: across(one.values[x], xs), cy: up(one.values[y], ys), r: 3, fill: "var(--accent)", "fill-opacity": 0.6, class: "case" }, svg("title", {}, `case ${one.case}: ${number(one.values[x])}, ${number(one.values[y])}`));
    point.addEventListener("click", () => show(one));
    return point;
  });
  return picture(`${names[y]} over ${names[x]}`, ...axes(names[x], names[y], xs, ys), ...points);
}

// All parameters, and final values or what there is.
function pick(parameters, results) {
  const finals = results.map((name, i) => [name, parameters.length + i]).filter(([name]) => /\.(final|first)$/.test(name)).slice(0, 4);
  return [...parameters.map((name, i) => i), ...finals.map(([, i]) => i)];
}

// Lines have gaps where a case lacks a number; columns that no case has are left out.
function parallel(cases, names, chosenColumns, show) {
  const columns = chosenColumns.filter((c) => cases.some(({ values }) => Number.isFinite(values[c])));
  const step = Math.max(1, cases.length / 1000);
  const some = Array.from({ length: Math.min(1000, cases.length) }, (_, i) => cases[Math.floor(i * step)]);
  const ranges = columns.map((c) => range(cases.map(({ values }) => values[c])));
  const x = (k) => size.left + ((size.width - size.left - size.right - 30) * k) / Math.max(1, columns.length - 1);
  const lines = some.map((one) => {
    const has = (k) => Number.isFinite(one.values[columns[k]]);
    const d = columns.map((c, k) => (has(k) ? `${k > 0 && has(k - 1) ? "L" : "M"}${x(k).toFixed(1)} ${up(one.values[c], ranges[k]).toFixed(1)}` : "")).join("");
    const line = svg("path", { d, fill: "none", stroke: "var(--accent)", "stroke-opacity": 0.35, class: "case" }, svg("title", {}, `case ${one.case}`));
    line.addEventListener("click", () => show(one));
    return line;
  });
  const label = (k, y, text) => svg("text", { x: x(k), y, "text-anchor": "middle", "font-size": 11, fill: "var(--muted)" }, text);
  const marks = columns.flatMap((c, k) => [
    svg("path", { d: `M${x(k)} ${size.top}V${size.height - size.bottom}`, stroke: "var(--axis)" }),
    label(k, size.height - size.bottom + 14, short(ranges[k][0])),
    label(k, size.height - size.bottom + 30, names[c]),
    label(k, size.top - 3, short(ranges[k][1])),
  ]);
  return h("figure", { class: "plot chart", "aria-label": "Parallel coordinates" }, h("figcaption", {}, h("h3", {}, "Parallel coordinates"), h("p", {}, "A line per case, at most 1000.")), h("div", { class: "plot-place" }, picture("Parallel coordinates", ...marks, ...lines)));
}

function histogram(cases, names, x) {
  const values = cases.map((one) => one.values[x]).filter(Number.isFinite);
  const xs = range(values);
  const bins = Math.max(1, Math.min(60, Math.ceil(Math.sqrt(values.length))));
  const found = new Array(bins).fill(0);
  for (const value of values) found[Math.min(bins - 1, Math.floor((bins * (value - xs[0])) / (xs[1] - xs[0])))]++;
  const ys = [0, Math.max(1, ...found)];
  const bars = found.map((n, i) => {
    const from = across(xs[0] + ((xs[1] - xs[0]) * i) / bins, xs);
    const to = across(xs[0] + ((xs[1] - xs[0]) * (i + 1)) / bins, xs);
    return svg("rect", { x: from, y: up(n, ys), width: Math.max(1, to - from - 1), height: size.height - size.bottom - up(n, ys), fill: "var(--accent)" }, svg("title", {}, `${n} cases`));
  });
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((a, b) => a + (b - mean) ** 2, 0) / Math.max(1, values.length - 1));
  return h("div", {}, picture(`Histogram of ${names[x]}`, ...axes(names[x], "cases", xs, ys), ...bars), h("p", {}, `Mean ${number(mean)}, standard deviation ${number(deviation)}.`));
}

// Where a column falls into cells: [cells, cell of a value]; on a grid, `list`, one per value.
function cellsOf([low, high], list, most) {
  if (list) return [Math.max(1, list.length), (value) => list.indexOf(value)];
  return [most, (value) => Math.min(most - 1, Math.floor((most * (value - low)) / (high - low)))];
}

// Means of z in cells: one per value on a grid, else at most 24 by 24.
function heat(cases, names, x, y, z) {
  const xs = range(cases.map(({ values }) => values[x]));
  const ys = range(cases.map(({ values }) => values[y]));
  const [xList, yList] = [x, y].map((c) => [...new Set(cases.map(({ values }) => values[c]))].filter(Number.isFinite).sort((a, b) => a - b));
  const grid = xList.length <= 100 && yList.length <= 100 && xList.length * yList.length <= 2 * cases.length;
  const most = Math.max(1, Math.min(24, Math.ceil(Math.sqrt(cases.length))));
  const [m, column] = cellsOf(xs, grid ? xList : null, Math.min(most, xList.length || 1));
  const [n, row] = cellsOf(ys, grid ? yList : null, Math.min(most, yList.length || 1));
  const sums = new Map();
  for (const { values } of cases) {
    if (![x, y, z].every((c) => Number.isFinite(values[c]))) continue;
    const [i, j] = [column(values[x]), row(values[y])];
    const [sum, found] = sums.get(i * n + j) ?? [0, 0];
    sums.set(i * n + j, [sum + values[z], found + 1]);
  }
  const means = new Map([...sums].map(([cell, [sum, found]]) => [cell, sum / found]));
  const zs = range([...means.values()]);
  const [width, height] = [(size.width - size.left - size.right) / m, (size.height - size.top - size.bottom) / n];
  const boxes = [...means].map(([cell, mean]) => {
    const [i, j] = [Math.floor(cell / n), cell % n];
    const share = (mean - zs[0]) / (zs[1] - zs[0]);
    return svg("rect", { x: size.left + i * width, y: size.height - size.bottom - (j + 1) * height, width: width + 0.5, height: height + 0.5, fill: `hsl(${250 - 200 * share} 70% ${35 + 30 * share}%)` }, svg("title", {}, `${names[z]}: ${number(mean)}`));
  });
  return h("div", {}, picture(`${names[z]} over ${names[x]} and ${names[y]}`, ...boxes, ...axes(names[x], names[y], xs, ys)), h("p", {}, `${names[z]} from ${number(zs[0])} (blue) to ${number(zs[1])} (yellow).`));
}

function indices(parameters, sensitivity) {
  const rows = sensitivity.flatMap(({ of, first, total }) => parameters.map((name, i) => ({ values: [of, name, number(first[i], 4), number(total[i], 4)] })));
  return section("sensitivity", "Sobol indices", h("p", {}, "Parts of the variance by a parameter alone (first order), and with all its interactions (total)."), table(["of", "by", "first order", "total"], rows));
}

const messages = (list) => table(["case", "message"], list.map(([number_, message]) => ({ values: [String(number_), message] })));

function doubts({ doubts: list }) {
  return section("doubts", "Results that are not known", messages(list));
}

function failures({ failures: list, failed }) {
  const more = failed > list.length ? h("p", {}, `The first ${list.length} of ${count(failed)}.`) : null;
  return section("failures", "Cases that failed", more, messages(list));
}

