// Modes: the mechanism in the motion of one of them, the eigenvalues, and how much each coordinate moves.
import { makeChart } from "./chart.js";
import { h, section, table } from "./dom.js";
import { number, withoutRounding } from "./format.js";
import { bounds, makeFrames, placeShapes } from "./frames.js";
import { makeScene } from "./scene.js";

const frameCount = 97; // of a cycle
const seconds = 2; // that a cycle takes on the screen

export function modesPage(data) {
  const { eigenvalues } = data.result;
  const listed = eigenvalues.map((e, i) => ({ ...e, i })).filter(({ im }) => im >= 0); // one of each pair
  const shape = h("div");
  const animation = data.scene ? makeAnimation(data) : null;
  const choice = h("select", { id: "mode", "aria-label": "mode", onchange: () => choose(Number(choice.value)) }, listed.map(({ i, ...e }) => h("option", { value: i }, describe(e))));
  const first = listed.find(({ im, damping }) => im > 0 && damping !== null) ?? listed[0];
  const page = h(
    "main",
    {},
    h("div", { class: "stage" }, h("section", { class: "panel", "aria-label": "animation" }, animation?.element ?? note(), h("div", { class: "player" }, h("label", {}, "mode ", choice)), animation?.controls)),
    h("div", { class: "plots" }, plane(eigenvalues), section("eigenvalues", "Eigenvalues", eigenvalueTable(eigenvalues)), shape),
  );
  if (first) {
    choice.value = first.i;
    choose(first.i);
  }
  return page;

  function choose(i) {
    animation?.choose(i);
    shape.replaceChildren(shapeTable(data.result, i));
    document.documentElement.dataset.mode = i;
  }
}

const note = () => h("p", { class: "note" }, "This model draws nothing. Lines such as ", h("code", {}, 'draw.point("bob", {x, y})'), " in its script show its modes in motion.");

// Rounding is no damping, and an eigenvalue without damping ratio is zero.
function describe({ re, im, hz, damping }) {
  if (damping === null) return "eigenvalue 0";
  if (im === 0) return `${re > 0 ? "grows" : "decays"} with ${number(re, 4)} 1/s`;
  if (Math.abs(damping) < 1e-9) return `${number(hz, 4)} Hz, undamped`;
  return `${number(hz, 4)} Hz, damping ${number(damping, 3)}${re > 0 ? ", growing" : ""}`;
}

function plane(eigenvalues) {
  const size = Math.max(...eigenvalues.map(({ re, im }) => Math.hypot(re, im)), 0);
  const points = eigenvalues.map((e) => [withoutRounding(e.re, size), e.im, describe({ ...e, im: Math.abs(e.im) })]);
  return makeChart({ title: "Eigenvalues in the complex plane", x: { label: "real part in 1/s", zero: true }, y: { label: "imaginary part in rad/s", zero: true }, series: [{ label: "eigenvalue", points, marks: true }] });
}

function eigenvalueTable(eigenvalues) {
  const head = ["mode", "real part 1/s", "imaginary rad/s", "frequency Hz", "damping"];
  return table(head, eigenvalues.map(({ re, im, hz, damping }, i) => ({ values: [String(i + 1), number(re, 8), number(im, 8), number(hz), number(damping)] })), { class: "numbers" });
}

function shapeTable({ coordinates, shapes, velocities, participation }, i) {
  if (!shapes?.[i]) return section("shape", "Shape", h("p", {}, "Shapes of so many modes are not stored."));
  const { re, im } = shapes[i];
  const rows = coordinates.map((name, k) => ({ values: [name, number(Math.hypot(re[k], im[k])), number((Math.atan2(im[k], re[k]) * 180) / Math.PI, 4)] }));
  const shares = (velocities ?? []).map((name, k) => ({ values: [name, number(participation[i][k], 4)] }));
  return h(
    "div",
    { class: "plots" },
    section("shape", `Shape of mode ${i + 1}`, table(["coordinate", "amplitude", "phase in degrees"], rows, { class: "numbers" })),
    section("shares", "Shares of its kinetic energy", table(["velocity", "share"], shares, { class: "numbers" })),
  );
}

// The scene with frames of one cycle, which are computed anew for another mode or scale.
function makeAnimation({ scene: drawn, base, moves, result }) {
  const scene = { ...drawn, shapes: drawn.shapes.map((shape) => ({ ...shape, trace: false })) };
  const time = Float64Array.from({ length: frameCount }, (_, i) => i / (frameCount - 1));
  const columns = base.map(() => new Float64Array(frameCount));
  const frames = { time, columns, per: 1 };
  const clock = makeLoop();
  const decay = h("input", { type: "checkbox", id: "decay", onchange: update });
  let mode = 0;
  fill(0);
  const reach = sceneSize(scene, frames);
  fill(moves[0] ? amplitude(scene, moves[0], reach) : 0); // the view has room for a mode
  const element = makeScene({ scene, frames }, clock);
  const scale = h("input", { type: "range", id: "scale", min: -20, max: 20, step: 1, value: 0, "aria-label": "scale of the motion", oninput: update });
  const play = h("button", { type: "button", class: "play", id: "play", title: "Play or pause", onclick: () => (clock.toggle(), label()) });
  const label = () => (play.textContent = clock.playing ? "❚❚" : "▶");
  clock.toggle();
  label();
  globalThis.driftless = { clock, frames };
  return { element, controls: h("div", { class: "player" }, play, h("label", {}, "scale ", scale), h("label", {}, decay, " growth and decay")), choose };

  function choose(i) {
    mode = i;
    update();
  }

  function update() {
    const move = moves[mode];
    if (!move) return fill(0);
    fill(amplitude(scene, move, reach) * 10 ** (Number(scale.value) / 20));
    clock.announce();
  }

  function fill(size) {
    const e = result.eigenvalues[mode] ?? { re: 0, im: 0 };
    const move = moves[mode];
    for (let f = 0; f < frameCount; f++) {
      const [a, b] = factors(e, time[f], decay.checked);
      base.forEach((value, k) => (columns[k][f] = (value ?? NaN) + (move ? size * (a * (move.re[k] ?? 0) - b * (move.im[k] ?? 0)) : 0)));
    }
  }
}

// Re(shape exp(...)) over a cycle: an oscillation, with its own decay if wanted; what does not oscillate grows or decays by e^3.
function factors({ re, im }, u, decay) {
  if (im === 0) return [Math.abs(re) < 1e-9 ? Math.sin(2 * Math.PI * u) : Math.exp(re > 0 ? 3 * (u - 1) : -3 * u), 0];
  const size = decay ? Math.exp((2 * Math.PI * re * (re > 0 ? u - 1 : u)) / Math.abs(im)) : 1;
  return [size * Math.cos(2 * Math.PI * u), size * Math.sin(2 * Math.PI * u) * Math.sign(im)];
}

function sceneSize(scene, frames) {
  const made = makeFrames(frames, scene);
  made.seek(0);
  const { low, high } = bounds(placeShapes(scene), made);
  return Math.hypot(...low.map((v, i) => high[i] - v)) || 1;
}

// The farthest point moves by a tenth of the scene; turning bodies by a third of a radian at most.
function amplitude(scene, { re, im }, reach) {
  let next = 0;
  let points = 0;
  let turns = 0;
  for (const { kind, columns } of scene.shapes) {
    const pose = ["box", "cylinder", "sphere", "frame", "mesh"].includes(kind);
    columns.forEach((number, k) => {
      if (number !== null) return;
      const size = Math.hypot(re[next] ?? 0, im[next] ?? 0);
      next++;
      if (pose && k >= 3 && k < 7) turns = Math.max(turns, size);
      else points = Math.max(points, size);
    });
  }
  const limits = [points > 0 ? (0.12 * reach) / points : Infinity, turns > 0 ? 0.15 / turns : Infinity];
  const found = Math.min(...limits);
  return Number.isFinite(found) ? found : 0;
}

// A clock that goes round and round.
function makeLoop() {
  const listeners = new Set();
  let before = 0;
  const clock = { time: 0, start: 0, end: 1, playing: false, onChange: (listener) => listeners.add(listener), announce, toggle, set };
  return clock;

  function announce() {
    for (const listener of listeners) listener(clock);
  }

  function set(time) {
    clock.time = time;
    announce();
  }

  function toggle() {
    clock.playing = !clock.playing;
    before = performance.now();
    if (clock.playing) requestAnimationFrame(tick);
  }

  function tick(now) {
    if (!clock.playing) return;
    clock.time = (clock.time + Math.max(0, now - before) / 1000 / seconds) % 1;
    before = now;
    announce();
    requestAnimationFrame(tick);
  }
}
