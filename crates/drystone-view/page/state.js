// What the page shows and how: one object, kept by the store.

/** @typedef {import("./recording.js").Recording} Recording */
/** @typedef {import("./recording.js").ClipPlane} ClipPlane */

/**
 * @typedef {object} State
 * @property {number} time of what is shown, s
 * @property {number} frame nearest to it
 * @property {number} frames there are
 * @property {boolean} playing @property {number} speed @property {boolean} loop
 * @property {boolean} interpolate @property {boolean} following
 * @property {string} colorBy @property {boolean} colorLog @property {string} colorMap
 * @property {"fixed" | "frame"} rangeMode @property {[number, number]} range
 * @property {{ hidden: boolean, opacity: number }[]} groups
 * @property {string} forces "off", "chains", "forces" or "normals"
 * @property {number} threshold share of the strongest force @property {number} forceWidth
 * @property {number} strongest contact force of the frame, N
 * @property {number} ghost opacity of bodies while chains are shown
 * @property {boolean} joints @property {boolean} springs @property {boolean} arrows @property {boolean} images @property {boolean} shadows
 * @property {ClipPlane[]} cuts
 * @property {number} chosen body, or -1 @property {number} hovered @property {boolean} follow
 * @property {boolean} dark
 * @property {number} tables how often they were read anew
 * @property {string} runState @property {boolean} connected @property {string} problem
 */

/** @param {import("./recording.js").RunCamera} camera @returns {import("./camera.js").View} */
export function viewOf(camera) {
  const height = camera.orthographic ? (camera.height ?? 0) : 0;
  return { eye: camera.eye, target: camera.target, up: camera.up, field: camera.field_of_view || 0.6, height };
}

/** @param {Recording} recording @returns {State} */
export function firstState(recording) {
  const { info } = recording;
  const by = info?.color_by ?? null;
  return {
    time: recording.times[0] ?? 0,
    frame: 0,
    frames: recording.times.length,
    playing: false,
    speed: 1,
    loop: false,
    interpolate: true,
    following: info?.state === "running",
    colorBy: by === null ? "own" : by.what,
    colorLog: by?.log ?? false,
    colorMap: "viridis",
    rangeMode: "fixed",
    range: by === null ? [0, 1] : [by.low ?? 0, by.high ?? 1],
    groups: (info?.groups ?? []).map(() => ({ hidden: false, opacity: 1 })),
    forces: "off",
    threshold: 0.05,
    forceWidth: 1,
    strongest: 0,
    ghost: 0.12,
    joints: false,
    springs: true,
    arrows: false,
    images: false,
    shadows: true,
    cuts: info?.look.clip ?? [],
    chosen: -1,
    hovered: -1,
    follow: false,
    dark: false,
    tables: 0,
    runState: info?.state ?? "finished",
    connected: true,
    problem: "",
  };
}
