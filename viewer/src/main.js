// The page: head, scene and player on one side, plots on the other, tables below.
import "uplot/dist/uPlot.min.css";
import "./page.css";
import { makeClock } from "./clock.js";
import { readReport } from "./data.js";
import { h } from "./dom.js";
import { lanePlot } from "./lanes.js";
import { omissions, proofPlots, variablePlots } from "./panels.js";
import { makePlayer } from "./player.js";
import { resetZoom, setMarks, sizePlots, zoomBy } from "./plot.js";
import { makeScene } from "./scene.js";
import { makeSliders } from "./sliders.js";
import { facts, header, proof, tables } from "./summary.js";
import { isDark, setTheme } from "./theme.js";

const report = readReport(document.getElementById("data").textContent);
const times = report.rows.time;
const clock = makeClock(times[0] ?? 0, times[times.length - 1] ?? 0);
setMarks(eventTimes(report));
const sliders = makeSliders(report, clock);
const variables = variablePlots(report, clock);
const lanes = lanePlot(report, clock);
const proofs = proofPlots(report, clock);
const leftOut = omissions(report);

document.getElementById("report").append(
  header(report),
  h(
    "main",
    {},
    h(
      "div",
      { class: "stage" },
      h("section", { class: "panel", "aria-label": "animation" }, report.scene ? makeScene(report, clock) : noScene(report), makePlayer(clock, times)),
      sliders?.panel,
      h("section", { class: "panel", "aria-label": "summary" }, facts(report), proof(report)),
    ),
    h("div", { class: "plots" }, plotTools(), leftOut ? h("p", { class: "note" }, leftOut) : null, sliders?.plots ?? [], variables, lanes, proofs),
  ),
  h("div", { class: "tables" }, tables(report)),
  h("footer", {}, `Driftless ${report.meta.version ?? ""}. Keys: space plays, arrows step, Home and End jump, + and − zoom, 0 shows all.`),
);
requestAnimationFrame(() => clock.set(clock.time));
document.documentElement.dataset.ready = "yes";
globalThis.driftless = { report, clock };

// Of events, impacts and kinks, each time once.
function eventTimes({ events, switches }) {
  const marked = switches.filter(({ kind }) => kind === "event" || kind === "impact" || kind === "kink");
  return [...new Set([...events, ...marked].map(({ time }) => time))].sort((a, b) => a - b);
}

function noScene({ variables }) {
  const large = variables.length > 1000 ? "Mechanisms with more than 2000 bodies, joints and shapes are not drawn by themselves. " : "";
  return h("p", { class: "note" }, "This model draws nothing. ", large, "Lines such as ", h("code", {}, 'draw.point("bob", {x, y}, { trace = true })'), " in its script show it in motion.");
}

function plotTools() {
  const button = (text, title, action) => h("button", { type: "button", title, onclick: action }, text);
  return h(
    "div",
    { class: "tools" },
    button("All", "Show the whole time (0, or double click)", resetZoom),
    button("+", "Zoom in at the present time", () => zoomBy(0.5, clock.time)),
    button("−", "Zoom out", () => zoomBy(2, clock.time)),
    h("span", { class: "hint" }, "Drag to zoom, click to set the time; names switch curves on and off."),
  );
}

document.addEventListener("keydown", (event) => {
  const actions = { 0: resetZoom, "+": () => zoomBy(0.5, clock.time), "-": () => zoomBy(2, clock.time) };
  if (event.target.closest?.("input, select, canvas, textarea") || event.ctrlKey || event.metaKey || !actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
});

let darkBefore = false;
addEventListener("beforeprint", () => {
  darkBefore = isDark();
  if (darkBefore) setTheme("light");
  sizePlots(640);
});
addEventListener("afterprint", () => {
  if (darkBefore) setTheme("dark");
  sizePlots();
});
