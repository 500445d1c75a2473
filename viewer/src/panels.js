// Which plots there are: variables by kind and size, constraint levels, energy, steps.
import { list, range } from "./data.js";
import { count, number } from "./format.js";
import { makePlot } from "./plot.js";

const kinds = [
  ["position", "Positions", "in m, rad"],
  ["velocity", "Velocities", "in m/s, rad/s"],
  ["output", "Outputs", "in SI units"],
  ["multiplier", "Multipliers", "forces of the constraints, in N or N m per unit of the gradient"],
  ["dynamic", "Dynamic variables", "in SI units"],
  ["contact", "Contact variables", "in SI units"],
  ["auxiliary", "Auxiliary variables", "in SI units"],
];
const alike = 8; // curves whose sizes differ by less share an axis
export const most = 200; // variables of a kind that are shown: thousands make a page slow

export function variablePlots(report, clock) {
  const time = report.rows.time;
  const found = [];
  if (time.length === 0) return found; // the run never started
  for (const [kind, title, unit] of kinds) {
    const shown = ofKind(report, kind).slice(0, most);
    const groups = groupByUnit(shown).flatMap(groupBySize);
    const usual = groups.some(([first]) => first.unit) ? "" : unit; // quaternions have none among lengths
    for (const group of groups) {
      const names = groups.length > 1 ? `: ${someNames(group)}` : "";
      const curves = group.map(({ name, unit: own, values }) => ({ label: name, unit: own, values: list(values, time.length) }));
      const known = group[0].unit;
      found.push(makePlot({ title: title + names, unit: known ? `in ${known}` : usual, time, curves }, clock));
    }
  }
  return found;
}

const ofKind = (report, kind) => report.variables.filter((variable) => variable.kind === kind);

export function proofPlots(report, clock) {
  const { time, energy } = report.steps;
  if (time.length === 0) return [];
  const found = [];
  const levels = report.levels.filter(({ values }) => range(values));
  if (levels.length > 0) {
    const curves = levels.map(({ name, values }) => ({ label: name, values: list(values, time.length, true), told: list(values, time.length) }));
    const note = "Largest absolute residual at every accepted step, of the constraints and of what follows from them.";
    found.push(makePlot({ title: "Constraint residuals", unit: "in the unit of each level", note, time, curves, logarithmic: true }, clock));
  }
  if (range(energy)) found.push(energyPlot(time, energy, clock));
  found.push(stepPlot(report.steps, clock));
  return found;
}

function energyPlot(time, energy, clock) {
  const values = list(energy, time.length);
  const first = values.find((v) => v !== null);
  const change = Array.from(values, (v) => (v === null ? null : v - first));
  const note = `The energy at the start is ${number(first)} J. Forces, drives and friction change it, too.`;
  return makePlot({ title: "Energy: change since the start", unit: "in J", note, time, curves: [{ label: "E − E₀", values: change }] }, clock);
}

// Sizes on the left; rejected attempts and, where it changes, the order on the right.
function stepPlot({ time, size, order, rejections }, clock) {
  const curves = [{ label: "step size in s", values: list(absolute(size), time.length, true) }];
  const right = [];
  if (range(rejections)?.[1] > 0) {
    curves.push({ label: "rejected attempts", values: list(rejections, time.length), axis: "right", bars: true });
    right.push("rejected attempts");
  }
  if (typeof order === "object" && order) {
    curves.push({ label: "order", values: list(order, time.length), axis: "right", stepped: true });
    right.push("order");
  }
  const unit = right.length > 0 ? `in s; right: ${right.join(" and ")}` : "in s";
  return makePlot({ title: "Step size", unit, time, curves, logarithmic: true, right: right.length > 0 }, clock);
}

const absolute = (column) => (typeof column === "object" && column ? column.map(Math.abs) : column === null ? null : Math.abs(column));

function groupByUnit(variables) {
  const units = [...new Set(variables.map(({ unit }) => unit))];
  return units.map((unit) => variables.filter((variable) => variable.unit === unit));
}

// Groups of curves that one axis can show.
function groupBySize(variables) {
  const groups = [];
  for (const variable of variables) {
    const [low, high] = range(variable.values) ?? [0, 0];
    const size = Math.min(Number.MAX_VALUE, Math.max(high - low, 1e-3 * Math.abs(high))) || null;
    const fitting = groups.find((group) => !size || !group.size || (size < alike * group.size && group.size < alike * size));
    if (!fitting) groups.push({ size, members: [variable] });
    else {
      fitting.members.push(variable);
      fitting.size = Math.max(fitting.size ?? 0, size ?? 0) || null;
    }
  }
  return groups.map((group) => group.members);
}

function someNames(group) {
  const names = group.slice(0, 4).map(({ name }) => name);
  return names.join(", ") + (group.length > 4 ? ", …" : "");
}

// What large models and long runs leave out.
export function omissions(report) {
  const long = kinds.map(([kind, title]) => [title.toLowerCase(), ofKind(report, kind).length]).filter(([, length]) => length > most);
  const texts = long.map(([title, length]) => `the first ${most} of ${count(length)} ${title}`);
  return [texts.length > 0 ? `Plots show ${texts.join(", ")}; files of results have them all.` : null, thinningNote(report)].filter(Boolean).join(" ") || null;
}

function thinningNote({ rows, steps, frames }) {
  const thinned = [["rows", rows], ["steps", steps]].filter(([, table]) => table.per > 2);
  const texts = thinned.map(([name, table]) => `${count(table.seen)} ${name} are shown by the smallest and largest of every ${count(table.per)}`);
  if (frames.per > 1) texts.push(`the animation shows one row in ${count(frames.per)}`);
  return texts.length > 0 ? `${texts.join("; ")}. No extremum is lost; times are within ${count(Math.max(rows.per, steps.per))} rows.` : null;
}
