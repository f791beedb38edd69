// Which balls a picture draws where they are too many for one: a fair sample and what was seen last
// while things move, and portion by portion all of them when they rest.

/** Balls that a picture has while things move, where the processor draws and where a card does. */
const SOFTWARE_BUDGET = 60000;
const CARD_BUDGET = 1000000;
const LEAST_BUDGET = 50000;
/** A picture that takes longer is too slow while things move, ms; so many in a row change the budget. */
const SLOW_PICTURE = 60;
const SLOW_PICTURES = 5;
/** Share of a picture's balls that are those that were seen; the others are the sample. */
const SEEN_SHARE = 0.7;

/** @typedef {{ from: number, to: number }} Range */

/** What is drawn of the balls: some ranges of their list, and whether also those that were seen last. @typedef {{ seen: boolean, ranges: Range[] }} Part */

/** How much of a list is in a picture by now. The list is gone through as a ring, from anywhere. */
export class Portions {
  /** @param {number} count */
  constructor(count) {
    this.count = count;
    this.first = 0;
    this.done = 0;
  }

  get left() {
    return this.count - this.done;
  }

  /** Another picture, from where the last one's first portion ended. @param {number} size of the first portion @returns {Range[]} */
  begin(size) {
    this.first = (this.first + Math.min(size, this.count)) % Math.max(this.count, 1);
    this.done = 0;
    return this.next(size);
  }

  /** Another portion of the same picture. @param {number} size @returns {Range[]} */
  next(size) {
    const from = (this.first + this.done) % Math.max(this.count, 1);
    const taken = Math.min(size, this.left);
    this.done += taken;
    const to = from + taken;
    const ranges = to <= this.count ? [{ from, to }] : [{ from, to: this.count }, { from: 0, to: to - this.count }];
    return ranges.filter((r) => r.to > r.from);
  }
}

export class Detail {
  /** @param {number} count of balls @param {boolean} software whether the processor draws */
  constructor(count, software) {
    this.budget = software ? SOFTWARE_BUDGET : CARD_BUDGET;
    this.fixed = software;
    this.surface = new Portions(count);
    this.shadow = new Portions(count);
    this.sampled = new Portions(count);
    this.slow = 0;
  }

  /** Whether the balls are too many for one picture. @param {number} [images] how often they are drawn */
  isLarge(images = 1) {
    return this.surface.count * images > this.budget;
  }

  /** Most balls that are kept of what was seen. */
  get mostSeen() {
    return Math.floor(SEEN_SHARE * this.budget);
  }

  /** What the first picture of a moment has. @param {Portions} portions @param {number} images @returns {Part | null} null: all */
  begin(portions, images) {
    if (!this.isLarge(images)) {
      portions.done = portions.count;
      return null;
    }
    return { seen: true, ranges: portions.begin(Math.ceil((this.budget - this.mostSeen) / images)) };
  }

  /** What is added to it while nothing moves. @param {Portions} portions @param {number} images @returns {Part} */
  more(portions, images) {
    return { seen: false, ranges: portions.next(Math.ceil(this.budget / images)) };
  }

  /** A card that is too slow for its budget gets a smaller one. @param {number} milliseconds of a picture while things move */
  timed(milliseconds) {
    this.slow = milliseconds > SLOW_PICTURE ? this.slow + 1 : 0;
    if (this.fixed || this.slow < SLOW_PICTURES || this.surface.count <= LEAST_BUDGET) return;
    this.slow = 0;
    this.budget = Math.max(LEAST_BUDGET, Math.ceil(0.5 * Math.min(this.budget, this.surface.count)));
  }
}
