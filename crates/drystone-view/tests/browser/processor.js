// Processor time of the browser: on a machine that has other work it says more than a clock.

import { readFileSync, readdirSync } from "node:fs";

/** Clock ticks a second of Linux' tables. */
const TICKS = 100;

/** Parent and processor time, s, of a process; null once it is gone. @param {string} id */
function look(id) {
  try {
    // The name stands in brackets and may hold blanks.
    const fields = readFileSync(`/proc/${id}/stat`, "utf8").split(") ").pop().split(" ");
    return { parent: fields[1], seconds: (Number(fields[11]) + Number(fields[12])) / TICKS };
  } catch {
    return null;
  }
}

/** Processor seconds so far of all processes that this one started, and theirs. */
export function processorSeconds() {
  const all = new Map(readdirSync("/proc").filter((id) => /^\d+$/.test(id)).map((id) => [id, look(id)]));
  const isOurs = (/** @type {string} */ id) => {
    for (let at = all.get(id)?.parent; at !== undefined && at !== "0"; at = all.get(at)?.parent) if (at === String(process.pid)) return true;
    return false;
  };
  let sum = 0;
  for (const [id, entry] of all) if (entry && isOurs(id)) sum += entry.seconds;
  return sum;
}
