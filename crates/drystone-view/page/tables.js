// Rows and columns of the run's tables.

/** @typedef {import("./recording.js").Table} Table */
/** @typedef {import("./math.js").Vec3} Vec3 */

/** A column of a table as numbers. @param {Table} table @param {string} name */
export function columnOf(table, name) {
  const at = table.columns.indexOf(name);
  return at < 0 ? null : table.values[at].map((v) => (v === null ? NaN : Number(v)));
}

/** The row of a time: the first that is not before it, else the last; -1 where there is none. @param {Table | null} table @param {number} time s */
export function rowAt(table, time) {
  const times = table?.values[table.columns.indexOf("time")];
  if (!times) return -1;
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Number(times[middle]) >= time - 1e-9) high = middle;
    else low = middle + 1;
  }
  return Math.min(low, times.length - 1);
}

/** The forces of a table of named forces at a time. @param {Table | null} table @param {number} time s */
export function forcesAt(table, time) {
  const row = rowAt(table, time);
  if (table === null || row < 0) return [];
  /** @type {Map<string, Vec3>} */
  const forces = new Map();
  table.columns.forEach((column, k) => {
    const match = /^(.*) f([xyz])$/.exec(column);
    if (match === null) return;
    const force = forces.get(match[1]) ?? [0, 0, 0];
    force["xyz".indexOf(match[2])] = Number(table.values[k][row] ?? 0);
    forces.set(match[1], force);
  });
  return [...forces].map(([name, force]) => ({ name, force }));
}
