// The path of a shape: faint as a whole, strong up to the present time.
import { BufferGeometry, Float32BufferAttribute, Group, Points, PointsMaterial } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { color } from "./theme.js";

const cycle = ["blue", "vermillion", "green", "purple", "orange", "sky"];
const usual = (shape) => color(shape.color ?? cycle[shape.number % cycle.length]);

export function makeTrace(shape, frames, planar) {
  const { positions, places } = samplePath(shape, frames);
  if (positions.length < 6) return null;
  if (!frames.between) return makeDots(shape, positions, planar);
  const past = makeLine(positions, 2, 0.9, planar);
  const whole = makeLine(positions, 1, 0.3, planar);
  const object = new Group().add(whole, past);
  object.traverse((part) => (part.renderOrder = -1));
  const repaint = () => {
    for (const part of [past, whole]) part.material.color.set(usual(shape));
  };
  repaint();
  return {
    object,
    repaint,
    update() {
      let pieces = 0; // up to the frame that was reached
      let high = places.length - 1;
      while (pieces < high) {
        const middle = (pieces + high + 1) >> 1;
        if (places[middle] <= frames.place()) pieces = middle;
        else high = middle - 1;
      }
      past.geometry.instanceCount = pieces;
      past.visible = pieces > 0;
    },
  };
}

// Of distant frames only the places are known.
function makeDots(shape, positions, planar) {
  const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(positions, 3));
  const material = new PointsMaterial({ size: 2, sizeAttenuation: false, transparent: true, opacity: 0.35, depthTest: !planar });
  const object = new Points(geometry, material);
  const repaint = () => material.color.set(usual(shape));
  object.renderOrder = -1;
  object.frustumCulled = false;
  repaint();
  return { object, repaint, update() {} };
}

// At most 20 000 points of the path, and the frames they belong to.
function samplePath({ first }, frames) {
  const positions = [];
  const places = [];
  const stride = Math.max(1, Math.ceil(frames.time.length / 20000));
  for (let i = 0; i < frames.time.length; i += stride) {
    const at = [0, 1, 2].map((k) => frames.raw(first + k, i));
    if (!at.every(Number.isFinite)) continue;
    positions.push(...at);
    places.push(i);
  }
  return { positions, places };
}

function makeLine(positions, width, opacity, planar) {
  const geometry = new LineGeometry();
  geometry.setPositions(positions);
  const line = new Line2(geometry, new LineMaterial({ linewidth: width, transparent: true, opacity, depthTest: !planar }));
  line.frustumCulled = false;
  return line;
}
