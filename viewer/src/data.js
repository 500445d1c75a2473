// The data of the page: JSON with columns as numbers (constant), null (nothing), or base64.
export function readReport(text) {
  const raw = JSON.parse(text);
  const rows = readTable(raw.rows, Float64Array);
  const steps = readTable(raw.steps, Float64Array);
  const frames = readTable(raw.frames, Float32Array);
  const outputs = raw.names.length - raw.kinds.length;
  const kinds = [...raw.kinds, ...Array(outputs).fill("output")];
  const [size, order, rejections, energy, ...residuals] = steps.columns;
  return {
    meta: raw.meta,
    start: rows.back ? rows.time[rows.time.length - 1] : rows.time[0], // of the run, which may go backwards
    back: rows.back,
    scene: raw.scene && frames.time.length > 0 ? raw.scene : null,
    events: raw.events.map(([time, event, direction]) => ({
      time,
      direction,
      name: raw.meta.event_names?.[event] ?? `event ${event}`,
    })),
    eventCount: raw.event_count,
    switches: readSwitches(raw),
    switchCount: raw.switch_count ?? 0,
    variables: raw.names.map((name, i) => ({ name, kind: kinds[i], unit: raw.units?.[i] ?? "", values: rows.columns[i] })),
    levels: raw.levels.map((name, i) => ({ name, values: residuals[i] })),
    rows,
    frames,
    steps: { ...steps, size, order, rejections, energy },
  };
}

// What happened at instants: rows [time, kind, name, state, change of energy, name of an impulse, its value, ...].
function readSwitches({ meta, switches = [] }) {
  const { switch_kinds: kinds, switch_names: names, modes, impulse_names: impulseNames } = meta;
  return switches.map(([time, kind, name, state, energy, ...impulses]) => ({
    time,
    kind: kinds[kind],
    of: name, // long expressions may begin alike
    name: names[name] ?? `switch ${name}`,
    state: kinds[kind] === "mode" ? modes[state] : state,
    energy,
    impulses: impulses.flatMap((value, i) => (i % 2 ? [] : [{ name: impulseNames[value], value: impulses[i + 1] }])),
  }));
}

// Times run forward; a run backwards in time is turned round.
function readTable(raw, type) {
  const time = decode(raw.time, Float64Array);
  const back = time.length > 1 && time[time.length - 1] < time[0];
  const columns = raw.columns.map((column) => readColumn(column, type, back));
  return { back, seen: raw.seen, per: raw.per, time: back ? time.reverse() : time, columns };
}

// A typed array, a number, or null.
function readColumn(column, type, back) {
  if (typeof column !== "string") return column;
  const values = decode(column, type);
  return back ? values.reverse() : values;
}

export function decode(base64, type) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new type(bytes.buffer);
}

// A column as a list for plots: null where there is no number, or none for a logarithm.
export function list(column, length, logarithmic = false) {
  const good = logarithmic ? (v) => v > 0 && Number.isFinite(v) : Number.isFinite;
  if (column === null) return Array(length).fill(null);
  if (typeof column === "number") return Array(length).fill(good(column) ? column : null);
  if (column.every(good)) return column;
  return Array.from(column, (v) => (good(v) ? v : null));
}

export function range(column) {
  if (column === null) return null;
  if (typeof column === "number") return [column, column];
  let low = Infinity;
  let high = -Infinity;
  for (const value of column) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}
