// Numbers for people.
export function number(value, digits = 6) {
  if (value == null || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return tidy(value.toExponential(digits - 1));
  const text = value.toPrecision(digits);
  return tidy(text.includes("e") ? String(Number(text)) : text);
}

export const short = (value) => number(value, 3);

export function count(value) {
  return value == null ? "–" : Math.round(value).toLocaleString("en-US").replaceAll(",", "\u202f");
}

// 1.5000e-10 becomes 1.5e-10, and a minus sign is one.
function tidy(text) {
  const [mantissa, exponent] = text.split("e");
  const trimmed = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  const tail = exponent === undefined ? "" : `e${exponent.replace("+", "")}`;
  return `${trimmed}${tail}`.replaceAll("-", "−");
}

// The round number (1, 2 or 5 times a power of ten) below a value.
export function roundBelow(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = value / power;
  return (factor >= 5 ? 5 : factor >= 2 ? 2 : 1) * power;
}

// Zero in place of what is small against all numbers of its kind.
export const withoutRounding = (value, size) => (Math.abs(value) < 1e-12 * size ? 0 : value);
