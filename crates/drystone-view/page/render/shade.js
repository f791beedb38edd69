// How light each pixel is: the lamp with shadows, the sky that corners see little of, a little shine.
// The figures and formulas are those of the stills, `render/shade.rs`: the two must not drift apart.

import { bindTexture, makeProgram } from "./gl.js";

/** @typedef {import("./gl.js").GL} GL */

/** One triangle over the whole picture. */
export const SCREEN_VERTEX = `
out vec2 uv;
void main() {
  uv = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));
  gl_Position = vec4(uv * 2.0 - 1.0, 0.0, 1.0);
}`;

/** Bends what is brighter than paper back below white. */
export const SHOULDER_GLSL = `
vec3 shoulder(vec3 v) {
  return min(v, vec3(0.8)) + 0.2 * (1.0 - exp(-max(v - 0.8, vec3(0.0)) / 0.2));
}`;

const SHADE_FRAGMENT = `
in vec2 uv;
out vec4 outShade;
uniform sampler2D colors, normals, depths, openness;
uniform highp sampler2DShadow lampMap, skyMap;
uniform mat4 worldFromClip, lampFromWorld, skyFromWorld;
uniform vec3 lamp, lampAt, skyAt, eye, forward, skyTop, skyBottom, groundColor;
uniform vec4 ground;     // the ground's normal and place
uniform float perspective_, lampTexel, skyTexel, hasGround;
uniform bool sampled;    // one lamp point and one sky direction of many
const vec3 LAMP = vec3(0.96, 0.93, 0.88);
const vec3 SKY0 = vec3(0.43, 0.46, 0.50), SKY1 = vec3(0.35, 0.36, 0.38), SKY2 = vec3(0.15, 0.145, 0.14);
const float RETURNED = 0.24, RIM = 0.10;
vec3 sky(float rise) {
  return rise > 0.0 ? mix(SKY1, SKY0, rise) : mix(SKY1, SKY2, min(-3.0 * rise, 1.0));
}
// 1 where the light reaches the point.
float seenFrom(highp sampler2DShadow map, mat4 mapFromWorld, vec3 point, float spread) {
  vec4 clip = mapFromWorld * vec4(point, 1.0);
  vec3 at = 0.5 * clip.xyz / clip.w + 0.5;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  if (spread == 0.0) return texture(map, at);
  float sum = 0.0;
  for (int y = -1; y <= 1; y++) {
    for (int x = -1; x <= 1; x++) sum += texture(map, vec3(at.xy + spread * vec2(x, y), at.z));
  }
  return sum / 9.0;
}
${SHOULDER_GLSL}
// One sample may be much brighter than their mean: the shoulder comes after gathering, and what is
// to stay as it is goes through its inverse first.
vec3 straight(vec3 v) { return sampled ? v : shoulder(v); }
vec3 asIs(vec3 v) {
  return sampled ? min(v, vec3(0.8)) - 0.2 * log(1.0 - min(max(v - 0.8, vec3(0.0)), vec3(0.1999)) / 0.2) : v;
}
// Light that the ground sends back where a ray from a point meets it.
vec3 fromGround(vec3 point, vec3 direction) {
  float lit = 1.0;
  float speed = dot(direction, ground.xyz);
  if (speed < 0.0) {
    vec3 at = point + direction * ((ground.w - dot(ground.xyz, point)) / speed);
    lit = seenFrom(lampMap, lampFromWorld, at + lampTexel * ground.xyz, 0.0);
  }
  return groundColor * (SKY1 * 0.6 + LAMP * max(dot(ground.xyz, lamp), 0.0) * lit) * 0.8;
}
void main() {
  vec3 behind = asIs(mix(skyBottom, skyTop, uv.y));
  float depth = texture(depths, uv).r;
  if (depth >= 1.0) { outShade = vec4(behind, 1.0); return; }
  vec4 stored = texture(colors, uv), packed_ = texture(normals, uv);
  vec3 own = stored.rgb;
  float kind = floor(packed_.a * 3.0 + 0.5);
  vec3 normal = normalize(packed_.xyz * 2.0 - 1.0);
  if (kind == 1.0) { // a cut face: flat, so that its colour is that of the legend
    outShade = vec4(asIs(mix(own, vec3(1.0), 0.04) * 0.94), 1.0);
    return;
  }
  vec4 place = worldFromClip * vec4(vec3(uv, depth) * 2.0 - 1.0, 1.0);
  vec3 point = place.xyz / place.w;
  vec3 direction = perspective_ > 0.5 ? normalize(point - eye) : forward;
  if (kind == 3.0) { // a mark
    float facing = 0.5 + 0.5 * dot(normal, lamp);
    outShade = vec4(straight(own * (0.45 + 0.75 * facing)), 1.0);
    return;
  }
  float slant = max(dot(normal, lampAt), 0.0);
  float lit = 0.0;
  if (slant > 0.0) {
    // Farther for the wide filter: its outer taps see the slanted surface itself.
    float lift = lampTexel * (1.0 + 1.5 * (1.0 - slant)) * (sampled ? 1.0 : 2.4);
    vec3 lifted = point + normal * lift + lampAt * lampTexel * 0.5;
    lit = seenFrom(lampMap, lampFromWorld, lifted, sampled ? 0.0 : 1.3 / float(textureSize(lampMap, 0).x));
  }
  float rise = normal.z;
  vec3 light;
  if (sampled) {
    float weight = 4.0 * max(dot(normal, skyAt), 0.0);
    vec3 arriving = own * RETURNED;
    if (weight > 0.0) {
      vec3 lifted = point + normal * skyTexel * 1.5 + skyAt * skyTexel;
      float open = seenFrom(skyMap, skyFromWorld, lifted, 0.0);
      vec3 far = skyAt.z < 0.0 && hasGround > 0.5 ? fromGround(point, skyAt) : sky(skyAt.z);
      arriving = mix(arriving, far, open);
    }
    light = weight * arriving;
  } else {
    float open = texture(openness, uv).r;
    float above = 0.5 + 0.5 * rise;
    vec3 below = hasGround > 0.5 ? groundColor * (SKY1 * 0.6 + LAMP * max(lamp.z, 0.0) * 0.5) * 0.8 : mix(SKY1, SKY2, 0.8);
    light = mix(own * RETURNED, mix(SKY1, SKY0, 0.6) * above + below * (1.0 - above), open);
  }
  light += LAMP * slant * lit;
  vec3 shine = vec3(0.0);
  if (kind == 0.0) {
    float glint = max(dot(normal, normalize(lampAt - direction)), 0.0);
    shine = LAMP * (0.10 * pow(glint, 48.0) * lit);
    float grazing = clamp(1.0 + dot(normal, direction), 0.0, 1.0);
    shine += SKY0 * (RIM * pow(grazing, 3.0) * (0.5 + 0.5 * rise));
  }
  outShade = vec4(mix(behind, straight(own * light + shine), stored.a), 1.0);
}`;

const OPENNESS_FRAGMENT = `
in vec2 uv;
out vec4 outOpen;
uniform sampler2D normals, depths;
uniform mat4 worldFromClip;
uniform vec3 eye;
uniform float perspective_, reach, pixels; // m; px that a metre takes at distance 1, or at all
const int TAPS = 12;
vec3 pointAt(vec2 at, float depth) {
  vec4 place = worldFromClip * vec4(vec3(at, depth) * 2.0 - 1.0, 1.0);
  return place.xyz / place.w;
}
void main() {
  float depth = texture(depths, uv).r;
  if (depth >= 1.0) { outOpen = vec4(1.0); return; }
  vec3 point = pointAt(uv, depth);
  vec3 normal = normalize(texture(normals, uv).xyz * 2.0 - 1.0);
  vec2 size = vec2(textureSize(depths, 0));
  float far = perspective_ > 0.5 ? distance(point, eye) : 1.0;
  float disc = min(pixels * reach / far, 160.0);
  // Another turn in each pixel of a square of 4 × 4, which the blur takes together.
  ivec2 cell = ivec2(gl_FragCoord.xy) & 3;
  float turn = float((cell.x * 4 + cell.y * 7 + cell.x * cell.y * 3) & 15) / 16.0 * 6.2831853;
  float sum = 0.0;
  for (int k = 0; k < TAPS; k++) {
    float share = (float(k) + 0.5) / float(TAPS);
    float angle = turn + share * 6.2831853 * 5.0;
    vec2 at = uv + vec2(cos(angle), sin(angle)) * disc * share / size;
    vec3 off = pointAt(at, texture(depths, at).r) - point;
    float square = dot(off, off);
    float near = max(reach * reach - square, 0.0);
    sum += near * near * near * max((dot(off, normal) - 0.02 * reach) / (square + 0.01 * reach * reach), 0.0);
  }
  float closed = sum * 5.0 / (float(TAPS) * pow(reach, 5.0));
  outOpen = vec4(max(1.0 - closed, 0.0));
}`;

const BLUR_FRAGMENT = `
in vec2 uv;
out vec4 outOpen;
uniform sampler2D openness, depths;
void main() {
  vec2 pixel = 1.0 / vec2(textureSize(openness, 0));
  float here = texture(depths, uv).r;
  float sum = 0.0, weights = 0.0;
  for (int y = 0; y < 4; y++) {
    for (int x = 0; x < 4; x++) {
      vec2 at = uv + (vec2(x, y) - 1.5) * pixel;
      // Not across the outline of what is before something else.
      float weight = abs(texture(depths, at).r - here) < 0.02 * (1.0 - here) + 1e-5 ? 1.0 : 0.02;
      sum += weight * texture(openness, at).r;
      weights += weight;
    }
  }
  outOpen = vec4(sum / weights);
}`;

export class Shading {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.shade = makeProgram(gl, "shade", SCREEN_VERTEX, SHADE_FRAGMENT);
    this.open = makeProgram(gl, "openness", SCREEN_VERTEX, OPENNESS_FRAGMENT);
    this.blur = makeProgram(gl, "blur", SCREEN_VERTEX, BLUR_FRAGMENT);
    this.empty = gl.createVertexArray();
  }

  /** @param {import("./gl.js").Program} program */
  screen(program) {
    const { gl } = this;
    gl.useProgram(program.handle);
    gl.bindVertexArray(this.empty);
    gl.disable(gl.DEPTH_TEST);
    gl.depthMask(false);
    return program;
  }

  fill() {
    const { gl } = this;
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
  }

  /** @param {import("./renderer.js").Buffers} buffers @param {import("./surroundings.js").Light} light */
  occlude(buffers, light) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.openTarget);
    gl.viewport(0, 0, buffers.openWidth, buffers.openHeight);
    const open = this.screen(this.open);
    bindTexture(gl, open, "normals", 0, buffers.normal);
    bindTexture(gl, open, "depths", 1, buffers.depth);
    gl.uniformMatrix4fv(open.at("worldFromClip"), false, light.worldFromClip);
    gl.uniform3fv(open.at("eye"), light.eye);
    gl.uniform1f(open.at("perspective_"), light.flat ? 0 : 1);
    gl.uniform1f(open.at("reach"), light.reach);
    gl.uniform1f(open.at("pixels"), light.pixels);
    this.fill();
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.blurTarget);
    const blur = this.screen(this.blur);
    bindTexture(gl, blur, "openness", 0, buffers.open);
    bindTexture(gl, blur, "depths", 1, buffers.depth);
    this.fill();
  }

  /** @param {import("./renderer.js").Buffers} buffers @param {import("./surroundings.js").Light} light */
  draw(buffers, light) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.shadeTarget);
    gl.viewport(0, 0, buffers.width, buffers.height);
    const program = this.screen(this.shade);
    [["colors", buffers.color], ["normals", buffers.normal], ["depths", buffers.depth], ["openness", buffers.blurred],
      ["lampMap", light.lampMap.texture], ["skyMap", light.skyMap.texture]].forEach(([name, texture], unit) => {
      bindTexture(gl, program, /** @type {string} */ (name), unit, /** @type {WebGLTexture} */ (texture));
    });
    gl.uniformMatrix4fv(program.at("worldFromClip"), false, light.worldFromClip);
    gl.uniformMatrix4fv(program.at("lampFromWorld"), false, light.lampMap.matrix);
    gl.uniformMatrix4fv(program.at("skyFromWorld"), false, light.skyMap.matrix);
    for (const name of /** @type {const} */ (["lamp", "lampAt", "skyAt", "eye", "forward", "skyTop", "skyBottom", "groundColor"])) {
      gl.uniform3fv(program.at(name), light[name]);
    }
    gl.uniform4fv(program.at("ground"), light.ground);
    gl.uniform1f(program.at("hasGround"), light.hasGround ? 1 : 0);
    gl.uniform1f(program.at("perspective_"), light.flat ? 0 : 1);
    gl.uniform1f(program.at("lampTexel"), light.lampMap.texel);
    gl.uniform1f(program.at("skyTexel"), light.skyMap.texel);
    gl.uniform1i(program.at("sampled"), light.sampled ? 1 : 0);
    this.fill();
  }
}
