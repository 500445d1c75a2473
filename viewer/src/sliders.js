// A gradient's page: sliders move its parameters, the scene and the curves follow to first order.
import { list } from "./data.js";
import { h } from "./dom.js";
import { number } from "./format.js";
import { makePlot } from "./plot.js";

const reach = 0.2; // of a parameter, to each side; 1 if it is zero
const steps = 100; // to each side

// What derivatives were taken by: [{name, value, change}]; a comma inside brackets belongs to a name.
export function followedBy({ meta, variables }) {
  return splitNames(meta.options?.by ?? "").map((name) => ({ name, value: valueOf(name, meta, variables), change: 0 }));
}

function splitNames(text) {
  const names = [];
  let depth = 0;
  let name = "";
  for (const c of `${text},`) {
    depth += (c === "(") - (c === ")");
    if (c !== "," || depth > 0) name += c;
    else {
      if (name) names.push(name.trim());
      name = "";
    }
  }
  return names;
}

function valueOf(name, { parameters = [], initial }, variables) {
  const inside = name.match(/^initial\((.*)\)$/)?.[1];
  if (!inside) return parameters.find(([other]) => other === name)?.[1] ?? 0;
  return initial?.[variables.findIndex((variable) => variable.name === inside)]?.[1] ?? 0;
}

// Takes the derivatives behind the frames out of them; the columns that change with a parameter become arrays to write to.
function splitFrames(frames, count) {
  const size = frames.columns.length / (1 + count);
  const moves = Array.from({ length: count }, (_, j) => frames.columns.slice(size * (1 + j), size * (2 + j)));
  frames.columns.length = size;
  const moved = [];
  for (let k = 0; k < size; k++) {
    if (moves.every((move) => !move[k])) continue; // 0 or null at all times
    const base = list(frames.columns[k], frames.time.length);
    const shown = Float32Array.from(base, (v) => v ?? NaN);
    frames.columns[k] = shown;
    moved.push({ base: Float32Array.from(shown), shown, by: moves.map((move) => move[k]) });
  }
  return moved;
}

export function makeSliders(report, clock) {
  const parameters = followedBy(report);
  if (parameters.length === 0) return null;
  const scene = report.frames.columns.length > 0 ? splitFrames(report.frames, parameters.length) : [];
  const curves = followedCurves(report, parameters);
  const plots = curves.map(({ variable, base, shown }) =>
    makePlot({ title: `${variable.name}: to first order`, unit: variable.unit ? `in ${variable.unit}` : "", time: report.rows.time, curves: [{ label: variable.name, values: base }, { label: "with the sliders", values: shown }] }, clock),
  );
  const rows = parameters.map((parameter) => makeSlider(parameter, update));
  const reset = h("button", { type: "button", id: "reset", onclick: () => (rows.forEach((row) => row.reset()), update()) }, "Reset");
  const note = h("p", { class: "note" }, "The scene and the curves “with the sliders” change to first order, by the derivatives of this motion; traces stay as they are. Run the model again for large changes.");
  const panel = h("section", { class: "panel", "aria-label": "parameters" }, rows.map(({ element }) => element), h("div", { class: "tools" }, reset), note);
  return { panel, plots };

  function update() {
    for (const { base, shown, by } of [...scene, ...curves])
      for (let i = 0; i < shown.length; i++) shown[i] = base[i] + parameters.reduce((sum, { change }, j) => sum + (change === 0 ? 0 : change * at(by[j], i)), 0);
    for (const plot of plots) plot.refresh();
    clock.set(clock.time);
  }
}

const at = (column, i) => (column === null ? NaN : typeof column === "number" ? column : column[i]);

// The variables whose derivatives are columns, too.
function followedCurves({ variables, rows }, parameters) {
  const column = (name) => variables.find((variable) => variable.name === name);
  const found = [];
  for (const variable of variables) {
    const by = parameters.map(({ name }) => column(`d(${variable.name})/d(${name})`)?.values);
    if (by.some((values) => values === undefined)) continue;
    const base = Float64Array.from(list(variable.values, rows.time.length), (v) => v ?? NaN);
    found.push({ variable, base, shown: Float64Array.from(base), by });
  }
  return found;
}

function makeSlider(parameter, update) {
  const { name, value } = parameter;
  const scale = value === 0 ? 1 : reach * Math.abs(value);
  const shown = h("output", { class: "time" });
  const slider = h("input", { type: "range", min: -steps, max: steps, step: 1, value: 0, "aria-label": name, "data-parameter": name, oninput: () => (take(), update()) });
  const take = () => {
    parameter.change = (scale * Number(slider.value)) / steps;
    shown.textContent = number(value + parameter.change, 5);
  };
  take();
  return { element: h("div", { class: "player" }, h("label", {}, name), slider, shown), reset: () => ((slider.value = 0), take()) };
}
