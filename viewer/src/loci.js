// Root loci: eigenvalues over a parameter, in the complex plane and by their parts; over a speed also as Campbell's diagram.
import { makeChart } from "./chart.js";
import { h } from "./dom.js";
import { number, withoutRounding } from "./format.js";

export function lociCharts({ over, unit, values, eigenvalues: found, unstable }) {
  const size = Math.max(...found.flat().map(({ re, im }) => Math.hypot(re, im)), 0);
  const eigenvalues = found.map((list) => list.map((e) => ({ ...e, re: withoutRounding(e.re, size) })));
  const text = (i) => `${over} = ${number(values[i])}`;
  const flat = eigenvalues.flatMap((list, i) => list.map(({ re, im }) => [re, im, text(i), i]));
  const last = Math.max(1, values.length - 1);
  const color = (k) => `hsl(${210 - (190 * flat[k][3]) / last} 75% 45%)`;
  const judged = unstable.filter((count) => count !== null);
  const growing = judged.filter((count) => count > 0);
  const branches = follow(eigenvalues);
  const part = (key, title, label) =>
    makeChart({ title, x: { label: over }, y: { label, zero: true }, series: branches.map((branch, k) => ({ label: `${k + 1}`, points: branch.map((e, i) => [values[i], e?.[key] ?? NaN, text(i)]) })) });
  return h(
    "main",
    { class: "charts" },
    unit === "rad/s" ? campbellChart(over, values, branches, text) : null,
    makeChart({
      title: "Root loci",
      note: `${over} from ${number(values[0])} (blue) to ${number(values[values.length - 1])} (red); ${growing.length} of ${judged.length} ${judged.length < values.length ? "values that are judged" : "values"} have a growing mode.`,
      x: { label: "real part in 1/s", zero: true },
      y: { label: "imaginary part in rad/s", zero: true },
      series: [{ label: "eigenvalue", points: flat, marks: true, color }],
    }),
    part("re", "Real parts", "1/s"),
    part("im", "Imaginary parts", "rad/s"),
  );
}

// Frequencies over a speed, and the lines on which the speed or a multiple of it excites them.
function campbellChart(over, values, branches, text) {
  const up = branches.filter((branch) => branch.some((e) => e && e.im > 0)).map((branch) => branch.map((e) => (e && e.im > 0 ? e.im : NaN)));
  const slowest = up.map((branch) => Math.max(...branch.filter((w) => w === w))).sort((a, b) => a - b);
  const top = 1.1 * (slowest[Math.min(3, slowest.length - 1)] ?? 0); // that of the first four
  const shown = up.filter((branch) => branch.some((w) => w <= top));
  const orders = [1, 2, 3, 4, 5, 6].filter((k) => k * Math.min(...values.map(Math.abs)) < top);
  return makeChart({
    title: "Campbell diagram",
    note: `Frequencies over ${over}, and lines of the orders ${orders.join(", ")}: where they cross, this multiple of ${over} excites the mode.`,
    x: { label: `${over} in rad/s` },
    y: { label: "rad/s", zero: true },
    series: [
      ...shown.map((branch, k) => ({ label: `mode ${k + 1}`, points: branch.map((w, i) => [values[i], w <= top ? w : NaN, text(i)]) })),
      ...orders.map((k) => ({ label: `order ${k}`, points: values.map((value) => [value, k * Math.abs(value) <= top ? k * Math.abs(value) : NaN, `order ${k}`]), color: () => "gray" })),
    ],
  });
}

// Lists of eigenvalues that continue each other: always the nearest pair first.
function follow(eigenvalues) {
  const branches = (eigenvalues[0] ?? []).map((e) => [e]);
  for (let i = 1; i < eigenvalues.length; i++) {
    const pairs = [];
    branches.forEach((branch, b) => {
      const before = branch[i - 1];
      if (before) eigenvalues[i].forEach((e, k) => pairs.push([Math.hypot(e.re - before.re, e.im - before.im), b, k]));
    });
    pairs.sort((p, q) => p[0] - q[0]);
    const taken = new Set();
    for (const [, b, k] of pairs) {
      if (branches[b].length > i || taken.has(k)) continue;
      branches[b].push(eigenvalues[i][k]);
      taken.add(k);
    }
    for (const branch of branches) if (branch.length <= i) branch.push(null);
    eigenvalues[i].forEach((e, k) => !taken.has(k) && branches.push([...Array(i).fill(null), e]));
  }
  return branches;
}
