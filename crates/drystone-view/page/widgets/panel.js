// The rail of buttons at the side and the panel that they open.

import { bodyPanel } from "./body_panel.js";
import { el, fill, iconButton, press } from "./dom.js";
import { colorsPanel, cutsPanel, forcesPanel, groupsPanel, panelHeading, viewPanel } from "./look_panels.js";
import { plotsPanel } from "./plots_panel.js";
import { savePanel } from "./save_panel.js";

/** @typedef {import("../viewer.js").Viewer} Viewer */

/** @type {{ name: string, icon: Parameters<typeof iconButton>[0], text: string }[]} */
const PANELS = [
  { name: "colors", icon: "colors", text: "Colours" },
  { name: "groups", icon: "groups", text: "Groups" },
  { name: "forces", icon: "forces", text: "Forces" },
  { name: "cut", icon: "cut", text: "Cut" },
  { name: "plots", icon: "plots", text: "Plots" },
  { name: "body", icon: "body", text: "Body" },
  { name: "view", icon: "view", text: "View" },
  { name: "save", icon: "save", text: "Save" },
];

export class Panel {
  /** @param {Viewer} viewer @param {() => void} help */
  constructor(viewer, help) {
    this.viewer = viewer;
    this.open = "";
    this.save = savePanel(viewer);
    /** Made when first opened. @type {Map<string, HTMLElement>} */
    this.made = new Map([["save", this.save.root]]);
    this.root = el("aside", { className: "panel", hidden: true, "aria-label": "Settings" });
    this.buttons = PANELS.map(({ name, icon, text }) => iconButton(icon, text, () => this.toggle(name), { toggle: true, text }));
    const theme = iconButton("theme", "Light or dark", () => viewer.store.set({ dark: !viewer.store.state.dark }), { key: "d", text: "Dark" });
    this.rail = el("nav", { className: "rail", "aria-label": "Panels" }, ...this.buttons, el("span", { className: "space" }), theme, iconButton("help", "Help", help, { key: "?", text: "Help" }));
    // A click on a body shows its figures; the panel does not open by itself over a small screen.
    viewer.store.on(["chosen"], () => {
      if (viewer.store.state.chosen >= 0 && this.open === "" && innerWidth > 700) this.toggle("body");
    });
  }

  /** @param {string} name of a panel; the open one or nothing closes it */
  toggle(name) {
    this.open = this.open === name ? "" : name;
    const panel = PANELS.find((p) => p.name === this.open);
    this.root.hidden = panel === undefined;
    PANELS.forEach((p, k) => press(this.buttons[k], p.name === this.open));
    if (panel !== undefined) {
      const close = iconButton("close", "Close", () => this.toggle(""));
      fill(this.root, el("header", {}, panelHeading(panel.icon, panel.text), close), this.content(panel.name));
    }
    this.viewer.change();
  }

  /** @param {string} name */
  content(name) {
    const known = this.made.get(name);
    if (known !== undefined) return known;
    const { viewer } = this;
    /** @type {{ [name: string]: (viewer: Viewer) => HTMLElement }} */
    const makers = { colors: colorsPanel, groups: groupsPanel, forces: forcesPanel, cut: cutsPanel, plots: plotsPanel, body: bodyPanel, view: viewPanel };
    const content = makers[name](viewer);
    this.made.set(name, content);
    return content;
  }
}
