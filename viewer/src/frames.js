// The numbers of the scene at any time, between frames by straight lines.
export function makeFrames({ time, columns: changing, per }, scene) {
  const columns = expand(scene, changing);
  const between = per < 4; // else only true frames are shown: between distant ones lies no straight line
  let index = 0;
  let fraction = 0;
  return { time, between, seek, value, raw, place: () => index };

  function seek(t) {
    let low = 0;
    let high = time.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (time[middle] <= t) low = middle;
      else high = middle;
    }
    const span = time[high] - time[low];
    index = low;
    fraction = span > 0 ? Math.min(1, Math.max(0, (t - time[low]) / span)) : 0;
    if (!between) fraction = Math.round(fraction);
  }

  function value(k) {
    const column = columns[k];
    if (column === null) return NaN;
    if (typeof column === "number") return column;
    const here = column[index];
    return index + 1 < column.length ? here + fraction * (column[index + 1] - here) : here;
  }

  // Column k in frame i as it is.
  function raw(k, i) {
    const column = columns[k];
    return typeof column === "number" ? column : column === null ? NaN : column[i];
  }
}

// A column of a shape is a number, or null for the next one that changes.
function expand(scene, changing) {
  let next = 0;
  return scene.shapes.flatMap(({ columns }) => columns.map((number) => number ?? changing[next++] ?? null));
}

// The shapes with the places of their columns, and how their points lie in them.
export function placeShapes(scene) {
  let first = 0;
  return scene.shapes.map((shape, number) => {
    const placed = { ...shape, number, first, points: countPoints(shape) };
    placed.size = first + (hasPose(shape) ? 7 : 3 * placed.points);
    first += shape.columns.length;
    return placed;
  });
}

export const hasPose = ({ kind }) => ["box", "cylinder", "sphere", "frame", "mesh"].includes(kind);

function countPoints({ kind, columns, value }) {
  return kind === "line" ? (columns.length - 1) / (value ? 4 : 3) : kind === "spring" ? 2 : 1; // a value per point is its colour
}

// The largest absolute value of the columns that colours show, at all times.
export function largestValue(shapes, frames) {
  let most = 0;
  for (const shape of shapes.filter(({ value }) => value))
    for (let k = 0; k < shape.points; k++)
      for (let i = 0; i < frames.time.length; i++) most = Math.max(most, Math.abs(frames.raw(shape.first + 3 * shape.points + 1 + k, i)) || 0);
  return most;
}

// How far a shape reaches from its points.
export function reach(shape, value) {
  const size = (i) => Math.abs(value(shape.size + i)) || 0;
  if (shape.kind === "box") return Math.hypot(size(0), size(1), size(2)) / 2;
  if (shape.kind === "cylinder") return Math.hypot(size(0), size(1) / 2);
  if (shape.kind === "sphere") return Math.max(size(0), size(1), size(2));
  return shape.kind === "mesh" ? 0 : size(0);
}

// The box that contains everything at all times: {low, high}, three numbers each.
export function bounds(shapes, frames) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const stride = Math.max(1, Math.floor(frames.time.length / 2000));
  for (const shape of shapes) {
    const extent = reach(shape, frames.value);
    for (let i = 0; i < frames.time.length; i += stride)
      for (let k = 0; k < 3 * shape.points; k++) {
        const value = frames.raw(shape.first + k, i);
        if (!Number.isFinite(value)) continue;
        low[k % 3] = Math.min(low[k % 3], value - extent);
        high[k % 3] = Math.max(high[k % 3], value + extent);
      }
  }
  return low.every(Number.isFinite) ? { low, high } : { low: [-1, -1, -1], high: [1, 1, 1] };
}
