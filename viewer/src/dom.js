// Elements without a framework: h("p", {class: "note"}, "text", child, ...). Texts stay texts.
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

export function section(id, title, ...children) {
  return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), children);
}

export function table(head, rows, attributes = {}) {
  const cell = (value, i) => h(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, value);
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      attributes,
      h("thead", {}, h("tr", {}, head.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, rows.map(({ values, mark }) => h("tr", { class: mark }, values.map(cell)))),
    ),
  );
}
