// Where resources come from: a server, or the page itself when it is a replay.

/** @typedef {{ url: string } | { base64: string }} Source what the worker reads a resource from */

/**
 * @typedef {object} Transport
 * @property {boolean} replay
 * @property {(name: string) => Source | null} source `null` where a replay has no such resource
 * @property {(name: string) => Promise<any>} json rejects with a message in words
 * @property {() => Worker} worker
 * @property {(listener: LiveListener) => void} listen
 */

/**
 * @typedef {object} LiveListener
 * @property {(count: number) => void} frames
 * @property {(state: string) => void} state
 * @property {(connected: boolean) => void} connection
 */

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
export function bytesFromBase64(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k += 1) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

/** The transport of this page. @returns {Transport} */
export function openTransport() {
  return document.getElementById("resource:run.json") ? inlineTransport() : httpTransport();
}

/** @returns {Transport} */
function httpTransport() {
  const token = new URLSearchParams(location.search).get("token");
  const query = token === null ? "" : `?token=${encodeURIComponent(token)}`;
  /** @param {string} name */
  const url = (name) => new URL(`api/${name}${query}`, document.baseURI).href;
  return {
    replay: false,
    source: (name) => ({ url: url(name) }),
    async json(name) {
      const answer = await fetch(url(name));
      if (!answer.ok) throw new Error(`${name}: the server answered ${answer.status}`);
      return answer.json();
    },
    worker: () => new Worker(new URL("worker.js", document.baseURI), { type: "module" }),
    listen: (listener) => listenTo(url("events"), listener),
  };
}

/** @param {string} url @param {LiveListener} listener */
function listenTo(url, listener) {
  const events = new EventSource(url);
  // The browser connects again by itself, except after an answer that is no stream.
  events.onopen = () => listener.connection(true);
  events.onerror = () => {
    listener.connection(false);
    if (events.readyState === EventSource.CLOSED) {
      setTimeout(() => listenTo(url, listener), 2000);
    }
  };
  events.addEventListener("frames", (event) => listener.frames(Number(event.data)));
  events.addEventListener("state", (event) => listener.state(String(event.data)));
}

/** @returns {Transport} */
function inlineTransport() {
  /** @param {string} name */
  const text = (name) => document.getElementById(`resource:${name}`)?.textContent ?? null;
  return {
    replay: true,
    source(name) {
      const base64 = text(name);
      return base64 === null ? null : { base64 };
    },
    async json(name) {
      const base64 = text(name);
      if (base64 === null) throw new Error(`${name}: this replay does not hold it`);
      const packed = new Blob([bytesFromBase64(base64)]).stream();
      const stream = packed.pipeThrough(new DecompressionStream("gzip"));
      return new Response(stream).json();
    },
    worker() {
      const source = document.getElementById("worker-source")?.textContent ?? "";
      // A classic worker: pages from disk may not start modules from a blob everywhere.
      const classic = source.replace(/^export /gm, "");
      return new Worker(URL.createObjectURL(new Blob([classic], { type: "text/javascript" })));
    },
    listen() {},
  };
}
