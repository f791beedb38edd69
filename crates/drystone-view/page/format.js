// Numbers as people read them: round ticks, units with prefixes. As in the stills: `legend/scale.rs`.

/** @type {[string, number][]} */
const PREFIXES = [["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1], ["m", 1e-3], ["µ", 1e-6], ["n", 1e-9], ["p", 1e-12]];
const MOST_LOG_TICKS = 9;

/** The largest of 1, 2 and 5 times a power of ten that is not above a positive value. @param {number} value */
export function roundBelow(value) {
  if (!(Number.isFinite(value) && value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = (value / power) * (1 + 1e-12);
  return ([5, 2, 1].find((d) => d <= digit) ?? 0.5) * power;
}

/** Prefix and factor of a unit in which a value has few digits before the point. @param {number} size @returns {[string, number]} */
export function prefixFor(size) {
  if (!(size > 0) || !Number.isFinite(size)) return ["", 1];
  return PREFIXES.find(([, factor]) => size >= factor * (1 - 1e-9)) ?? PREFIXES[PREFIXES.length - 1];
}

/** The same for scales, as in the stills: plain up to 5000 and down to 0.2, which is shorter. @param {number} size @returns {[string, number]} */
function legendPrefix(size) {
  return size >= 0.2 * (1 - 1e-9) && size < 5000 * (1 - 1e-9) ? ["", 1] : prefixFor(size);
}

/** @param {number} power */
function superscript(power) {
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  return [...String(power)].map((c) => (c === "-" ? "⁻" : digits[Number(c)])).join("");
}

/** Three digits and the unit with its prefix. @param {number} value @param {string} unit */
export function withUnit(value, unit) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return unit === "" ? "0" : `0 ${unit}`;
  // Counts are counts.
  if (unit === "" && Number.isInteger(value) && Math.abs(value) < 1e5) return String(value);
  const plain = unit === "" || unit.startsWith("kg") || unit === "rad" || unit === "°";
  const [prefix, factor] = plain ? ["", 1] : prefixFor(Math.abs(value));
  return `${threeDigits(value / factor)} ${prefix}${unit}`.trimEnd();
}

/** @param {number} value */
export function threeDigits(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
    const power = Math.floor(Math.log10(size));
    return `${(value / 10 ** power).toFixed(2)}·10${superscript(power)}`;
  }
  const decimals = size === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(decimals, 6));
}

/** Values to label on a scale. @param {number} low @param {number} high @param {boolean} log @param {number} [count] */
export function ticksOf(low, high, log, count = 3.6) {
  const width = high - low;
  if (!Number.isFinite(width) || width <= 1e-290) return Number.isFinite(low) ? [low] : [];
  if (log) return logTicks(low, high);
  const step = roundBelow(width / count);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => (first + k) * step);
}

/** @param {number} low @param {number} high */
function logTicks(low, high) {
  if (!(low > 0)) return [];
  const from = Math.floor(Math.log10(low));
  const count = Math.ceil(Math.log10(high)) - from + 1;
  const ofDigits = (/** @type {number[]} */ digits) =>
    Array.from({ length: count }, (_, k) => digits.map((d) => d * 10 ** (from + k)))
      .flat()
      .filter((v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9));
  const decades = ofDigits([1]);
  if (decades.length > MOST_LOG_TICKS) {
    const every = Math.ceil(decades.length / MOST_LOG_TICKS);
    return decades.filter((_, k) => k % every === 0);
  }
  for (const digits of [[1], [1, 3], [1, 2, 5]]) {
    const ticks = ofDigits(digits);
    if (ticks.length >= 3) return ticks;
  }
  return [low, high];
}

/** What stands beside ticks, all with the same decimals. @param {number[]} ticks @param {number} factor @param {boolean} log */
export function tickLabels(ticks, factor, log) {
  const values = ticks.map((v) => v / factor);
  if (log) return values.map((v) => (v >= 1e-3 && v < 1e4 ? String(Number(v.toPrecision(3))) : `10${superscript(Math.round(Math.log10(v)))}`));
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : Math.abs(values[0]) || 1;
  const decimals = Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 9);
  const largest = Math.max(...values.map(Math.abs));
  if (largest >= 1e6) return values.map((v) => threeDigits(v));
  return values.map((v) => (v === 0 ? 0 : v).toFixed(decimals));
}

/** Heading of a scale and what its values are divided by. @param {string} quantity @param {string} unit @param {number} size @returns {[string, number]} */
export function headingOf(quantity, unit, size) {
  if (unit === "" || unit.startsWith("kg")) return [unit === "" ? quantity : `${quantity} (${unit})`, 1];
  const [prefix, factor] = legendPrefix(size);
  return [`${quantity} (${prefix}${unit})`, factor];
}

/** A time on the timeline, with the decimals that a step of it needs. @param {number} seconds @param {number} [step] */
export function timeText(seconds, step = 0.001) {
  const decimals = Math.min(Math.max(3, Math.ceil(-Math.log10(step || 0.001))), 6);
  return `${seconds.toFixed(decimals)} s`;
}

/** How far the figures of a replay are off. @param {{ position: number, rotation: number, velocity: number } | null} error m, length between unit quaternions, m/s */
export function roundingText(error) {
  if (error === null || !(error.position > 0)) return "";
  const two = (/** @type {number} */ value) => Number(value.toPrecision(2));
  const at = (/** @type {number} */ value, /** @type {string} */ unit) => {
    const [prefix, factor] = prefixFor(value);
    return `${two(value / factor)} ${prefix}${unit}`;
  };
  // The angle between two rotations is twice that between their quaternions.
  const degrees = (720 / Math.PI) * Math.asin(Math.min(0.5 * error.rotation, 1));
  return `Rounded by at most ${at(error.position, "m")}, ${two(degrees)}°, ${at(error.velocity, "m/s")}.`;
}
