// Bode and Nyquist diagrams of a frequency response, its poles and zeros.
import { makeChart } from "./chart.js";
import { h, section, table } from "./dom.js";
import { number } from "./format.js";

export function responseCharts({ omega, response, poles, step, impulse }) {
  const log = omega[0] > 0 && omega[omega.length - 1] > 8 * omega[0];
  const x = { label: "frequency in rad/s", log };
  const text = (i) => `ω = ${number(omega[i])} rad/s`;
  const label = ({ from, to }) => `${to} / ${from}`;
  const over = (value) => response.map((one) => ({ label: label(one), points: value(one).map((v, i) => [omega[i], v]) }));
  const plane = response.map((one) => ({ label: label(one), points: one.re.map((re, i) => [re ?? NaN, one.im[i] ?? NaN, text(i)]) }));
  return h(
    "main",
    { class: "charts" },
    step ? kicks("After a step", step) : null,
    impulse ? kicks("After an impulse", impulse) : null,
    ...(omega.length > 0 ? frequencies() : []),
    h("div", { class: "tables" }, section("poles", "Poles", complexTable(poles)), response.map((one, i) => section(`zeros${i}`, `Zeros of ${label(one)}`, one.zeros.length > 0 ? complexTable(one.zeros) : h("p", {}, "none")))),
  );

  // The point −1 is marked where responses are not tiny beside it: it belongs to loops that are closed.
  function frequencies() {
    const size = typicalWindow(response);
    const marked = size > 0.02;
    return [
      makeChart({ title: "Magnitude", x, y: { label: "output per input", log: true }, series: over(magnitudes) }),
      makeChart({ title: "Phase", x, y: { label: "degrees", zero: true }, series: over(phases) }),
      makeChart({
        title: "Nyquist diagram",
        note: marked ? "The cross is the point −1." : "The point −1 is far outside.",
        x: { label: "real part" },
        y: { label: "imaginary part" },
        series: plane,
        equal: true,
        window: marked ? Math.max(size, 1.1) : size,
        cross: marked ? [[-1, 0, "−1"]] : [],
      }),
    ];
  }
}

// Linear equations and the model itself, side by side.
function kicks(title, { t, size, response }) {
  const series = response.flatMap(({ from, to, linear, nonlinear }) => [
    { label: `${to} / ${from}, linear`, points: linear.map((v, i) => [t[i], v ?? NaN]) },
    { label: `${to} / ${from}, model`, points: nonlinear.map((v, i) => [t[i], v ?? NaN]) },
  ]);
  return makeChart({ title, note: `Changes of outputs by the linear equations and by the model itself, for a size of ${number(size)}, divided by it.`, x: { label: "time in s" }, y: { label: "output per input", zero: true }, series });
}

const magnitudes = ({ re, im }) => re.map((a, i) => (a === null ? NaN : Math.hypot(a, im[i])));

// Without jumps of a whole turn.
function phases({ re, im }) {
  let before = null;
  return re.map((a, i) => {
    if (a === null || (a === 0 && im[i] === 0)) return NaN;
    let phase = (Math.atan2(im[i], a) * 180) / Math.PI;
    if (before !== null) phase -= 360 * Math.round((phase - before) / 360);
    return (before = phase);
  });
}

// A resonance would make all else a point.
function typicalWindow(response) {
  const sizes = response.flatMap(magnitudes).filter(Number.isFinite).sort((a, b) => a - b);
  if (sizes.length === 0) return 1;
  const largest = sizes[sizes.length - 1];
  const typical = 20 * sizes[Math.floor(sizes.length / 2)];
  return typical > 0 && typical < largest ? Math.max(typical, sizes[Math.floor(0.9 * sizes.length)]) : largest;
}

export function complexTable(list) {
  return table(["real part 1/s", "imaginary rad/s"], list.map(({ re, im }) => ({ values: [number(re, 8), number(im, 8)] })), { class: "numbers" });
}
