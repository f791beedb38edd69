// The clock of the recording: which moment is shown, and how it goes on.

import { placeOf } from "./recording.js";

/** @typedef {import("./recording.js").Recording} Recording */
/** @typedef {import("./worker.js").Frame} Frame */

/** Frames that are fetched ahead of the playhead. */
const AHEAD = 12;
/** No step of the clock is longer, s: after a pause of the browser the film goes on where it was. */
const LONGEST_STEP = 0.1;

/** A moment to show. @typedef {{ number: number, next: number, a: Frame, b: Frame, share: number }} Shown */

export class Player {
  /** @param {Recording} recording */
  constructor(recording) {
    this.recording = recording;
    this.time = recording.times[0] ?? 0;
    this.playing = false;
    this.speed = 1;
    this.loop = false;
    this.interpolate = true;
    /** Whether the newest frame is shown as it comes. */
    this.following = false;
    this.contacts = false;
    this.last = 0;
    this.waits = false;
    /** @type {() => void} */
    this.onEnd = () => {};
  }

  get begin() {
    return this.recording.times[0] ?? 0;
  }

  get end() {
    const { times } = this.recording;
    return times[times.length - 1] ?? 0;
  }

  /** The frame nearest to the playhead. */
  get frame() {
    const { frame, share } = placeOf(this.recording.times, this.time);
    return share > 0.5 ? frame + 1 : frame;
  }

  play() {
    if (this.time >= this.end) this.time = this.begin;
    this.playing = true;
    this.following = false;
    this.last = 0;
  }

  pause() {
    this.playing = false;
  }

  /** @param {number} time */
  seek(time) {
    this.time = Math.min(Math.max(time, this.begin), this.end);
    this.following = false;
  }

  /** @param {number} by frames */
  step(by) {
    this.pause();
    const last = this.recording.times.length - 1;
    const { frame, share } = placeOf(this.recording.times, this.time);
    const from = by < 0 && share > 0 ? frame + 1 : frame;
    this.seek(this.recording.times[Math.min(Math.max(from + by, 0), last)] ?? 0);
  }

  /** Lets the clock go on while frames are there; whether the moment changed. @param {number} now ms */
  advance(now) {
    if (this.following && this.time !== this.end) {
      this.time = this.end;
      return true;
    }
    if (!this.playing) return false;
    const passed = this.last === 0 ? 0 : Math.min((now - this.last) / 1000, LONGEST_STEP);
    this.last = now;
    // The clock waits for frames that are on their way.
    if (this.waits) return false;
    const before = this.time;
    this.time += passed * this.speed;
    const outside = this.speed > 0 ? this.time >= this.end : this.time <= this.begin;
    if (outside) {
      const [end, begin] = this.speed > 0 ? [this.end, this.begin] : [this.begin, this.end];
      this.time = this.loop && this.end > this.begin ? begin : end;
      if (!this.loop) {
        this.playing = false;
        this.onEnd();
      }
    }
    return this.time !== before;
  }

  /** Asks for what the moment needs; the moment once it is there. @returns {Shown | null} */
  moment() {
    const { recording } = this;
    const { frame, share } = placeOf(recording.times, this.time);
    const last = recording.times.length - 1;
    const blended = this.interpolate && share > 1e-6 && frame < last;
    const number = blended ? frame : this.frame;
    const next = blended ? frame + 1 : number;
    const direction = this.speed < 0 ? -1 : 1;
    recording.want(direction > 0 ? number : next, { ahead: this.playing ? AHEAD : 2, contacts: this.contacts, direction });
    const a = recording.frame(number);
    const b = next === number ? a : recording.frame(next);
    this.waits = a === null || b === null;
    if (a === null || b === null) return null;
    return { number, next, a, b, share: blended ? share : 0 };
  }
}
