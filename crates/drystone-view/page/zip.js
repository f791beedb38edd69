// A zip file of files as they are: pictures do not shrink further.

/** Table of CRC-32 (IEEE 802.3), made when first needed. @type {Uint32Array | null} */
let crcTable = null;

/** @param {Uint8Array} bytes */
export function crc32(bytes) {
  if (crcTable === null) {
    crcTable = new Uint32Array(256);
    for (let k = 0; k < 256; k += 1) {
      let c = k;
      for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
      crcTable[k] = c;
    }
  }
  let crc = 0xffffffff;
  for (let k = 0; k < bytes.length; k += 1) crc = crcTable[(crc ^ bytes[k]) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/**
 * @param {{ name: string, bytes: Uint8Array<ArrayBuffer> }[]} files names in plain letters
 * @returns {Blob}
 */
export function zipOf(files) {
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const directory = [];
  let at = 0;
  for (const { name, bytes } of files) {
    const letters = new TextEncoder().encode(name);
    const crc = crc32(bytes);
    /** The fields that both heads share. @param {DataView} view @param {number} from */
    const shared = (view, from) => {
      view.setUint16(from, 20, true); // version
      view.setUint16(from + 8, 0x21, true); // a date that exists: 1980-01-01
      view.setUint32(from + 10, crc, true);
      view.setUint32(from + 14, bytes.length, true);
      view.setUint32(from + 18, bytes.length, true);
      view.setUint16(from + 22, letters.length, true);
    };
    const head = new Uint8Array(30 + letters.length);
    const local = new DataView(head.buffer);
    local.setUint32(0, 0x04034b50, true);
    shared(local, 4);
    head.set(letters, 30);
    const entry = new Uint8Array(46 + letters.length);
    const central = new DataView(entry.buffer);
    central.setUint32(0, 0x02014b50, true);
    central.setUint16(4, 20, true);
    shared(central, 6);
    central.setUint32(42, at, true);
    entry.set(letters, 46);
    parts.push(head, bytes);
    directory.push(entry);
    at += head.length + bytes.length;
  }
  const size = directory.reduce((sum, d) => sum + d.length, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, at, true);
  return new Blob([...parts, ...directory, end.buffer], { type: "application/zip" });
}
