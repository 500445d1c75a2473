// The page of an analysis: modes in motion, root loci, frequency responses.
import { h } from "./dom.js";
import { lociCharts } from "./loci.js";
import { modesPage } from "./modes.js";
import { optimumPage } from "./optimum.js";
import { responseCharts } from "./response.js";
import { studyPage } from "./study.js";
import { isDark, setTheme } from "./theme.js";

const data = JSON.parse(document.getElementById("data").textContent);
const { result } = data;
const titles = { modes: result.over ? `Eigenvalues over ${result.over}` : "Modes", response: "Frequency response", sweep: "Study", optimize: "Optimization" };
const theme = h("button", { type: "button", class: "theme", title: "Light or dark", "aria-label": "light or dark", onclick: () => setTheme(isDark() ? "light" : "dark") }, "◐");

document.getElementById("report").append(
  h("header", {}, h("div", { class: "title" }, h("h1", {}, data.model), h("span", { class: "chip" }, titles[data.command]), h("span", { class: "grow" }), theme), where(result)),
  data.command === "sweep" ? studyPage(data) : data.command === "optimize" ? optimumPage(data) : data.command === "response" ? responseCharts(result) : result.over ? lociCharts(result) : modesPage(data),
  h("footer", {}, `Driftless ${data.version}.`),
);
globalThis.driftless = { ...globalThis.driftless, data };
document.documentElement.dataset.ready = "yes";

function where({ at, message, unstable }) {
  const kinds = { equilibrium: "at an equilibrium", steady: "at a steady motion", frozen: "at an instant of a motion: the equations hold for this instant" };
  const text = at ? `Linear equations ${kinds[at.kind]}, t = ${at.t} s.` : "";
  const told = message && at && unstable === null ? `Stability is not judged: ${message}.` : message;
  return h("p", { class: "lead" }, [text, told].filter(Boolean).join(" "));
}
