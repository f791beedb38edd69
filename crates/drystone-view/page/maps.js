// Colour maps: equal steps of a value are equal steps for the eye. Viridis comes with the run, as the stills have it;
// the others are drawn through OKLab (Björn Ottosson, 2020), where distance is difference to the eye.

/** Entries of a map. */
const MAP_SIZE = 256;
/** Steps in which a way through OKLab is measured. */
const WAY_STEPS = 2048;

/**
 * Ways through OKLab: lightness, and two axes of colour (green to red, blue to yellow). Sequential ones grow
 * lighter all the way; the two-sided one is lightest in its middle, to which both sides are equally long. Told apart by their lightness alone.
 * @type {{ [name: string]: { label: string, way: [number, number, number][] } }}
 */
const WAYS = {
  embers: { label: "embers", way: [[0.2, 0.03, 0], [0.38, 0.12, 0.05], [0.6, 0.16, 0.12], [0.8, 0.03, 0.16], [0.97, -0.02, 0.08]] },
  sea: { label: "sea", way: [[0.22, 0, -0.08], [0.42, -0.03, -0.13], [0.65, -0.09, -0.04], [0.83, -0.09, 0.06], [0.97, -0.03, 0.06]] },
  grey: { label: "grey", way: [[0.2, 0, 0], [0.97, 0, 0]] },
  sides: { label: "two-sided: blue, white, red", way: [[0.38, -0.01, -0.17], [0.68, -0.04, -0.1], [0.97, 0, 0], [0.68, 0.09, 0.033], [0.38, 0.14, 0.06]] },
};

/** Names of the maps and what they are called. @type {[string, string][]} */
export const MAPS = [["viridis", "viridis"], ...Object.entries(WAYS).map(([name, { label }]) => /** @type {[string, string]} */ ([name, label]))];

/** From OKLab to light: red, green, blue. @param {number[]} lab */
function lightOfLab([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** As files have it, from 0 to 255. @param {number} light */
function encoded(light) {
  const v = Math.min(Math.max(light, 0), 1);
  return Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055));
}

/** A point of a way, smooth through its points (Catmull and Rom). @param {[number, number, number][]} way @param {number} share */
function pointOn(way, share) {
  const at = share * (way.length - 1);
  const k = Math.min(Math.floor(at), way.length - 2);
  const t = at - k;
  const [p, q] = [way[k], way[k + 1]];
  const [before, behind] = [way[k - 1] ?? p, way[k + 2] ?? q];
  return [0, 1, 2].map((c) => {
    // No turn in lightness: it goes straight from point to point.
    if (c === 0) return p[0] + t * (q[0] - p[0]);
    const [m, n] = [0.5 * (q[c] - before[c]), 0.5 * (behind[c] - p[c])];
    return (2 * t ** 3 - 3 * t ** 2 + 1) * p[c] + (t ** 3 - 2 * t ** 2 + t) * m + (3 * t ** 2 - 2 * t ** 3) * q[c] + (t ** 3 - t ** 2) * n;
  });
}

/** The colours of a map, 256 times red, green and blue; null for a name that is none of these. @param {string} name */
export function mapOf(name) {
  const way = Object.hasOwn(WAYS, name) ? WAYS[name].way : null;
  if (way === null) return null;
  const points = Array.from({ length: WAY_STEPS + 1 }, (_, k) => pointOn(way, k / WAY_STEPS));
  const lengths = [0];
  for (let k = 1; k < points.length; k += 1) lengths.push(lengths[k - 1] + Math.hypot(...points[k].map((v, c) => v - points[k - 1][c])));
  const out = new Uint8Array(3 * MAP_SIZE);
  let at = 0;
  for (let k = 0; k < MAP_SIZE; k += 1) {
    // Equal lengths of the way, not of its parameter.
    const wanted = (lengths[WAY_STEPS] * k) / (MAP_SIZE - 1);
    while (at < WAY_STEPS && lengths[at] < wanted) at += 1;
    out.set(lightOfLab(points[at]).map(encoded), 3 * k);
  }
  return out;
}
