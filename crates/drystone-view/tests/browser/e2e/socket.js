// A web socket that sends and hears texts, after RFC 6455: Node has one of its own from version 22 on only.

import { randomBytes } from "node:crypto";
import { request } from "node:http";

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** A frame as a client sends it: whole, and masked as the RFC demands. @param {number} kind @param {Buffer} content */
function frameOf(kind, content) {
  const size = content.length;
  const long = size > 65535 ? 8 : size > 125 ? 2 : 0;
  const head = Buffer.alloc(2 + long + 4);
  head[0] = 0x80 | kind;
  head[1] = 0x80 | (long === 8 ? 127 : long === 2 ? 126 : size);
  if (long === 2) head.writeUInt16BE(size, 2);
  if (long === 8) head.writeBigUInt64BE(BigInt(size), 2);
  const mask = randomBytes(4);
  mask.copy(head, 2 + long);
  return Buffer.concat([head, content.map((byte, k) => byte ^ mask[k % 4])]);
}

/** The first whole frame of what came, and how long it is; null if there is none yet. @param {Buffer} bytes */
function parseFrame(bytes) {
  if (bytes.length < 2) return null;
  const short = bytes[1] & 127;
  const from = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < from) return null;
  const size = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < from + size) return null;
  return { last: (bytes[0] & 0x80) !== 0, kind: bytes[0] & 15, content: bytes.subarray(from, from + size), end: from + size };
}

/**
 * @param {string} address such as ws://127.0.0.1:9222/session
 * @param {(text: string) => void} hear
 * @returns {Promise<{ send: (text: string) => void, close: () => void }>}
 */
export function openSocket(address, hear) {
  const asked = request(address.replace(/^ws:/, "http:"), {
    headers: { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": randomBytes(16).toString("base64") },
  });
  return new Promise((resolve, reject) => {
    asked.on("error", reject);
    asked.on("response", (answer) => reject(new Error(`${address}: no web socket, but status ${answer.statusCode}`)));
    asked.on("upgrade", (_, socket, first) => {
      let [rest, text] = [first, Buffer.alloc(0)];
      const take = (/** @type {Buffer} */ more) => {
        rest = Buffer.concat([rest, more]);
        for (let frame = parseFrame(rest); frame !== null; frame = parseFrame(rest)) {
          rest = rest.subarray(frame.end);
          if (frame.kind === PING) socket.write(frameOf(PONG, frame.content));
          if (frame.kind > TEXT) continue;
          text = Buffer.concat([text, frame.content]);
          if (!frame.last) continue;
          hear(text.toString());
          text = Buffer.alloc(0);
        }
      };
      socket.on("data", take);
      socket.on("error", () => {});
      take(Buffer.alloc(0));
      resolve({ send: (what) => socket.write(frameOf(TEXT, Buffer.from(what))), close: () => socket.end(frameOf(CLOSE, Buffer.alloc(0))) });
    });
    asked.end();
  });
}
