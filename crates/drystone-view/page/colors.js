// Colours, and scales of what they stand for.

/** The colours of Okabe and Ito (2008), as the stills have them: `render/color.rs`. */
const CATEGORIES = [
  [0x56, 0xb4, 0xe9], [0xe6, 0x9f, 0x00], [0x00, 0x9e, 0x73], [0xcc, 0x79, 0xa7],
  [0x00, 0x72, 0xb2], [0xd5, 0x5e, 0x00], [0xf0, 0xe4, 0x42], [0x99, 0x99, 0x99],
];
/** Ratio of the ends of a scale by powers of ten, unless told. */
const MOST_RATIO = 1e4;
/** Values looked at for a range: enough for its one body in two hundred. */
const MOST_SAMPLES = 20000;

/** The run's own, which go further. @type {[number, number, number][]} */
let runCategories = [];

/** @param {string[]} names such as #56b4e9 */
export function setCategories(names) {
  runCategories = names.map(fromHex);
}

/** The colour of the n-th kind of something. @param {number} index @returns {[number, number, number]} */
export function categoryColor(index) {
  const own = runCategories[index];
  if (own !== undefined) return own;
  const [r, g, b] = CATEGORIES[index % CATEGORIES.length];
  const share = 1 - 0.22 * Math.min(Math.floor(index / CATEGORIES.length), 3);
  return [r * share, g * share, b * share];
}

/** @param {string} name @returns {[number, number, number]} red, green, blue from 0 to 255 */
export function fromHex(name) {
  const v = Number.parseInt(name.slice(1), 16);
  return [(v >> 16) & 255, (v >> 8) & 255, v & 255];
}

/** From a figure of a file to light, all from 0 to 1. @param {number} v */
export function toLinear(v) {
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
}

/**
 * Ends of a scale for the values of the dynamic bodies, as the stills choose them: from 0 where that
 * makes sense, up to where one body in two hundred has more.
 * @param {{ fromZero?: boolean }} quantity @param {Float32Array} values @param {Uint8Array} kinds @param {boolean} log
 * @returns {[number, number]}
 */
export function rangeOf(quantity, values, kinds, log) {
  const every = Math.max(1, Math.floor(values.length / MOST_SAMPLES));
  const sample = new Float32Array(Math.ceil(values.length / every));
  let count = 0;
  for (let k = 0; k < values.length; k += every) {
    if (kinds[k] === 0 && Number.isFinite(values[k])) {
      sample[count] = values[k];
      count += 1;
    }
  }
  const sorted = sample.subarray(0, count).sort();
  const usual = sorted[count - 1 - Math.floor(count / 200)] ?? 0;
  /** @param {number} v */
  const upper = (v) => (v > 0 ? v : 1);
  const high = quantity.fromZero ? upper(usual) : (sorted[count - 1] ?? 0);
  if (!log) return [quantity.fromZero ? 0 : (sorted[0] ?? 0), high];
  const least = sorted.find((v) => v > 0) ?? 0;
  return [Math.min(Math.max(least, upper(high) / MOST_RATIO), upper(high)), upper(high)];
}

/** Share of the way along a scale, as the shaders have it. @param {number} value @param {number} low @param {number} high @param {boolean} log */
export function shareOf(value, low, high, log) {
  if (log && value <= 0) return 0;
  const share = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  if (Number.isFinite(value) && !Number.isFinite(share)) return 0.5;
  return share;
}
