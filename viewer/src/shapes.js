// Shapes as objects of three.js. A maker returns {object, update(value)}; `value(k)` is column k of the shape.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, EdgesGeometry, Group, InstancedMesh,
  LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, Quaternion,
  SphereGeometry, Vector3,
} from "three";
import { decode } from "./data.js";
import { color } from "./theme.js";

const up = new Vector3(0, 1, 0);
const makers = { point, line, spring, box, cylinder, sphere, frame, mesh };

// `scale` is a length that fits the scene; `planar` draws flat colours in the order of declaration.
// `most` is the largest absolute value that colours show.
export function makeShape(shape, scale, planar, most) {
  const paint = makePaint(shape, planar);
  const made = makers[shape.kind]?.(shape, scale, paint, planar, most);
  if (!made) return null;
  made.object.traverse((part) => {
    part.renderOrder = shape.number;
    part.frustumCulled = false;
  });
  return { ...made, repaint: paint.repaint };
}

function makePaint({ kind, number, color: word }, planar) {
  const cycle = ["blue", "vermillion", "green", "purple", "orange", "sky"];
  const usual = kind === "line" ? "gray" : kind === "spring" ? "green" : cycle[number % cycle.length];
  const fill = planar ? new MeshBasicMaterial({ depthTest: false }) : new MeshStandardMaterial({ roughness: 0.55, metalness: 0.1 });
  const edge = new LineBasicMaterial({ depthTest: !planar, transparent: true, opacity: 0.85 });
  const repaint = () => {
    fill.color.set(color(word ?? usual));
    edge.color.set(fill.color).offsetHSL(0, 0, -0.22);
  };
  repaint();
  return { fill, edge, repaint };
}

function point(shape, scale, { fill }) {
  const ball = new Mesh(new SphereGeometry(1, 24, 16), fill);
  return {
    object: new Group().add(ball), // groups are drawn in the order of their shapes, what is in none before all of them
    update(value) {
      ball.position.set(value(0), value(1), value(2));
      ball.scale.setScalar(value(3) / 2 || 0.03 * scale);
    },
  };
}

function line(shape, scale, { fill }, planar, most) {
  const shows = shape.value && most > 0;
  const path = makePath(shape.points, shows ? plain(fill) : fill);
  const points = Array.from({ length: shape.points }, () => new Vector3());
  return {
    object: path.object,
    update(value) {
      points.forEach((p, i) => p.set(value(3 * i), value(3 * i + 1), value(3 * i + 2)));
      path.set(points, value(3 * shape.points) / 2 || 0.008 * scale);
      if (shows) path.paint((i) => value(3 * shape.points + 1 + i) / most);
    },
  };
}

// A material that shows the colours of its parts as they are.
function plain(fill) {
  const material = fill.clone();
  material.color.set("white");
  return material;
}

// From blue, -1, through gray to vermillion, 1.
const [cold, middling, hot, mixed] = [new Color("#0072b2"), new Color("#c8c8c8"), new Color("#d55e00"), new Color()];
export function heat(x) {
  return mixed.copy(middling).lerp(x < 0 ? cold : hot, Math.min(1, Math.abs(x)) || 0);
}

// A zigzag in the plane, a helix in space, with straight ends.
function spring(shape, scale, { fill }, planar) {
  const perCoil = planar ? 2 : 12;
  const most = 64;
  const path = makePath(2 * most * perCoil, fill);
  const [from, to, along, side, normal] = Array.from({ length: 5 }, () => new Vector3());
  return {
    object: path.object,
    update(value) {
      from.set(value(0), value(1), value(2));
      to.set(value(3), value(4), value(5));
      const radius = value(6) || 0.035 * scale;
      const coils = Math.min(most, Math.max(1, Math.round(value(7))));
      along.subVectors(to, from);
      side.set(-along.y, along.x, 0);
      if (side.length() < 1e-9) side.set(1, 0, 0);
      side.normalize();
      normal.crossVectors(along, side).normalize();
      const points = [from.clone()];
      const count = coils * perCoil;
      for (let i = 0; i <= count; i++) {
        const angle = planar ? Math.PI * (i + 0.5) : (2 * Math.PI * i) / perCoil;
        const p = from.clone().addScaledVector(along, 0.12 + (0.76 * i) / count);
        const out = planar ? (i % 2 ? -1 : 1) : Math.cos(angle);
        p.addScaledVector(side, i === 0 || i === count ? 0 : radius * out);
        if (!planar && i > 0 && i < count) p.addScaledVector(normal, radius * Math.sin(angle));
        points.push(p);
      }
      points.push(to.clone());
      path.set(points, 0.005 * scale);
    },
  };
}

function box(shape, scale, { fill, edge }) {
  const geometry = new BoxGeometry(1, 1, 1);
  return posed([new Mesh(geometry, fill), new LineSegments(new EdgesGeometry(geometry), edge)], (value) => [value(7), value(8), value(9)]);
}

function cylinder(shape, scale, { fill, edge }) {
  const geometry = new CylinderGeometry(1, 1, 1, 48).rotateX(Math.PI / 2);
  const spokes = ring(48, [[0, 0.5], [0, -0.5]], true);
  return posed([new Mesh(geometry, fill), new LineSegments(spokes, edge)], (value) => [value(7), value(7), value(8) || 0.1 * value(7)]);
}

function sphere(shape, scale, { fill, edge }) {
  const rings = ring(64, [[0, 0]], true);
  return posed([new Mesh(new SphereGeometry(1, 48, 32), fill), new LineSegments(rings, edge)], (value) => [value(7), value(8), value(9)]);
}

function mesh(shape, scale, { fill }) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(decode(shape.mesh, Float32Array), 3));
  geometry.computeVertexNormals();
  return posed([new Mesh(geometry, fill)], (value) => [value(7), value(7), value(7)]);
}

// Three axes: x vermillion, y green, z blue.
function frame(shape, scale, paint, planar) {
  const axes = ["vermillion", "green", "blue"].slice(0, planar ? 2 : 3).map((word, i) => {
    const material = paint.fill.clone();
    material.color.set(color(word));
    const arrow = new Group();
    arrow.add(new Mesh(new CylinderGeometry(0.03, 0.03, 0.85, 12).translate(0, 0.425, 0), material));
    arrow.add(new Mesh(new CylinderGeometry(0, 0.08, 0.2, 16).translate(0, 0.9, 0), material));
    if (i === 0) arrow.rotation.z = -Math.PI / 2;
    if (i === 2) arrow.rotation.x = Math.PI / 2;
    return arrow;
  });
  return posed(axes, (value) => Array(3).fill(value(7) || 0.15 * scale));
}

// Parts that move together: x y z, then a quaternion with its scalar first.
function posed(parts, sizes) {
  const object = new Group().add(...parts);
  return {
    object,
    update(value) {
      object.position.set(value(0), value(1), value(2));
      object.quaternion.set(value(4), value(5), value(6), value(3)).normalize();
      object.scale.set(...sizes(value).map((size) => size || 1e-9));
    },
  };
}

// Circles about the z axis at heights [0, z], with a cross in them that shows how they turn.
function ring(sides, heights, cross) {
  const at = [];
  const corner = (i, z) => [Math.cos((2 * Math.PI * i) / sides), Math.sin((2 * Math.PI * i) / sides), z];
  for (const [, z] of heights) {
    const lift = z * 1.002;
    for (let i = 0; i < sides; i++) at.push(...corner(i, lift), ...corner(i + 1, lift));
    if (cross) at.push(-1, 0, lift, 1, 0, lift, 0, 0, lift, 0, 1, lift);
  }
  return new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
}

// A line through points with a thickness: a bar for each piece and a ball at each bend.
function makePath(most, material) {
  const bars = new InstancedMesh(new CylinderGeometry(1, 1, 1, 12), material, Math.max(1, most));
  const balls = new InstancedMesh(new SphereGeometry(1, 12, 8), material, Math.max(1, most + 2));
  const object = new Group().add(bars, balls);
  const [middle, along, size] = [new Vector3(), new Vector3(), new Vector3()];
  const turn = new Quaternion();
  const matrix = new Matrix4();
  return { object, set, paint };

  // Balls have the colours of their points, bars that of the mean of their ends.
  function paint(valueOf) {
    for (let i = 0; i < balls.count; i++) balls.setColorAt(i, heat(valueOf(i)));
    for (let i = 0; i < bars.count; i++) bars.setColorAt(i, heat((valueOf(i) + valueOf(i + 1)) / 2));
    balls.instanceColor.needsUpdate = bars.instanceColor.needsUpdate = true;
  }

  function set(points, radius) {
    points.forEach((p, i) => {
      balls.setMatrixAt(i, matrix.compose(p, turn.identity(), size.setScalar(radius)));
      if (i === 0) return;
      along.subVectors(p, points[i - 1]);
      const length = along.length();
      turn.setFromUnitVectors(up, length > 0 ? along.divideScalar(length) : up);
      middle.addVectors(p, points[i - 1]).divideScalar(2);
      bars.setMatrixAt(i - 1, matrix.compose(middle, turn, size.set(radius, length, radius)));
    });
    bars.count = points.length - 1;
    balls.count = points.length;
    bars.instanceMatrix.needsUpdate = balls.instanceMatrix.needsUpdate = true;
  }
}
