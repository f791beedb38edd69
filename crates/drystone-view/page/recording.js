// A run as the page knows it: what it is made of, and frames as they are asked for.

/** @typedef {import("./worker.js").Bodies} Bodies */
/** @typedef {import("./worker.js").Frame} Frame */
/** @typedef {import("./worker.js").Contacts} Contacts */
/** @typedef {import("./worker.js").Mesh} Mesh */
/** @typedef {import("./transport.js").Transport} Transport */

/**
 * @typedef {object} Shape
 * @property {string} kind
 * @property {number} [radius]
 * @property {number} [half_length]
 * @property {[number, number, number]} [half]
 * @property {[number, number, number]} [radii]
 * @property {{ shape: number, position: [number, number, number], rotation: [number, number, number, number] }[]} [parts]
 */

/** @typedef {{ point: [number, number, number], normal: [number, number, number] }} ClipPlane */

/**
 * @typedef {{ eye: [number, number, number], target: [number, number, number], up: [number, number, number],
 *   field_of_view: number, aspect?: number, orthographic: boolean, height?: number | null }} RunCamera
 */

/** Spans of time in which a joint or spring does not hold, s; the last may have no end. @typedef {[number, number | null][]} OffSpans */

/**
 * @typedef {object} RunInfo
 * @property {string} title
 * @property {string} state
 * @property {string} note
 * @property {number} frames
 * @property {number} time_step
 * @property {number} bodies
 * @property {[number, number, number]} origin
 * @property {{ position: number, rotation: number, velocity: number } | null} error
 * @property {{ low: [number, number, number], high: [number, number, number] }} bounds
 * @property {RunCamera} camera
 * @property {{ sky: [string, string], ground: string, sun: [number, number, number], clip: ClipPlane[] | null }} look
 * @property {{ what: string, low: number, high: number, log: boolean } | null} color_by
 * @property {{ [name: string]: string }} maps
 * @property {{ name: string, members: number }[]} groups
 * @property {{ name: string, friction: number }[]} materials
 * @property {{ name: string, time: number }[]} phases
 * @property {{ low: [number, number, number], high: [number, number, number], axes: [boolean, boolean, boolean] } | null} periodic
 * @property {{ name: string, kind: string, bodies: (number | null)[], points: [number, number, number][], axes?: [number, number, number][], off?: [number, number | null][] }[]} joints
 * @property {{ name: string, kind?: string, coil?: boolean, bodies: (number | null)[], points: [number, number, number][], off?: [number, number | null][] }[]} springs
 * @property {string[]} tables
 * @property {boolean} has_contacts
 * @property {number[]} unconverged steps, some left out where there are very many
 * @property {number} unconverged_count
 * @property {string[]} categories colours of kinds, by number
 * @property {number | null} chunk frames packed together in a replay
 * @property {{ bounds: { low: [number, number, number], high: [number, number, number] }, camera: RunCamera } | null} film for all frames together
 */

/** @typedef {{ columns: string[], units: string[], values: (number | null)[][] }} Table */

/** Figures of one body: position, velocity and angular velocity at some times. @typedef {{ body: number, rows: { time: number, values: Float32Array }[] }} Track */

/** Memory for decoded frames and contacts, bytes. */
const CACHE_BYTES = 256 * 1024 * 1024;
/** Requests under way at once: enough to hide the way to the server, few enough to change one's mind. */
const UNDER_WAY = 3;

/**
 * What was used last stays, up to a number of bytes.
 * @template {{ bytes: number }} T
 */
export class Cache {
  /** @param {number} limit bytes */
  constructor(limit) {
    this.limit = limit;
    this.bytes = 0;
    /** @type {Map<string, T>} */
    this.entries = new Map();
  }

  /** @param {string} key */
  get(key) {
    const entry = this.entries.get(key);
    if (entry !== undefined) {
      // Maps keep the order of insertion: the oldest come first.
      this.entries.delete(key);
      this.entries.set(key, entry);
    }
    return entry;
  }

  /** @param {string} key */
  has(key) {
    return this.entries.has(key);
  }

  /** @param {string} key @param {T} entry */
  put(key, entry) {
    this.bytes += entry.bytes - (this.entries.get(key)?.bytes ?? 0);
    this.entries.delete(key);
    this.entries.set(key, entry);
    for (const [oldest, old] of this.entries) {
      // The newest stays whatever its size.
      if (this.bytes <= this.limit || oldest === key) break;
      this.entries.delete(oldest);
      this.bytes -= old.bytes;
    }
  }
}

/**
 * The place of a time among frames: the last frame not after it, and the share of the way to the next.
 * @param {ArrayLike<number>} times ascending
 * @param {number} time
 * @returns {{ frame: number, share: number }}
 */
export function placeOf(times, time) {
  const last = times.length - 1;
  if (last < 0) return { frame: 0, share: 0 };
  let [low, high] = [0, last];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  if (low === last) return { frame: last, share: 0 };
  const share = (time - times[low]) / (times[low + 1] - times[low]);
  // A time that a slider or a link has rounded is still that of its frame.
  if (share > 1 - 1e-6) return { frame: low + 1, share: 0 };
  return { frame: low, share: share < 1e-6 ? 0 : share };
}

/** Position, velocity and angular velocity of a body. @param {Frame} frame @param {number} body */
function figuresOf(frame, body) {
  const figures = new Float32Array(9);
  [frame.position, frame.velocity, frame.angular].forEach((column, k) => {
    figures.set(column.subarray(3 * body, 3 * body + 3), 3 * k);
  });
  return { figures };
}

/**
 * The same with all places less the origin, as frames have them.
 * @param {RunInfo} info
 * @returns {RunInfo}
 */
export function localised(info) {
  const { origin } = info;
  /** @param {[number, number, number]} p @returns {[number, number, number]} */
  const local = (p) => [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]];
  /** @template {{ bodies: (number | null)[], points: [number, number, number][] }} T @param {T} link @returns {T} */
  const anchored = (link) => ({
    ...link,
    points: link.points.map((p, k) => (link.bodies[k] === null ? local(p) : p)),
  });
  const box = (/** @type {RunInfo["bounds"]} */ b) => ({ low: local(b.low), high: local(b.high) });
  const seen = (/** @type {RunCamera} */ c) => ({ ...c, eye: local(c.eye), target: local(c.target) });
  return {
    ...info,
    bounds: box(info.bounds),
    camera: seen(info.camera),
    film: info.film ? { bounds: box(info.film.bounds), camera: seen(info.film.camera) } : null,
    look: { ...info.look, clip: info.look.clip?.map((c) => ({ ...c, point: local(c.point) })) ?? null },
    periodic: info.periodic ? { ...info.periodic, low: local(info.periodic.low), high: local(info.periodic.high) } : null,
    joints: (info.joints ?? []).map(anchored),
    springs: (info.springs ?? []).map(anchored),
  };
}

export class Recording {
  /** @param {Transport} transport */
  constructor(transport) {
    this.transport = transport;
    this.worker = transport.worker();
    this.worker.onmessage = (event) => this.receive(event.data);
    this.worker.onerror = (event) => this.onProblem(`the page's worker failed: ${event.message}`);
    this.nextId = 1;
    /** @type {Map<number, { resolve: (answer: any) => void, reject: (error: Error) => void }>} */
    this.waiting = new Map();
    /** @type {Cache<Frame | Contacts>} */
    this.cache = new Cache(CACHE_BYTES);
    /** Asked for and not there yet. @type {Set<string>} */
    this.pending = new Set();
    /** Frames to load next, the most wanted first. @type {string[]} */
    this.wanted = [];
    /** Known to be absent. @type {Set<string>} */
    this.missing = new Set();
    /** @type {Map<string, Promise<Table>>} */
    this.tables = new Map();
    /** Those that have come; of a live run the newest. @type {Map<string, Table>} */
    this.knownTables = new Map();
    /** @type {(message: string) => void} */
    this.onProblem = () => {};
    /** Told which frame or contacts are there. @type {(name: string) => void} */
    this.onArrival = () => {};
    this.times = new Float64Array(0);
    this.steps = new Float64Array(0);
    /** @type {Shape[]} */
    this.shapes = [];
    /** @type {Map<number, Mesh>} */
    this.meshes = new Map();
  }

  /** All that is needed before the first frame. */
  async open() {
    /** @type {RunInfo} */
    this.info = localised(await this.transport.json("run.json"));
    /** @type {[Bodies, Shape[], void]} */
    const [bodies, shapes] = await Promise.all([this.ask("bodies", "bodies.bin", 0), this.transport.json("shapes.json"), this.readIndex()]);
    this.bodies = bodies;
    this.shapes = shapes;
    const meshed = shapes.flatMap((shape, k) =>
      ["mesh", "hull", "height_field"].includes(shape.kind) ? [k] : [],
    );
    const meshes = meshed.map(async (k) => {
      const mesh = await this.ask("mesh", `mesh/${k}.bin`, 0);
      if (mesh) this.meshes.set(k, mesh);
    });
    const last = this.times.length - 1;
    await Promise.all([...meshes, last < 0 ? null : this.load("frame/0.bin")]);
    // The one that is seen first comes while the page is put together.
    if (last > 0) void this.load(`frame/${last}.bin`);
  }

  /** Takes over what changes while a run goes on: phases that began, steps that did not converge, tables that are there. */
  async refresh() {
    const { info } = this;
    if (!info) return;
    const { note, phases, joints, springs, tables, has_contacts, unconverged, unconverged_count } = localised(await this.transport.json("run.json"));
    Object.assign(info, { note, phases, joints, springs, tables, has_contacts, unconverged, unconverged_count });
    this.tables.clear();
  }

  /** Times of the frames there are by now. */
  async readIndex() {
    const index = await this.ask("index", "index.bin", 0);
    if (!index) return;
    this.times = index.time;
    this.steps = index.step;
  }

  /** @param {string} kind @param {string} name @param {number} frame @returns {Promise<any>} */
  ask(kind, name, frame) {
    let source = this.transport.source(name);
    /** @type {{ name: string, frame: number } | undefined} */
    let chunk;
    const size = this.info?.chunk ?? null;
    if (source === null && size !== null && name.startsWith("frame/")) {
      // Replays have many frames packed together.
      const number = Number.parseInt(name.slice(6), 10);
      chunk = { name: `frames/${Math.floor(number / size)}.bin`, frame: number % size };
      source = this.transport.source(chunk.name);
    }
    if (source === null) return Promise.resolve(null);
    const id = this.nextId;
    this.nextId += 1;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, kind, source, frame, chunk });
    });
  }

  /** @param {{ id: number, answer?: any, error?: string }} message */
  receive(message) {
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.answer);
    else waiting?.reject(new Error(message.error));
  }

  /** @param {string} name of a frame's or its contacts' resource */
  async load(name) {
    if (this.cache.has(name) || this.pending.has(name) || this.missing.has(name)) return;
    this.pending.add(name);
    const [kind, rest] = name.split("/");
    try {
      const answer = await this.ask(kind, name, Number.parseInt(rest, 10));
      if (answer === null) this.missing.add(name);
      else this.cache.put(name, answer);
    } catch (error) {
      this.onProblem(error instanceof Error ? `${name}: ${error.message}` : name);
      // Asked for again after a while: a server may come back.
      this.missing.add(name);
      setTimeout(() => this.missing.delete(name), 2000);
    } finally {
      this.pending.delete(name);
    }
    this.onArrival(name);
    this.loadWanted();
  }

  /** @param {number} k @returns {Frame | null} null while it is on its way */
  frame(k) {
    return /** @type {Frame} */ (this.cache.get(`frame/${k}.bin`)) ?? null;
  }

  /** @param {number} k @returns {Contacts | null} */
  contacts(k) {
    return /** @type {Contacts} */ (this.cache.get(`contacts/${k}.bin`)) ?? null;
  }

  /** Whether contacts of a frame will not come. @param {number} k */
  lacksContacts(k) {
    return this.missing.has(`contacts/${k}.bin`);
  }

  /**
   * Says what is wanted now, the most wanted first; earlier wishes are forgotten.
   * @param {number} frame
   * @param {{ ahead: number, contacts: boolean, direction: number }} wish
   */
  want(frame, { ahead, contacts, direction }) {
    const bytes = 45 * (this.bodies?.kind.length ?? 0) || 1;
    // Looking ahead must not push out what is shown.
    const most = Math.max(2, Math.min(ahead, Math.floor(CACHE_BYTES / (3 * bytes))));
    this.wanted = [];
    for (let k = 0; k <= most; k += 1) {
      const at = frame + direction * k;
      if (at < 0 || at >= this.times.length) break;
      this.wanted.push(`frame/${at}.bin`);
      if (contacts) this.wanted.push(`contacts/${at}.bin`);
    }
    this.loadWanted();
  }

  loadWanted() {
    while (this.pending.size < UNDER_WAY) {
      const next = this.wanted.find(
        (name) => !this.cache.has(name) && !this.pending.has(name) && !this.missing.has(name),
      );
      if (next === undefined) return;
      void this.load(next);
    }
  }

  /**
   * Adds to a track frame by frame, until `go` says that nobody asks any more.
   * @param {Track} track @param {number} most rows @param {() => boolean} go
   */
  async follow(track, most, go) {
    const every = Math.max(1, Math.ceil(this.times.length / most));
    for (let k = 0; k < this.times.length; k += every) {
      const known = this.frame(k);
      const values = known === null ? await this.ask("track", `frame/${k}.bin`, track.body) : figuresOf(known, track.body);
      if (values === null) continue;
      track.rows.push({ time: this.times[k], values: values.figures ?? values });
      // Told in portions: each makes the plots anew.
      if ((track.rows.length & 15) === 0 && !go()) return;
    }
    go();
  }

  /** @param {string} name @returns {Promise<Table>} */
  table(name) {
    const known = this.tables.get(name);
    if (known !== undefined) return known;
    const table = this.transport.json(`table/${name}.json`);
    this.tables.set(name, table);
    table.then((read) => this.knownTables.set(name, read)).catch(() => this.tables.delete(name));
    return table;
  }

  /** @param {string} name @returns {Table | null} null while it is on its way */
  knownTable(name) {
    return this.knownTables.get(name) ?? null;
  }

  /** The name of a body. @param {number} body */
  nameOf(body) {
    const { info, bodies } = this;
    if (!info || !bodies || body >= bodies.group.length) return "";
    const group = info.groups[bodies.group[body]];
    if (group === undefined) return String(body);
    return group.members === 1 ? group.name : `${group.name}[${bodies.number[body]}]`;
  }
}
