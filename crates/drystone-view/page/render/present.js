// The last step: samples are gathered while nothing moves, and shown with outlines of chosen bodies.

import { bindTexture, makeProgram } from "./gl.js";
import { SCREEN_VERTEX, SHOULDER_GLSL } from "./shade.js";

/** @typedef {import("./gl.js").GL} GL */

const GATHER_FRAGMENT = `
in vec2 uv;
out vec4 outGather;
uniform sampler2D shaded;
uniform float weight;
void main() { outGather = vec4(texture(shaded, uv).rgb, weight); }`;

const PRESENT_FRAGMENT = `
in vec2 uv;
out vec4 outPicture;
uniform sampler2D shaded, gathered;
uniform highp usampler2D ids;
uniform float settled; // 0 while things move, 1 when the gathered picture is good
uniform uint chosen, hovered;
uniform float outline; // px
${SHOULDER_GLSL}
float luma(vec3 c) { return dot(sqrt(c), vec3(0.299, 0.587, 0.114)); }
// Smooths stairs: after Timothy Lottes, FXAA (2009), in its short form.
vec3 smoothed() {
  vec2 pixel = 1.0 / vec2(textureSize(shaded, 0));
  vec3 m = texture(shaded, uv).rgb;
  float nw = luma(texture(shaded, uv + vec2(-1.0, 1.0) * pixel).rgb), ne = luma(texture(shaded, uv + pixel).rgb);
  float sw = luma(texture(shaded, uv - pixel).rgb), se = luma(texture(shaded, uv + vec2(1.0, -1.0) * pixel).rgb);
  float mid = luma(m);
  float low = min(mid, min(min(nw, ne), min(sw, se))), high = max(mid, max(max(nw, ne), max(sw, se)));
  if (high - low < max(0.04, high * 0.12)) return m;
  vec2 way = vec2(-((nw + ne) - (sw + se)), (nw + sw) - (ne + se));
  float scale_ = 1.0 / (min(abs(way.x), abs(way.y)) + max((nw + ne + sw + se) * 0.03125, 0.0078125));
  way = clamp(way * scale_, -8.0, 8.0) * pixel;
  way.y = -way.y;
  vec3 a = 0.5 * (texture(shaded, uv + way * (1.0 / 3.0 - 0.5)).rgb + texture(shaded, uv + way * (2.0 / 3.0 - 0.5)).rgb);
  vec3 b = 0.5 * a + 0.25 * (texture(shaded, uv - 0.5 * way).rgb + texture(shaded, uv + 0.5 * way).rgb);
  float l = luma(b);
  return l < low || l > high ? a : b;
}
float outlineOf(uint id) {
  if (id == 0u) return 0.0;
  ivec2 at = ivec2(gl_FragCoord.xy), size = textureSize(ids, 0) - 1;
  bool inside = texelFetch(ids, min(at, size), 0).r == id;
  float found = 0.0;
  for (int k = 0; k < 8; k++) {
    float angle = 0.785398 * float(k);
    ivec2 to = clamp(at + ivec2(round(outline * vec2(cos(angle), sin(angle)))), ivec2(0), size);
    if ((texelFetch(ids, to, 0).r == id) != inside) found += 0.34;
  }
  return min(found, 1.0) * (inside ? 0.55 : 1.0);
}
vec3 encode(vec3 v) {
  return mix(12.92 * v, 1.055 * pow(max(v, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, v));
}
void main() {
  vec3 color = settled >= 1.0 ? vec3(0.0) : smoothed();
  if (settled > 0.0) color = mix(color, shoulder(texture(gathered, uv).rgb), settled);
  color = encode(color);
  color = mix(color, vec3(1.0, 0.45, 0.05), 0.95 * outlineOf(chosen));
  if (hovered != chosen) color = mix(color, vec3(0.12, 0.5, 0.95), 0.8 * outlineOf(hovered));
  outPicture = vec4(color, 1.0);
}`;

export class Presenter {
  /** @param {GL} gl @param {import("./shade.js").Shading} shading */
  constructor(gl, shading) {
    this.gl = gl;
    this.shading = shading;
    this.gatherProgram = makeProgram(gl, "gather", SCREEN_VERTEX, GATHER_FRAGMENT);
    this.presentProgram = makeProgram(gl, "present", SCREEN_VERTEX, PRESENT_FRAGMENT);
  }

  /** Adds a sample to the mean. @param {import("./renderer.js").Buffers} buffers @param {number} count of samples with this one */
  gather(buffers, count) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.gatherTarget);
    gl.viewport(0, 0, buffers.width, buffers.height);
    const program = this.shading.screen(this.gatherProgram);
    bindTexture(gl, program, "shaded", 0, buffers.shade);
    gl.uniform1f(program.at("weight"), 1 / count);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.shading.fill();
    gl.disable(gl.BLEND);
  }

  /**
   * @param {import("./renderer.js").Buffers} buffers @param {WebGLFramebuffer | null} target
   * @param {{ settled: number, chosen: number, hovered: number, outline: number, shaded?: WebGLTexture | null }} what
   */
  show(buffers, target, what) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.viewport(0, 0, buffers.width, buffers.height);
    const program = this.shading.screen(this.presentProgram);
    bindTexture(gl, program, "shaded", 0, buffers.moving);
    bindTexture(gl, program, "gathered", 1, buffers.gathered);
    bindTexture(gl, program, "ids", 2, buffers.id);
    gl.uniform1f(program.at("settled"), what.settled);
    gl.uniform1ui(program.at("chosen"), what.chosen);
    gl.uniform1ui(program.at("hovered"), what.hovered);
    gl.uniform1f(program.at("outline"), what.outline);
    this.shading.fill();
  }
}
