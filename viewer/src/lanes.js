// A lane for each contact, friction and condition: in which mode or branch it is, over the time of the plots.
import { makePlot } from "./plot.js";
import { color, style } from "./theme.js";

const most = 16; // lanes
const colours = { open: null, closed: "gray", sticks: "green", slips: "orange", "slips back": "vermillion", "> 0": "sky", "< 0": null };

export function lanePlot({ rows, switches, start, back }, clock) {
  const made = makeLanes(switches, start).slice(0, most);
  const lanes = back ? made.map((lane) => ({ ...lane, parts: turned(lane.parts, rows.time[0]) })) : made;
  if (lanes.length === 0 || rows.time.length === 0) return null;
  const curves = lanes.map(({ name, parts }, i) => ({
    label: name,
    values: Array(rows.time.length).fill(lanes.length - i - 0.5),
    words: (t) => stateAt(parts, t),
  }));
  const note = "Which contacts are closed, stick or slip, and on which side of a border conditions are.";
  return makePlot({ title: "Modes", note, time: rows.time, curves, lanes: { count: lanes.length, names: lanes.map(({ name }) => name), draw: (u) => draw(u, lanes) } }, clock);
}

// [{name, parts: [{from, state}]}] from changes in the order of time.
export function makeLanes(switches, start) {
  const found = new Map();
  for (const { kind, of, name, time, state } of switches) {
    if (kind !== "mode" && kind !== "branch" && kind !== "kink") continue;
    if (!found.has(of)) found.set(of, { name, kind, parts: [] });
    found.get(of).parts.push({ from: time, state });
  }
  return [...found.values()].map((lane) => ({ ...lane, parts: lane.kind === "mode" ? lane.parts : branches(lane.parts, start) }));
}

// A condition is on the other side before its first change; those with more than two sides have numbers.
function branches(parts, start) {
  const sides = parts.every(({ state }) => Math.abs(state) === 1);
  if (!sides) return [{ from: start, state: "" }, ...parts.map(({ from, state }) => ({ from, state: String(state) }))];
  const word = (state) => (state > 0 ? "> 0" : "< 0");
  return [{ from: start, state: word(-parts[0].state) }, ...parts.map(({ from, state }) => ({ from, state: word(state) }))];
}

// The parts of a run backwards, in the order of time: each one begins where the run has left it.
function turned(parts, end) {
  return parts.map(({ state }, i) => ({ from: i + 1 < parts.length ? parts[i + 1].from : end, state })).reverse();
}

export function stateAt(parts, time) {
  let state = "";
  for (const part of parts) if (part.from <= time) state = part.state;
  return state;
}

function draw(u, lanes) {
  const { ctx, bbox } = u;
  const height = bbox.height / lanes.length;
  const end = bbox.left + bbox.width;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  lanes.forEach(({ parts }, row) => {
    const top = bbox.top + row * height + 0.14 * height;
    parts.forEach(({ from, state }, i) => {
      const left = Math.max(bbox.left, u.valToPos(from, "x", true));
      const right = Math.min(end, i + 1 < parts.length ? u.valToPos(parts[i + 1].from, "x", true) : end);
      if (right <= left || state === "") return;
      const fill = colours[state] === undefined ? (i % 2 ? "purple" : "sky") : colours[state];
      ctx.globalAlpha = 0.45;
      ctx.fillStyle = fill ? color(fill) : style("grid");
      ctx.fillRect(left, top, Math.max(right - left, ratio), 0.72 * height);
      ctx.globalAlpha = 1;
      ctx.fillStyle = style("text");
      if (ctx.measureText(state).width + 8 * ratio < right - left) ctx.fillText(state, left + 4 * ratio, top + 0.36 * height);
    });
  });
  ctx.restore();
}
