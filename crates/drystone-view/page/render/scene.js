// The bodies of a run as things to draw: each shape goes to the file that draws its kind.

import { CONVEX, ConvexShapes } from "./convex.js";
import { BodyLines, outlineOf } from "./lines.js";
import { Meshes, within } from "./meshes.js";
import { Planes } from "./planes.js";
import { Spheres } from "./spheres.js";
import { surfaceOf } from "./topology.js";
import { rotate } from "../math.js";

/** @typedef {import("./gl.js").GL} GL */
/** @typedef {import("./meshes.js").Instance} Instance */
/** @typedef {import("../math.js").Vec3} Vec3 */
/** @typedef {import("../recording.js").Recording} Recording */
/** @typedef {import("../recording.js").Shape} Shape */

const GLASS_BODY = 1;
const FIXED_KIND = 1;
const NO_PLACE = [0, 0, 0];
const NO_TURN = [0, 0, 0, 1];
/** Reaches that are looked at for the usual one. */
const MOST_REACHES = 20000;

/** Half lengths of a convex shape as the shaders want them, and its kind. @param {Shape} shape @returns {[number[], number] | null} */
export function convexSize(shape) {
  const { half = [0, 0, 0], radii = [0, 0, 0], radius = 0, half_length: length_ = 0 } = shape;
  switch (shape.kind) {
    case "box":
      return [[...half], CONVEX.box];
    case "ellipsoid":
      return [[...radii], CONVEX.ellipsoid];
    case "cylinder":
      return [[radius, radius, length_], CONVEX.cylinder];
    case "cone":
      return [[radius, radius, length_], CONVEX.cone];
    case "capsule":
      return [[radius, radius, length_], CONVEX.capsule];
    default:
      return null;
  }
}

export class SceneShapes {
  /** @param {GL} gl @param {Recording} recording */
  constructor(gl, recording) {
    this.recording = recording;
    this.spheres = new Spheres(gl);
    this.convex = new ConvexShapes(gl);
    this.meshes = new Meshes(gl);
    this.planes = new Planes(gl);
    this.edges = new BodyLines(gl);
    /** @type {Map<number, import("./topology.js").Surface>} */
    this.surfaces = new Map();
    const bodies = recording.bodies;
    const count = bodies?.shape.length ?? 0;
    for (let k = 0; k < count; k += 1) {
      const number = bodies?.shape[k] ?? 0;
      const glass = bodies?.opacity[k] === GLASS_BODY;
      this.add(recording.shapes[number], number, { owner: k, glass, place: NO_PLACE, rotation: NO_TURN });
    }
    for (const kind of [this.spheres, this.convex, this.meshes, this.planes, this.edges]) kind.finish();
    /** Whether moving bodies look different when they turn. */
    this.turning = bodies?.shape.some((shape, k) => bodies.kind[k] !== FIXED_KIND && recording.shapes[shape]?.kind !== "sphere") ?? false;
    /** Reach of a usual body, m: corners within it count as closed. */
    this.grain = 2 * this.usualReach();
    /** @type {{ low: number[], high: number[] } | null} */
    this.box = null;
  }

  /** @param {Shape | undefined} shape @param {number} number @param {Instance} at */
  add(shape, number, at) {
    if (shape === undefined) return;
    if (shape.kind === "compound") {
      for (const part of shape.parts ?? []) {
        this.add(this.recording.shapes[part.shape], part.shape, within(at, part.position, part.rotation));
      }
      return;
    }
    if (shape.kind === "sphere") {
      this.spheres.add(at.owner, at.place, shape.radius ?? 0, at.glass);
      return;
    }
    if (shape.kind === "plane") {
      this.planes.add(at.owner, at.glass);
      return;
    }
    const convex = convexSize(shape);
    if (convex !== null) {
      this.convex.add(at, convex[0], convex[1]);
      if (at.glass) this.addEdges(at, outlineOf(shape));
      return;
    }
    const surface = this.surface(shape, number);
    if (surface === null) return;
    this.meshes.add(surface, at);
    if (at.glass) this.addEdges(at, surface.creases);
  }

  /** @param {Instance} at @param {ArrayLike<number>} ends in the shape's axes */
  addEdges(at, ends) {
    const turned = new Array(ends.length);
    for (let k = 0; k < ends.length; k += 3) {
      const p = rotate(at.rotation, [ends[k], ends[k + 1], ends[k + 2]]);
      for (let axis = 0; axis < 3; axis += 1) turned[k + axis] = p[axis] + at.place[axis];
    }
    this.edges.add(at.owner, turned);
  }

  /** @param {Shape} shape @param {number} number */
  surface(shape, number) {
    const known = this.surfaces.get(number);
    if (known !== undefined) return known;
    const mesh = this.recording.meshes.get(number);
    if (mesh === undefined) return null;
    const surface = surfaceOf(mesh.vertex, mesh.index, shape.kind !== "hull");
    this.surfaces.set(number, surface);
    return surface;
  }

  usualReach() {
    const bodies = this.recording.bodies;
    const every = Math.max(1, Math.floor((bodies?.reach.length ?? 0) / MOST_REACHES));
    const moving = new Float32Array(bodies?.reach.filter((r, k) => k % every === 0 && bodies.kind[k] === 0 && Number.isFinite(r)) ?? []);
    moving.sort();
    const { low = [0, 0, 0], high = [1, 1, 1] } = this.recording.info?.bounds ?? {};
    const radius = 0.5 * Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
    const usual = moving[Math.floor(moving.length / 2)] ?? 0.1 * radius;
    return Math.min(Math.max(usual, 0.01 * radius), 0.25 * radius);
  }

  /** The box around solid fixed bodies near the scene. @param {Vec3} focus @param {number} reach */
  fixedBox(focus, reach) {
    if (this.box !== null) return this.box;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const { bodies } = this.recording;
    const frame = this.recording.frame(0);
    if (!bodies || frame === null) return { low, high };
    bodies.kind.forEach((kind, k) => {
      if (kind !== FIXED_KIND || bodies.opacity[k] !== 0 || !(bodies.reach[k] < reach)) return;
      for (let axis = 0; axis < 3; axis += 1) {
        const v = frame.position[3 * k + axis];
        low[axis] = Math.min(low[axis], Math.max(v - bodies.reach[k], focus[axis] - reach));
        high[axis] = Math.max(high[axis], Math.min(v + bodies.reach[k], focus[axis] + reach));
      }
    });
    this.box = { low, high };
    return this.box;
  }

  /** The first plane that is solid and faces up, or null. @param {import("../worker.js").Frame | null} frame */
  groundPlane(frame) {
    if (this.ground !== undefined) return this.ground;
    if (frame === null) return null;
    /** @type {{ point: Vec3, normal: Vec3 } | null} */
    this.ground = null;
    for (const k of this.planes.owners) {
      if (this.recording.bodies?.opacity[k] !== 0) continue;
      const q = Array.from(frame.rotation.subarray(4 * k, 4 * k + 4), (v) => v / 32767);
      const normal = rotate(q, [0, 0, 1]);
      const [x, y, z] = frame.position.subarray(3 * k, 3 * k + 3);
      if (normal[2] > 0.5) {
        this.ground = { point: [x, y, z], normal };
        break;
      }
    }
    return this.ground;
  }

  /** All but the planes; of later portions of a picture the balls only. @param {import("./renderer.js").Pass} pass */
  draw(pass) {
    this.spheres.draw(pass);
    if (pass.part !== null && !pass.part.seen) return;
    this.convex.draw(pass);
    this.meshes.draw(pass);
  }
}
