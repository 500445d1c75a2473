// Light and dark, and the palette of Okabe and Ito, which all kinds of colour vision can tell apart.
const okabeIto = {
  blue: "#0072b2",
  vermillion: "#d55e00",
  green: "#009e73",
  purple: "#cc79a7",
  orange: "#e69f00",
  sky: "#56b4e9",
  yellow: "#f0e442",
};
const light = { ...okabeIto, black: "#1b1f24", gray: "#6b7480", yellow: "#b8a900" };
const dark = { ...okabeIto, blue: "#3d9bd9", vermillion: "#ee7733", green: "#20b98e", black: "#eef1f5", gray: "#98a2ae" };
const order = ["blue", "vermillion", "green", "purple", "orange", "sky", "gray", "black"];

const media = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();
let chosen = null; // "light", "dark", or what the system says

export const isDark = () => (chosen ?? (media.matches ? "dark" : "light")) === "dark";
export const onTheme = (listener) => listeners.add(listener);
media.addEventListener("change", announce);

export function setTheme(name) {
  chosen = name;
  announce();
}

function announce() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}
announce();

// A word of the palette, or "#rrggbb" as it is.
export function color(word) {
  return word.startsWith("#") ? word : (isDark() ? dark : light)[word] ?? light.gray;
}

export const seriesColor = (i) => color(order[i % order.length]);
export const seriesDash = (i) => (i < order.length ? [] : [6, 3]);

// A colour of the style sheet.
export const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
