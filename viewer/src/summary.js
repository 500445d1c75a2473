// The head of the page: what was run, how it ended, and that nothing drifted.
import { h, section, table } from "./dom.js";
import { count, number, short } from "./format.js";
import { isDark, setTheme } from "./theme.js";

const explained = {
  position: "the constraints themselves",
  velocity: "their first derivative",
  acceleration: "their second derivative",
  nonholonomic: "constraints on velocities",
  contact: "equations of contact points",
  auxiliary: "auxiliary equations",
  invariant: "quantities that stay the same",
  massless: "balance of directions without mass",
};

export function header({ meta }) {
  const theme = h("button", { type: "button", class: "theme", title: "Light or dark", "aria-label": "light or dark", onclick: () => setTheme(isDark() ? "light" : "dark") }, "◐");
  const status = meta.status || "unknown";
  return h(
    "header",
    {},
    h("div", { class: "title" }, h("h1", {}, meta.model), h("span", { class: `chip ${status}` }, status), h("span", { class: "grow" }), theme),
    description(meta.text).map((line) => h("p", { class: "lead" }, line)),
    meta.message ? h("p", { class: "message", role: "alert" }, meta.message) : null,
    warnings(meta.warnings),
  );
}

// The comment that a script begins with.
function description(text) {
  const lines = [];
  for (const line of (text ?? "").split("\n")) {
    if (!line.startsWith("--") || line.startsWith("--[[")) break;
    lines.push(line.replace(/^--+\s?/, ""));
  }
  return lines.length > 0 ? [lines.join(" ")] : [];
}

function warnings(text) {
  const lines = (text ?? "").split("\n").filter((line) => line);
  if (lines.length === 0) return null;
  return h("details", { class: "message" }, h("summary", {}, `${count(lines.length)} warning${lines.length > 1 ? "s" : ""}`), h("ul", {}, lines.map((line) => h("li", {}, line))));
}

export function facts({ meta, rows }) {
  const { options = {}, statistics = {} } = meta;
  const [energy, reason] = (meta.energy || "energy change").split(", "); // as the command line says it
  const rejected = (statistics.rejected_error ?? 0) + (statistics.rejected_newton ?? 0);
  const list = [
    ["simulated", `${number(options.from ?? rows.time[0])} to ${number(statistics.t ?? rows.time.at(-1))} s`],
    ["computed in", statistics.seconds == null ? "–" : `${short(statistics.seconds)} s`],
    ["form, method", [options.form, options.method].filter(Boolean).join(", ") || "–"],
    ["tolerances", tolerances(options)],
    ["steps", `${count(statistics.accepted)}${rejected > 0 ? `, ${count(rejected)} rejected` : ""}`],
    ["rows", count(rows.seen)],
    [energy, statistics.energy_drift == null ? "–" : `${short(statistics.energy_drift)} J${reason ? `, ${reason}` : ""}`],
  ];
  return h("dl", { class: "facts" }, list.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

// An absolute tolerance of 0 is one that follows the model.
function tolerances({ rtol, atol }) {
  if (rtol === atol) return `rtol = atol = ${short(rtol)}`;
  return atol === 0 ? `rtol = ${short(rtol)}` : `rtol = ${short(rtol)}, atol = ${short(atol)}`;
}

// The largest residual of every level, with a bar from 1 (empty) to rounding (full).
export function proof({ meta, levels }) {
  const largest = meta.statistics?.max_residual ?? [];
  const rows = levels.map(({ name }, i) => [name, largest[i]]).filter(([, value]) => value != null);
  if (rows.length === 0) return null;
  const share = (value) => Math.min(100, Math.max(4, (100 * Math.log10(Math.max(value, 1e-16))) / -16));
  return h(
    "div",
    { class: "proof" },
    h("p", {}, "Largest residual over all steps: the constraints, and what follows from them, hold at every step."),
    h("ul", {}, rows.map(([name, value]) =>
      h("li", { title: explained[name] }, h("span", { class: "level" }, name), h("span", { class: "bar" }, h("i", { style: `width:${share(value)}%` })), h("b", {}, short(value))))),
  );
}

export function tables(report) {
  return [initialTable(report), parameterTable(report), eventTable(report), switchTable(report), statisticsTable(report), modelText(report)];
}

const longest = 1000; // rows of a table

function initialTable({ meta, variables }) {
  if (!meta.initial) return null;
  let corrected = 0;
  const rows = meta.initial.map(([given, start, held], i) => {
    const changed = given !== start;
    corrected += changed;
    const what = held ? "held" : changed ? "corrected" : "kept";
    return { values: [variables[i].name, number(given, 10), number(start, 10), changed ? short(start - given) : "", what], mark: changed ? "changed" : held ? "held" : "" };
  });
  return section(
    "initial",
    "Initial values",
    h("p", {}, `${corrected} of ${rows.length} values were corrected, so that every constraint holds at the start; held values stay as they were given.`),
    table(["variable", "given", "at the start", "change", ""], rows.slice(0, longest), { class: "numbers" }),
    rows.length > longest ? h("p", {}, `and ${count(rows.length - longest)} more`) : null,
  );
}

function parameterTable({ meta }) {
  if (!meta.parameters?.length) return null;
  const rows = meta.parameters.map(([name, value, unit]) => ({ values: [name, number(value, 10), unit] }));
  return section("parameters", "Parameters", table(["parameter", "value", "unit"], rows, { class: "numbers" }));
}

function eventTable({ events, eventCount }) {
  if (events.length === 0) return null;
  const shown = events.slice(0, 200);
  const rows = shown.map(({ time, name, direction }) => ({ values: [name, number(time, 10), direction > 0 ? "rising" : direction < 0 ? "falling" : ""] }));
  const more = eventCount > shown.length ? h("p", {}, `and ${count(eventCount - shown.length)} more`) : null;
  return section("events", "Events", table(["event", "time in s", "direction"], rows, { class: "numbers" }), more);
}

// Impulses and changes of energy, modes and branches, but for the modes at the start.
function switchTable({ switches, switchCount, start }) {
  const later = switches.filter(({ kind, time }) => kind !== "mode" || time !== start);
  if (later.length === 0) return null;
  const shown = later.slice(0, 200);
  const impulse = (list) => list.map(({ name, value }) => `${name} ${number(value, 6)}`).join(", ");
  const lines = shown.map(({ time, kind, name, state, energy, impulses }) => ({
    values: [name, kind === "mode" || kind === "branch" ? `${kind}: ${state}` : kind, number(time, 7), impulse(impulses), energy == null ? "" : number(energy, 6)],
  }));
  const more = switchCount - (switches.length - later.length) - shown.length;
  return section(
    "switches",
    "Switches",
    h("p", {}, "What happened at instants; impulses in N s or N m s, and the change of energy, where velocities jump."),
    table(["name", "what", "time in s", "impulses", "energy change in J"], lines, { class: "numbers" }),
    more > 0 ? h("p", {}, `and ${count(more)} more`) : null,
  );
}

function statisticsTable({ meta }) {
  const { options = {}, statistics = {} } = meta;
  const line = ([name, value]) => ({ values: [name.replaceAll("_", " "), typeof value === "number" ? number(value, 10) : String(value ?? "–")] });
  const numbers = Object.entries(statistics).filter(([name]) => name !== "max_residual");
  return section(
    "statistics",
    "Options and statistics",
    h("div", { class: "pair" }, table(["option", ""], Object.entries(options).map(line), { class: "numbers" }), table(["statistic", ""], numbers.map(line), { class: "numbers" })),
  );
}

function modelText({ meta }) {
  return section("model", "Model", h("pre", { tabindex: 0 }, h("code", {}, meta.text ?? "")));
}
