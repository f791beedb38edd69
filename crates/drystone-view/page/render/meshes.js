// Hulls, meshes and height fields: triangles. Shapes that many bodies share are instanced; all others
// go into one list, each corner with its body's number, so that they take one draw call.

import { GLASS_GLSL, PAINTED_GLSL, PAINT_IN_GLSL, SURFACE_GLSL, VIEW_GLSL } from "./common.js";
import { sendOwners } from "./instances.js";
import { SolidAndGlass } from "./programs.js";
import { quatProduct, rotate } from "../math.js";

/** @typedef {import("./gl.js").GL} GL */
/** @typedef {import("./topology.js").Surface} Surface */
/** A shape of a body, in the body's axes. @typedef {{ owner: number, glass: boolean, place: ArrayLike<number>, rotation: ArrayLike<number> }} Instance */

/** From so many bodies on a shape is drawn by itself, instanced. */
const SHARED_BY = 8;

const MESH_VERTEX = `${VIEW_GLSL}${PAINTED_GLSL}
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 normal;
layout(location = 2) in uint owner;
layout(location = 3) in vec3 localPlace;
layout(location = 4) in vec4 localRotation;
out vec3 point, facing;
void main() {
  Body body;
  if (!painted(owner, body)) return;
  vec4 rotation = both(body.rotation, localRotation);
  point = body.position + turn(body.rotation, localPlace) + turn(rotation, corner);
  facing = turn(rotation, normal);
  gl_Position = clipFromWorld * vec4(point, 1.0);
}`;

const MESH_PIXEL_GLSL = `${PAINT_IN_GLSL}
in vec3 point, facing;
// The pixel's ray and the part of it that cuts leave; nothing is drawn outside of it.
Ray rayWithin(out vec3 seen) {
  Ray ray = rayTo(point);
  seen = visiblePart(ray);
  float at = dot(point - ray.origin, ray.direction);
  if (at < seen.x || at > seen.y) discard;
  return ray;
}`;

const MESH_FRAGMENT = `${VIEW_GLSL}${SURFACE_GLSL}${MESH_PIXEL_GLSL}
uniform bool closed;
void main() {
  vec3 seen;
  Ray ray = rayWithin(seen);
  seeThrough(paint.a, id);
  vec3 normal = normalize(facing);
  // A back behind a cut is the inside of a solid: its cut face is drawn instead.
  if (!gl_FrontFacing && closed && seen.z >= 0.0) {
    gl_FragDepth = depthOf(ray.origin + seen.x * ray.direction);
    surface(paint.rgb, cuts[int(seen.z)].xyz, CUT_KIND, 1.0, id);
    return;
  }
  gl_FragDepth = gl_FragCoord.z;
  if (dot(normal, ray.direction) > 0.0 && !gl_FrontFacing) normal = -normal;
  surface(paint.rgb, normal, OUTSIDE_KIND, 1.0, id);
}`;

const MESH_GLASS_FRAGMENT = `${VIEW_GLSL}${GLASS_GLSL}${MESH_PIXEL_GLSL}
void main() {
  vec3 seen;
  Ray ray = rayWithin(seen);
  glass(paint.rgb, normalize(facing), ray.direction);
}`;

/** @typedef {{ array: WebGLVertexArrayObject, corners: number, instances: number, closed: boolean }} Batch */

export class Meshes {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.programs = new SolidAndGlass(gl, "meshes", MESH_VERTEX, MESH_FRAGMENT, MESH_GLASS_FRAGMENT);
    /** @type {Batch[]} */
    this.batches = [];
    /** @type {Map<Surface, Instance[]>} */
    this.uses = new Map();
    this.hasGlass = false;
  }

  /** @param {Surface} surface @param {Instance} instance */
  add(surface, instance) {
    this.hasGlass = this.hasGlass || instance.glass;
    const uses = this.uses.get(surface);
    if (uses) uses.push(instance);
    else this.uses.set(surface, [instance]);
  }

  /** Sends what was added to the card. */
  finish() {
    for (const closed of [true, false]) {
      const few = [...this.uses].filter(([s, uses]) => uses.length < SHARED_BY && s.closed === closed);
      if (few.length > 0) this.batches.push(this.listBatch(few, closed));
    }
    for (const [surface, uses] of this.uses) {
      if (uses.length >= SHARED_BY) this.batches.push(this.sharedBatch(surface, uses));
    }
    this.uses.clear();
  }

  /** @param {[Surface, Instance[]][]} few @param {boolean} closed @returns {Batch} */
  listBatch(few, closed) {
    const count = few.reduce((sum, [s, uses]) => sum + uses.length * (s.corners.length / 3), 0);
    const corners = new Float32Array(3 * count);
    const normals = new Float32Array(3 * count);
    const owners = new Uint32Array(count);
    let at = 0;
    for (const [surface, uses] of few) {
      for (const { owner, place, rotation } of uses) {
        for (let k = 0; k < surface.corners.length; k += 3, at += 1) {
          const p = rotate(rotation, surface.corners.subarray(k, k + 3));
          corners.set([p[0] + place[0], p[1] + place[1], p[2] + place[2]], 3 * at);
          normals.set(rotate(rotation, surface.normals.subarray(k, k + 3)), 3 * at);
          owners[at] = owner;
        }
      }
    }
    const array = this.makeArray(corners, normals);
    sendOwners(this.gl, owners, 2, 0);
    this.gl.bindVertexArray(null);
    return { array, corners: count, instances: 1, closed };
  }

  /** @param {Surface} surface @param {Instance[]} uses @returns {Batch} */
  sharedBatch(surface, uses) {
    const { gl } = this;
    const array = this.makeArray(surface.corners, surface.normals);
    sendOwners(gl, new Uint32Array(uses.map((u) => u.owner)), 2, 1);
    const poses = new Float32Array(7 * uses.length);
    uses.forEach(({ place, rotation }, k) => {
      poses.set([place[0], place[1], place[2], rotation[0], rotation[1], rotation[2], rotation[3]], 7 * k);
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, poses, gl.STATIC_DRAW);
    for (const [location, size, from] of [[3, 3, 0], [4, 4, 12]]) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, 28, from);
      gl.vertexAttribDivisor(location, 1);
    }
    gl.bindVertexArray(null);
    return { array, corners: surface.corners.length / 3, instances: uses.length, closed: surface.closed };
  }

  /** @param {Float32Array} corners @param {Float32Array} normals */
  makeArray(corners, normals) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    [corners, normals].forEach((data, location) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 0, 0);
    });
    return array;
  }

  /** @param {import("./renderer.js").Pass} pass */
  draw(pass) {
    if (this.batches.length === 0 || (pass.glass && !this.hasGlass)) return;
    const { gl } = this;
    const program = this.programs.use(pass);
    // What the arrays do not give: no pose of their own.
    gl.vertexAttrib3f(3, 0, 0, 0);
    gl.vertexAttrib4f(4, 0, 0, 0, 1);
    for (const batch of this.batches) {
      gl.uniform1i(program.at("closed"), batch.closed ? 1 : 0);
      gl.bindVertexArray(batch.array);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, batch.corners, batch.instances);
      pass.count(1, batch.instances);
    }
  }
}

/** A part of a compound in its body's axes, within another pose. @param {Instance} outer @param {ArrayLike<number>} place @param {ArrayLike<number>} rotation @returns {Instance} */
export function within(outer, place, rotation) {
  const p = rotate(outer.rotation, place);
  return {
    ...outer,
    place: [p[0] + outer.place[0], p[1] + outer.place[1], p[2] + outer.place[2]],
    rotation: quatProduct(outer.rotation, rotation),
  };
}
