// The page of an optimization: how the search went, what was found, the fit, and the motions before and after.
import { makeChart } from "./chart.js";
import { makeClock } from "./clock.js";
import { h, section, table } from "./dom.js";
import { count, number } from "./format.js";
import { makePlayer } from "./player.js";
import { makeScene } from "./scene.js";

export function optimumPage(data) {
  const { result, history, curves, before, after } = data;
  const motion = data.scene && after.length > 1 ? makeMotion(data) : null;
  return h(
    "main",
    {},
    h("div", { class: "stage" }, h("section", { class: "panel", "aria-label": "animation" }, motion ?? note()), found(result)),
    h(
      "div",
      { class: "plots" },
      searchChart(history, result),
      curves.flatMap((name, k) => {
        const measured = data.data.filter((one) => one.name === name);
        return [curveChart(name, k, before, after, measured), measured.length > 0 ? residualChart(name, k, after, measured) : null];
      }),
    ),
  );
}

const note = () => h("p", { class: "note" }, "This model draws nothing. Lines such as ", h("code", {}, 'draw.point("bob", {x, y})'), " in its script show its motions before and after.");

function found({ start, best, interval, bootstrap, runs, iterations, objective, objective_at_start: first }) {
  const resampled = (name) => (bootstrap.low[name] == null ? "–" : `${number(bootstrap.low[name], 6)} … ${number(bootstrap.high[name], 6)}`);
  const rows = Object.keys(best).map((name) => ({
    values: [name, number(start[name], 8), number(best[name], 8), interval?.[name] == null ? "–" : `± ${number(interval[name], 3)}`, ...(bootstrap ? [resampled(name)] : [])],
  }));
  const lead = `The objective is ${number(objective)}; it was ${number(first)} at the start. ${count(runs)} runs, ${count(iterations)} iterations.`;
  return h("section", { class: "panel", "aria-label": "what was found" }, h("p", {}, lead), table(["name", "start", "found", "95 % interval", ...(bootstrap ? [`by ${count(bootstrap.resamples)} resamples`] : [])], rows, { class: "numbers" }));
}

function searchChart(history, result) {
  const points = [[1, result.objective_at_start], ...history].filter(([, value]) => Number.isFinite(value));
  const log = points.every(([, value]) => value > 0);
  return makeChart({ title: "Search", note: "The objective after every iteration, over the number of runs.", x: { label: "runs" }, y: { label: "objective", log }, series: [{ label: "objective", points: points.map(([x, y]) => [x, y, number(y)]), marks: true }] });
}

const curve = (rows, k) => rows.map(([t, values]) => [t, values[k] ?? NaN, ""]);

function curveChart(name, k, before, after, measured) {
  const series = [{ label: "before", points: curve(before, k) }, { label: "after", points: curve(after, k) }];
  for (const { time, value } of measured) series.push({ label: "measured", points: time.map((t, i) => [t, value[i], "measured"]), marks: true });
  return makeChart({ title: name, x: { label: "time in s" }, y: { label: name }, series });
}

// Measured minus computed, between the rows of the page by straight lines.
function residualChart(name, k, after, measured) {
  const rows = curve(after, k);
  const at = (t) => {
    const i = Math.max(1, rows.findIndex(([time]) => time >= t));
    const [[t0, a], [t1, b]] = [rows[i - 1], rows[i] ?? rows[i - 1]];
    return t1 > t0 ? a + ((b - a) * (t - t0)) / (t1 - t0) : a;
  };
  const points = measured.flatMap(({ time, value }) => time.map((t, i) => [t, value[i] - at(t), "measured − computed"]));
  return makeChart({ title: `${name}: residuals`, x: { label: "time in s" }, y: { label: "measured − computed", zero: true }, series: [{ label: "residual", points, marks: true }] });
}

// Both motions in one scene: the one before is grey.
function makeMotion({ scene, before, after }) {
  const shapes = scene.shapes.map((shape) => ({ ...shape, name: `${shape.name} before`, color: "gray", trace: false }));
  const time = Float64Array.from(after, ([t]) => t);
  const column = (rows, k) => Float32Array.from(time, (_, i) => rows[Math.min(i, rows.length - 1)]?.[2][k] ?? NaN);
  const numbers = after[0][2].length;
  const columns = [before, after].flatMap((rows) => Array.from({ length: numbers }, (_, k) => column(rows, k)));
  const clock = makeClock(time[0], time[time.length - 1]);
  globalThis.driftless = { clock, frames: { time, columns } };
  return h("div", {}, makeScene({ scene: { ...scene, shapes: [...shapes, ...scene.shapes] }, frames: { time, columns, per: 1 } }, clock), makePlayer(clock, time), h("p", { class: "note" }, "Grey: before. In colour: with what was found."));
}
