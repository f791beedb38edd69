// What is drawn of very many balls.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Detail, Portions } from "../../../page/render/detail.js";
import { InstanceList } from "../../../page/render/instances.js";

/** A card that takes everything and does nothing. */
const CARD = new Proxy({}, { get: () => () => ({}) });

/** @param {{ from: number, to: number }[]} ranges */
const numbers = (ranges) => ranges.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, k) => from + k));

test("portions take each ball once, from wherever they begin", () => {
  const portions = new Portions(10);
  for (const first of [[3, 4, 5], [6, 7, 8], [9, 0, 1]]) {
    assert.deepEqual(numbers(portions.begin(3)), first);
    const all = [...first];
    while (portions.left > 0) all.push(...numbers(portions.next(4)));
    assert.deepEqual(all.sort((a, b) => a - b), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.deepEqual(portions.next(4), []);
  }
});

test("a few balls are drawn at once, a million within the budget", () => {
  const few = new Detail(1000, true);
  assert.equal(few.begin(few.surface, 1), null);
  assert.equal(few.surface.left, 0);
  const many = new Detail(1000000, true);
  for (const images of [1, 3, 27]) {
    const part = many.begin(many.surface, images);
    assert.ok(part?.seen);
    assert.ok(images * (numbers(part.ranges).length) + many.mostSeen <= many.budget + images, `${images}`);
    assert.ok(images * numbers(many.more(many.surface, images).ranges).length <= many.budget + images);
  }
  // Nine images of what fits once do not fit.
  assert.equal(new Detail(50000, true).isLarge(1), false);
  assert.equal(new Detail(50000, true).isLarge(9), true);
});

test("a card that is slow gets less to do, and one slow picture is forgiven", () => {
  const detail = new Detail(3000000, false);
  const before = detail.budget;
  for (const ms of [200, 200, 200, 200, 10, 200, 200]) detail.timed(ms);
  assert.equal(detail.budget, before);
  for (let k = 0; k < 100; k += 1) detail.timed(200);
  assert.ok(detail.budget < before && detail.budget >= 50000, String(detail.budget));
});

test("a shuffled list has the same instances, and any part of it is a fair sample", () => {
  const list = new InstanceList(CARD, [3, 1]);
  for (let k = 0; k < 10000; k += 1) list.add(k, k === 17, k, 2 * k, 3 * k, -k);
  assert.equal(list.hasGlass, true);
  list.shuffle();
  const owners = list.owners.subarray(0, list.count);
  assert.deepEqual([...owners].sort((a, b) => a - b), Array.from({ length: 10000 }, (_, k) => k));
  for (const k of [0, 5000, 9999]) assert.deepEqual([...list.floats.subarray(4 * k, 4 * k + 4)], [owners[k], 2 * owners[k], 3 * owners[k], owners[k] === 0 ? -0 : -owners[k]]);
  // Of a thousand about half are of the first half; four standard deviations are 63.
  const first = owners.subarray(2000, 3000).filter((v) => v < 5000).length;
  assert.ok(Math.abs(first - 500) < 63, String(first));
  const again = new InstanceList(CARD, [3, 1]);
  for (let k = 0; k < 10000; k += 1) again.add(k, false, k, 2 * k, 3 * k, -k);
  again.shuffle();
  assert.deepEqual(again.owners, list.owners);
});
