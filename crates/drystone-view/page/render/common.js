// What the shaders have in common.

/** Camera and cuts, rays, and what a ray may see between the cuts. */
export const VIEW_GLSL = `
layout(std140) uniform View {
  mat4 clipFromWorld;
  vec4 eyeAndKind;     // w: 1 in perspective, 0 with parallel rays
  vec4 forwardAndHalf; // w: half the picture's height, m or a tangent
  vec4 rightAndWidth;  // w: px
  vec4 upAndHeight;    // w: px
  vec4 cuts[3];        // what has normal · x > w is cut away
  vec4 jitter;         // by how much the picture is shifted, from -1 to 1; z: number of cuts
};
struct Ray { vec3 origin; vec3 direction; };
// The ray to a point. With parallel rays it starts beside the point, so that digits are kept.
Ray rayTo(vec3 point) {
  if (eyeAndKind.w > 0.5) return Ray(eyeAndKind.xyz, normalize(point - eyeAndKind.xyz));
  return Ray(point - forwardAndHalf.xyz * dot(point - eyeAndKind.xyz, forwardAndHalf.xyz), forwardAndHalf.xyz);
}
// Enter, exit and which cut it enters through, -1 for none.
vec3 visiblePart(Ray ray) {
  float enter = eyeAndKind.w > 0.5 ? 0.0 : -1e20;
  float leave = 1e20;
  float which = -1.0;
  for (int k = 0; k < int(jitter.z); k++) {
    float height = dot(ray.origin, cuts[k].xyz) - cuts[k].w;
    float speed = dot(ray.direction, cuts[k].xyz);
    if (speed < 0.0 && -height / speed > enter) {
      enter = -height / speed;
      which = float(k);
    } else if (speed > 0.0) {
      leave = min(leave, -height / speed);
    } else if (speed == 0.0 && height > 0.0) {
      leave = -1e21;
    }
  }
  return vec3(enter, leave, which);
}
float depthOf(vec3 point) {
  vec4 clip = clipFromWorld * vec4(point, 1.0);
  return clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
}
// Metres a pixel shows at a point.
float pixelSize(vec3 point) {
  float depth = eyeAndKind.w > 0.5 ? distance(point, eyeAndKind.xyz) : 1.0;
  return 2.0 * forwardAndHalf.w * depth / upAndHeight.w;
}
vec3 turn(vec4 q, vec3 v) {
  vec3 t = 2.0 * cross(q.xyz, v);
  return v + q.w * t + cross(q.xyz, t);
}
vec3 turnBack(vec4 q, vec3 v) { return turn(vec4(-q.xyz, q.w), v); }
vec4 both(vec4 a, vec4 b) {
  return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}
`;

/** Poses and looks of bodies, from textures, between two frames. */
export const BODIES_GLSL = `
uniform highp sampler2D positionA, positionB, valueA, valueB, colorMap;
uniform highp isampler2D rotationA, rotationB;
uniform highp usampler2D looks, flagsOf;
uniform float blend;       // share of the way from frame A to frame B
uniform vec3 period;       // of a periodic box, 0 where there is none
uniform vec3 shiftBy;      // of a periodic image
uniform vec4 mapRange;     // low, high, 1 for powers of ten, unused
uniform uint wantedFlags;  // which bodies are drawn: mask in the low byte, value in the next
const uint HIDDEN = 1u, GLASS = 2u, MAPPED = 4u, CHOSEN = 8u;
struct Body { vec3 position; vec4 rotation; vec3 color; float opacity; bool shown; };
ivec2 texelOf(uint body) { return ivec2(int(body & 2047u), int(body >> 11)); }
vec3 toLinear3(vec3 c) {
  return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}
vec4 slerp4(vec4 a, vec4 b, float t) {
  float c = dot(a, b);
  if (c < 0.0) { b = -b; c = -c; }
  if (c > 0.9995) return normalize(mix(a, b, t));
  float angle = acos(c);
  return (sin((1.0 - t) * angle) * a + sin(t * angle) * b) / sin(angle);
}
vec3 mapColor(ivec2 at, float low, float high, float isLog) {
  float value = texelFetch(valueA, at, 0).r;
  if (blend > 0.0) value = mix(value, texelFetch(valueB, at, 0).r, blend);
  if (isnan(value)) return vec3(0.318);
  float share = isLog > 0.5 ? (value <= 0.0 ? 0.0 : log(value / low) / log(high / low)) : (value - low) / (high - low);
  if (high == low) share = 0.5;
  return texture(colorMap, vec2((clamp(share, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
}
Body bodyAt(uint number) {
  ivec2 at = texelOf(number);
  Body body;
  uint flags = texelFetch(flagsOf, at, 0).r;
  body.position = texelFetch(positionA, at, 0).xyz;
  body.shown = (flags & (wantedFlags & 255u)) == (wantedFlags >> 8) && body.position.x < 5e29;
  if (!body.shown) return body;
  body.rotation = normalize(vec4(texelFetch(rotationA, at, 0)));
  if (blend > 0.0) {
    vec3 next = texelFetch(positionB, at, 0).xyz;
    if (next.x < 5e29) {
      vec3 step = next - body.position;
      step -= period * round(step / max(period, vec3(1e-30)));
      body.position += blend * step;
      body.rotation = slerp4(body.rotation, normalize(vec4(texelFetch(rotationB, at, 0))), blend);
    }
  }
  body.position += shiftBy;
  vec4 look = vec4(texelFetch(looks, at, 0)) / 255.0;
  body.opacity = look.a;
  body.color = (flags & MAPPED) != 0u ? mapColor(at, mapRange.x, mapRange.y, mapRange.z) : toLinear3(look.rgb);
  return body;
}
const vec4 OUTSIDE = vec4(2.0, 2.0, 2.0, 1.0); // beyond the picture: drawn nowhere
`;

/** What a corner tells the pixels of its shape: linear colour and opacity, and the body's number plus one. */
export const PAINT_OUT_GLSL = `
flat out vec4 paint;
flat out uint id;
`;
export const PAINT_IN_GLSL = PAINT_OUT_GLSL.replaceAll("flat out", "flat in");

/** Poses and looks of bodies, and what a corner of one begins with. */
export const PAINTED_GLSL = `${BODIES_GLSL}${PAINT_OUT_GLSL}
// The body of a corner, and its paint; false where nothing of it is drawn.
bool painted(uint number, out Body body) {
  gl_Position = OUTSIDE;
  body = bodyAt(number);
  if (!body.shown) return false;
  paint = vec4(body.color, body.opacity);
  id = number + 1u;
  return true;
}
`;

/** Stochastic transparency. */
export const SEE_THROUGH_GLSL = `
uniform float sampleNumber;
float noise(vec2 at) {
  return fract(52.9829189 * fract(dot(at, vec2(0.06711056, 0.00583715))));
}
// Leaves out a share of the pixels, another one in each sample: their mean is a transparent body.
void seeThrough(float opacity, uint id) {
  if (opacity > 0.995) return;
  float seed = 1.618034 * sampleNumber + 0.377 * float(id & 255u);
  if (opacity <= fract(noise(gl_FragCoord.xy) + seed)) discard;
}
`;

/** What surfaces write. */
export const SURFACE_GLSL = `${SEE_THROUGH_GLSL}
layout(location = 0) out vec4 outColor;  // linear colour, cover
layout(location = 1) out vec4 outNormal; // normal, kind in two bits
layout(location = 2) out uint outId;
const float OUTSIDE_KIND = 0.0, CUT_KIND = 1.0, PLANE_KIND = 2.0, PLAIN_KIND = 3.0;
void surface(vec3 color, vec3 normal, float kind, float cover, uint id) {
  outColor = vec4(color, cover);
  outNormal = vec4(0.5 * normal + 0.5, kind / 3.0);
  outId = id;
}
// Where a ray meets a solid that it is in from span.x to span.y, of which it sees a part: on a cut or on the
// surface. Nothing is drawn where it misses.
float firstMet(vec2 span, vec3 seen, out bool isCut) {
  if (span.x > span.y || span.y < seen.x || span.x > seen.y) discard;
  isCut = seen.z >= 0.0 && seen.x > span.x;
  return max(span.x, seen.x);
}
`;

/** How glass looks; as `through` in `render/shade.rs`. */
export const GLASS_GLSL = `
layout(location = 0) out vec4 outGlass;
uniform vec3 lamp;
uniform int layer; // 0 where rays enter, 1 where they leave
// Where a ray meets the side that is drawn, if it sees it.
float sideMet(vec2 span, vec3 seen) {
  float at = layer == 0 ? span.x : span.y;
  if (span.x > span.y || at < seen.x || at > seen.y) discard;
  return at;
}
void glass(vec3 color, vec3 normal, vec3 direction) {
  if (dot(normal, direction) > 0.0) normal = -normal;
  float facing = clamp(-dot(normal, direction), 0.0, 1.0);
  float cover = 0.016 + 0.30 * pow(1.0 - facing, 5.0);
  float glint = max(dot(normal, normalize(lamp - direction)), 0.0);
  outGlass = vec4(color * cover + vec3(0.96, 0.93, 0.88) * 0.09 * pow(glint, 80.0), cover);
}
`;

/** Flags of a body, as the shaders know them. */
export const FLAG = { hidden: 1, glass: 2, mapped: 4 };
