// The mechanism in motion.
import { AmbientLight, Color, DirectionalLight, GridHelper, Scene, WebGLRenderer } from "three";
import { makeCamera } from "./camera.js";
import { h } from "./dom.js";
import { number, roundBelow } from "./format.js";
import { bounds, largestValue, makeFrames, placeShapes } from "./frames.js";
import { makeShape } from "./shapes.js";
import { makeTrace } from "./traces.js";
import { onTheme, style } from "./theme.js";

export function makeScene(report, clock) {
  const canvas = h("canvas", { id: "scene", tabindex: 0, role: "img", "aria-label": "animation of the mechanism; arrow keys and plus and minus move the view" });
  const renderer = makeRenderer(canvas);
  if (!renderer) return h("p", { class: "note" }, "This browser offers no WebGL, so that the mechanism cannot be drawn; the plots need none.");
  const { planar } = report.scene;
  const frames = makeFrames(report.frames, report.scene);
  frames.seek(clock.time);
  const shapes = placeShapes(report.scene);
  const box = bounds(shapes, frames);
  const view = makeCamera(canvas, box, planar);
  const scene = new Scene();
  const spacing = roundBelow(view.radius / 3);
  const most = largestValue(shapes, frames);
  const parts = addParts(scene, shapes, frames, view.radius, planar, most);
  addLight(scene, view.camera);
  let grid = null;
  let waiting = false;

  const place = h("div", { class: "canvas" }, canvas, h("span", { class: "scale" }, `grid ${number(spacing, 3)} m${legend(shapes, most)}`));
  view.controls.addEventListener("change", render);
  clock.onChange(() => (frames.seek(clock.time), update()));
  onTheme(repaint);
  new ResizeObserver(resize).observe(place);
  repaint();
  update();
  return h("div", {}, place, tools(view, parts, render));

  function update() {
    for (const { shape, made, trace } of parts) {
      made.update((k) => frames.value(shape.first + k));
      trace?.update();
    }
    render();
  }

  function repaint() {
    scene.background = new Color(style("panel"));
    if (grid) scene.remove(grid);
    grid = makeGrid(box, view, spacing, planar);
    scene.add(grid);
    for (const { made, trace } of parts) (made.repaint(), trace?.repaint());
    render();
  }

  function resize() {
    const { clientWidth: width, clientHeight: height } = place;
    if (width === 0 || height === 0) return;
    renderer.setSize(width, height, false);
    view.resize(width / height);
    view.controls.update();
    renderer.render(scene, view.camera);
  }

  function render() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      renderer.render(scene, view.camera);
    });
  }
}

// What the colours of lines mean.
function legend(shapes, most) {
  const shown = shapes.find(({ value }) => value);
  if (!shown || most === 0) return "";
  const [what, unit] = shown.value.split(", ");
  return `; ${what}: blue ${number(-most, 3)}, gray 0, vermillion ${number(most, 3)} ${unit}`;
}

function makeRenderer(canvas) {
  try {
    const renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    return renderer;
  } catch {
    return null;
  }
}

function addParts(scene, shapes, frames, radius, planar, most) {
  const parts = [];
  for (const shape of shapes) {
    const made = makeShape(shape, radius, planar, most);
    if (!made) continue;
    const trace = shape.trace ? makeTrace(shape, frames, planar) : null;
    scene.add(made.object);
    if (trace) scene.add(trace.object);
    parts.push({ shape, made, trace });
  }
  return parts;
}

// Light from behind the viewer's shoulder.
function addLight(scene, camera) {
  const lamp = new DirectionalLight(0xffffff, 2.2);
  lamp.position.set(-1, 1.5, 1);
  camera.add(lamp);
  scene.add(camera, new AmbientLight(0xffffff, 1.3));
}

// Behind a planar scene, below one in space.
function makeGrid({ low, high }, { radius, centre }, spacing, planar) {
  const lines = 2 * Math.ceil((planar ? 4 : 2) * (radius / spacing));
  const grid = new GridHelper(lines * spacing, lines, style("grid"), style("grid"));
  grid.material.depthTest = !planar;
  grid.renderOrder = -2;
  grid.rotateX(Math.PI / 2);
  const round = (value) => Math.round(value / spacing) * spacing;
  grid.position.set(round(centre.x), round(centre.y), planar ? 0 : low[2] - 1e-3 * radius);
  return grid;
}

function tools(view, parts, render) {
  const traced = parts.filter(({ trace }) => trace);
  const show = (list, on) => (list.forEach((object) => (object.visible = on)), render());
  const toggle = (label, objects) => {
    const box = h("input", { type: "checkbox", checked: true, onchange: () => show(objects, box.checked) });
    return h("label", {}, box, label);
  };
  const names = parts.length <= 30 ? parts.map(({ shape, made }) => toggle(shape.name, [made.object])) : [];
  return h(
    "div",
    { class: "tools" },
    h("button", { type: "button", title: "Show everything again (0)", onclick: () => (view.fit(), render()) }, "Fit"),
    traced.length > 0 ? toggle("traces", traced.map(({ trace }) => trace.object)) : null,
    names.length > 0 ? h("details", {}, h("summary", {}, "shapes"), h("div", { class: "names" }, names)) : null,
  );
}
