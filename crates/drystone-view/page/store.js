// The page's state: one plain object, told by key when something changes.

/**
 * @template {object} T
 * @typedef {object} Store
 * @property {T} state read it, never write it
 * @property {(patch: Partial<T>) => void} set changes some keys and tells their listeners once
 * @property {(keys: (keyof T)[], listener: () => void) => void} on
 */

/**
 * @template {object} T
 * @param {T} initial
 * @returns {Store<T>}
 */
export function createStore(initial) {
  const state = { ...initial };
  /** @type {{ keys: Set<keyof T>, listener: () => void }[]} */
  const listeners = [];
  return {
    state,
    set(patch) {
      const changed = /** @type {(keyof T)[]} */ (Object.keys(patch)).filter(
        (key) => !Object.is(state[key], patch[key]),
      );
      if (changed.length === 0) return;
      Object.assign(state, patch);
      for (const { keys, listener } of listeners) {
        if (changed.some((key) => keys.has(key))) listener();
      }
    },
    on(keys, listener) {
      listeners.push({ keys: new Set(keys), listener });
    },
  };
}
