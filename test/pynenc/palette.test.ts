/**
 * The palette of statuses, as people see it who lack the cones for green (deuteranopia) or for red (protanopia): Machado, Oliveira and
 * Fernandes 2009, severity 1, on linear RGB. Distances are those of CIEDE2000, where about 2 is just distinguishable side by side.
 */
import { describe, expect, test } from "vitest";
import { FAMILY_COLOURS, STATUSES, type StatusFamily, statusInfo } from "../../src/pynenc/statuses.ts";

type Triple = readonly [number, number, number];

const SIGHTS: Readonly<Record<string, readonly [Triple, Triple, Triple]>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
};
const GROUNDS = { light: ["#ffffff", "#f6f7f9"], dark: ["#171b22", "#101318"] } as const;
/** Held distance between any two families. */
const LEAST = 20;

function linear(hex: string): Triple {
  const part = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

function dot([a, b, c]: Triple, [x, y, z]: Triple): number {
  return a * x + b * y + c * z;
}

function seen(hex: string, sight: string): Triple {
  const [red, green, blue] = SIGHTS[sight] ?? [];
  if (red === undefined || green === undefined || blue === undefined) throw new Error(sight);
  const within = (row: Triple) => Math.min(1, Math.max(0, dot(row, linear(hex))));
  return [within(red), within(green), within(blue)];
}

/** CIE L*a*b* for a white of D65. */
function lab(rgb: Triple): Triple {
  const bend = (t: number) => (t > 216 / 24_389 ? Math.cbrt(t) : ((24_389 / 27) * t + 16) / 116);
  const x = bend(dot([0.4124564, 0.3575761, 0.1804375], rgb) / 0.95047);
  const y = bend(dot([0.2126729, 0.7151522, 0.072175], rgb));
  const z = bend(dot([0.0193339, 0.119192, 0.9503041], rgb) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** CIEDE2000 (Sharma, Wu and Dalal 2005). */
function difference([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const degree = Math.PI / 180;
  const share = (chroma: number) => Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7));
  const stretched = 1 + (1 - share((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2)) / 2;
  const [chroma1, chroma2] = [Math.hypot(a1 * stretched, b1), Math.hypot(a2 * stretched, b2)];
  const hue = (b: number, a: number) => (Math.atan2(b, a * stretched) / degree + 360) % 360;
  const [hue1, hue2] = [hue(b1, a1), hue(b2, a2)];
  const grey = chroma1 * chroma2 === 0;
  const turn = grey ? 0 : ((hue2 - hue1 + 540) % 360) - 180;
  const between = grey ? hue1 + hue2 : (hue1 + turn / 2 + 360) % 360;
  const [lightness, chroma] = [(l1 + l2) / 2, (chroma1 + chroma2) / 2];
  const wave = (factor: number, offset: number) => Math.cos((factor * between + offset) * degree);
  const t = 1 - 0.17 * wave(1, -30) + 0.24 * wave(2, 0) + 0.32 * wave(3, 6) - 0.2 * wave(4, -63);
  const byLightness = (l2 - l1) / (1 + (0.015 * (lightness - 50) ** 2) / Math.sqrt(20 + (lightness - 50) ** 2));
  const byChroma = (chroma2 - chroma1) / (1 + 0.045 * chroma);
  const byHue = (2 * Math.sqrt(chroma1 * chroma2) * Math.sin((turn / 2) * degree)) / (1 + 0.015 * chroma * t);
  const rotation = -2 * share(chroma) * Math.sin(60 * Math.exp(-(((between - 275) / 25) ** 2)) * degree);
  return Math.sqrt(byLightness ** 2 + byChroma ** 2 + byHue ** 2 + rotation * byChroma * byHue);
}

function distance(one: string, other: string, sight: string): number {
  return difference(lab(seen(one, sight)), lab(seen(other, sight)));
}

function contrast(one: string, other: string): number {
  const light = (hex: string) => dot([0.2126, 0.7152, 0.0722], linear(hex)) + 0.05;
  return Math.max(light(one), light(other)) / Math.min(light(one), light(other));
}

const FAMILIES = Object.keys(FAMILY_COLOURS) as StatusFamily[];

describe.each(["light", "dark"] as const)("the status colours on a %s background", (ground) => {
  test.each(Object.keys(SIGHTS))("are distinguishable with the sight of %s", (sight) => {
    const near = FAMILIES.flatMap((one, index) =>
      FAMILIES.slice(index + 1).map((other) => ({
        pair: `${one} and ${other}`,
        distance: distance(FAMILY_COLOURS[one][ground], FAMILY_COLOURS[other][ground], sight),
      })),
    );
    expect(near).toHaveLength((FAMILIES.length * (FAMILIES.length - 1)) / 2);
    expect(near.filter((pair) => pair.distance < LEAST)).toEqual([]);
  });

  test("have enough contrast to the background for marks", () => {
    const faint = FAMILIES.flatMap((family) =>
      GROUNDS[ground].map((under) => ({ family, under, ratio: contrast(FAMILY_COLOURS[family][ground], under) })),
    );
    expect(faint.filter(({ ratio }) => ratio < 3)).toEqual([]);
  });
});

test("the simulated sight is right: red and green look alike, blue and yellow do not", () => {
  expect(distance("#b4443a", "#5c7a1c", "deuteranopia")).toBeLessThan(15);
  expect(distance("#b4443a", "#5c7a1c", "all")).toBeGreaterThan(40);
  expect(distance("#0000ff", "#ffff00", "deuteranopia")).toBeGreaterThan(80);
  expect(distance("#0000ff", "#ffff00", "protanopia")).toBeGreaterThan(80);
});

test.each([
  [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
  [[50, 2.5, 0], [73, 25, -18], 27.1492],
  [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
  [[6.7747, -0.2908, -2.4247], [5.8714, -0.0985, -2.2286], 0.6377],
  [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
] as const)("the distance of published pairs of colours is the published one: %j and %j", (one, other, published) => {
  expect(difference(one, other)).toBeCloseTo(published, 4);
});

test("the statuses of a colour family have different shapes, one of them a disc", () => {
  const all = [...STATUSES, statusInfo("resumed"), statusInfo("no such word")];
  for (const family of FAMILIES) {
    const glyphs = all.filter((status) => status.family === family).map(({ glyph }) => glyph);
    expect(glyphs, family).toContain("disc");
    expect(new Set(glyphs).size, family).toBe(glyphs.length);
  }
});
