// Words for what went wrong, and the help.

import { el, fill, iconButton } from "./dom.js";

/** @typedef {import("../viewer.js").Viewer} Viewer */

/** @type {{ [key: string]: string }} */
const KEY_NAMES = { " ": "space", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };

/** A message in place of the page. @param {string} heading @param {...string} lines */
export function showFailure(heading, ...lines) {
  const app = document.getElementById("app") ?? document.body;
  fill(app, el("div", { className: "failure", role: "alert" }, el("h1", {}, heading), ...lines.map((line) => el("p", {}, line))));
}

/** A line at the top while the server is away or something failed. @param {Viewer} viewer */
export function banner(viewer) {
  const { store } = viewer;
  const text = el("span");
  const close = iconButton("close", "Close", () => store.set({ problem: "" }));
  const root = el("div", { className: "banner", role: "status", hidden: true }, text, close);
  const show = () => {
    const { connected, problem } = store.state;
    root.hidden = connected && problem === "";
    close.hidden = !connected;
    text.textContent = connected ? problem : "The server does not answer. What was loaded can still be looked at; the page connects again by itself.";
  };
  store.on(["connected", "problem"], show);
  return root;
}

/** @param {{ keys: string[], text: string }[]} actions */
export function helpDialog(actions) {
  const rows = actions.map(({ keys, text }) => el("tr", {},
    el("th", {}, ...keys.flatMap((key, k) => [k > 0 ? " or " : "", el("kbd", {}, KEY_NAMES[key] ?? key)])), el("td", {}, text)));
  const mouse = [["drag", "turn"], ["right drag, or Shift", "move"], ["wheel, pinch", "zoom to the cursor"], ["click", "choose a body"], ["double click", "frame it"]];
  const dialog = el("dialog", { className: "help", "aria-label": "Keys and mouse" },
    el("form", { method: "dialog" }, el("h2", {}, "Keys and mouse"), el("button", { className: "icon", "aria-label": "Close" }, "✕")),
    el("div", { className: "columns" },
      el("table", {}, ...rows),
      el("table", {}, ...mouse.map(([what, does]) => el("tr", {}, el("th", {}, what), el("td", {}, does))))));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  return dialog;
}
