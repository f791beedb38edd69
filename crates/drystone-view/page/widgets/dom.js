// Elements and icons. Texts go in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Outlines of icons in a square of 24. */
const ICONS = {
  play: "M7 4.5v15l12.5-7.5z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  first: "M6 5h2.5v14H6zM20 5v14L9.5 12z",
  last: "M15.5 5H18v14h-2.5zM4 5v14l10.5-7z",
  back: "M15 5v14L5 12zM16.5 5H19v14h-2.5z",
  next: "M9 5v14l10-7zM5 5h2.5v14H5z",
  loop: "M17 3l4 4-4 4V8H7a3 3 0 0 0-3 3v1H2v-1a5 5 0 0 1 5-5h10zM7 21l-4-4 4-4v3h10a3 3 0 0 0 3-3v-1h2v1a5 5 0 0 1-5 5H7z",
  smooth: "M2 17c5 0 6-10 10-10s5 10 10 10v-2c-4 0-5-10-10-10S6 15 2 15z",
  live: "M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM5 5a10 10 0 0 0 0 14l1.6-1.6a7.7 7.7 0 0 1 0-10.8zM19 5l-1.6 1.6a7.7 7.7 0 0 1 0 10.8L19 19a10 10 0 0 0 0-14z",
  colors: "M12 3a9 9 0 1 0 0 18c1.2 0 1.8-.8 1.8-1.7 0-1.300-1.300-1.700-1.300-2.800 0-1 .8-1.500 1.800-1.500H17a4 4 0 0 0 4-4C21 6.500 17 3 12 3zM7 13.500A1.500 1.500 0 1 1 7 10.500a1.500 1.500 0 0 1 0 3zM10 9.200a1.500 1.500 0 1 1 0-3 1.500 1.500 0 0 1 0 3zM15 9.200a1.500 1.500 0 1 1 0-3 1.500 1.500 0 0 1 0 3z",
  groups: "M12 3l9 5-9 5-9-5zM3 12l9 5 9-5v2.400l-9 5-9-5z",
  forces: "M11 21V9H6l6-7 6 7h-5v12zM3 14l3 3-3 3zM21 14l-3 3 3 3z",
  cut: "M3 4h8v16H3zM13 4h2v3h-2zM13 9h2v6h-2zM13 17h2v3h-2zM18 6l4 6-4 6z",
  plots: "M3 3h2v16h16v2H3zM7 15l4-5 3 3 5-7 1.600 1.200-6.400 9-3-3-2.600 3.200z",
  body: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm-1 5h2v2.200h-2zm0 4h2v6h-2z",
  view: "M4 8V4h4v2H6v2zM16 4h4v4h-2V6h-2zM20 16v4h-4v-2h2v-2zM8 20H4v-4h2v2h2zM8 9h8v6H8z",
  save: "M11 3h2v9l3.500-3.500L18 10l-6 6-6-6 1.500-1.500L11 12zM4 18h16v2.500H4z",
  help: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 16.500a1.300 1.300 0 1 1 0-2.600 1.300 1.300 0 0 1 0 2.600zM13 14.500h-2c0-3 2.700-3.200 2.700-5a1.700 1.700 0 0 0-3.400 0h-2a3.700 3.700 0 1 1 7.400 0c0 2.600-2.700 2.900-2.700 5z",
  theme: "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z",
  close: "M5.600 4.200L12 10.600l6.400-6.400 1.400 1.400L13.400 12l6.400 6.400-1.400 1.400L12 13.400l-6.400 6.400-1.400-1.400L10.600 12 4.200 5.600z",
  eye: "M12 5C6 5 2.500 12 2.500 12S6 19 12 19s9.500-7 9.500-7S18 5 12 5zm0 11a4 4 0 1 1 0-8 4 4 0 0 1 0 8z",
  alone: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm0 2a6 6 0 1 1 0 12 6 6 0 0 1 0-12zm0 3.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z",
};

/** @typedef {string | Node | null | undefined | false} Child */

/**
 * An element with attributes, listeners (`onclick`) and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {{ [name: string]: any }} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list" && name !== "form") /** @type {any} */ (element)[name] = value;
    else if (value !== undefined && value !== null) element.setAttribute(name, String(value));
  }
  fill(element, ...children);
  return element;
}

/** Puts other children into an element. @param {Element} element @param {...Child} children */
export function fill(element, ...children) {
  element.replaceChildren(...children.filter((c) => c !== null && c !== undefined && c !== false).map((c) => /** @type {string | Node} */ (c)));
  return element;
}

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/**
 * A button with an icon, and words for who cannot see it.
 * @param {keyof typeof ICONS} name @param {string} label @param {() => void} run @param {{ key?: string, toggle?: boolean, text?: string }} [more]
 */
export function iconButton(name, label, run, more = {}) {
  const title = more.key ? `${label} (${more.key})` : label;
  const button = el("button", { type: "button", className: "icon", title, "aria-label": label, onclick: run }, icon(name));
  if (more.text) button.append(el("span", {}, more.text));
  if (more.toggle) button.setAttribute("aria-pressed", "false");
  return button;
}

/** @param {Element} button @param {boolean} on */
export function press(button, on) {
  button.setAttribute("aria-pressed", String(on));
}

/** A control with its name before it. @param {string} label @param {HTMLElement} control @param {...Child} more */
export function field(label, control, ...more) {
  return el("label", { className: "field" }, el("span", {}, label), control, ...more);
}

/** @param {string} label @param {boolean} checked @param {(on: boolean) => void} run */
export function checkbox(label, checked, run) {
  const input = el("input", { type: "checkbox", checked, onchange: () => run(input.checked) });
  return { input, row: el("label", { className: "check" }, input, el("span", {}, label)) };
}

/** @param {[string, string][]} options value and text @param {string} value @param {(value: string) => void} run @param {string} label */
export function choice(options, value, run, label) {
  const select = el("select", { "aria-label": label, onchange: () => run(select.value) },
    ...options.map(([v, text]) => el("option", { value: v }, text)));
  select.value = value;
  return select;
}

/** @param {{ min: number, max: number, step: number | "any", value: number, label: string }} range @param {(value: number) => void} run */
export function slider(range, run) {
  const input = el("input", {
    type: "range", min: String(range.min), max: String(range.max), step: String(range.step),
    "aria-label": range.label, oninput: () => run(Number(input.value)),
  });
  input.value = String(range.value);
  return input;
}

/** Hands a file to the user. @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** A title as part of a file's name. @param {string} title */
export function fileName(title) {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 40) || "drystone";
}
