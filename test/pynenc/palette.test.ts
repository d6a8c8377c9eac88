/**
 * The palette of statuses, as people see it who lack the cones for green (deuteranopia) or for red (protanopia): Machado, Oliveira and
 * Fernandes 2009, severity 1, on linear RGB. Distances are those of OKLab, where about 0.02 is just told apart side by side.
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
/** Held distances between any two families. */
const LEAST = { light: 0.09, dark: 0.12 } as const;

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

function oklab(rgb: Triple): Triple {
  const cones: Triple = [
    Math.cbrt(dot([0.4122214708, 0.5363325363, 0.0514459929], rgb)),
    Math.cbrt(dot([0.2119034982, 0.6806995451, 0.1073969566], rgb)),
    Math.cbrt(dot([0.0883024619, 0.2817188376, 0.6299787005], rgb)),
  ];
  return [
    dot([0.2104542553, 0.793617785, -0.0040720468], cones),
    dot([1.9779984951, -2.428592205, 0.4505937099], cones),
    dot([0.0259040371, 0.7827717662, -0.808675766], cones),
  ];
}

function distance(one: string, other: string, sight: string): number {
  const [a, b] = [oklab(seen(one, sight)), oklab(seen(other, sight))];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
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
    expect(near.filter((pair) => pair.distance < LEAST[ground])).toEqual([]);
  });

  test("have enough contrast to the background for marks", () => {
    const faint = FAMILIES.flatMap((family) =>
      GROUNDS[ground].map((under) => ({ family, under, ratio: contrast(FAMILY_COLOURS[family][ground], under) })),
    );
    expect(faint.filter(({ ratio }) => ratio < 3)).toEqual([]);
  });
});

test("the simulated sight is right: red and green look alike, blue and yellow do not", () => {
  expect(distance("#b4443a", "#5c7a1c", "deuteranopia")).toBeLessThan(0.06);
  expect(distance("#b4443a", "#5c7a1c", "all")).toBeGreaterThan(0.2);
  expect(distance("#0000ff", "#ffff00", "deuteranopia")).toBeGreaterThan(0.5);
  expect(distance("#0000ff", "#ffff00", "protanopia")).toBeGreaterThan(0.5);
});

test("the statuses of a colour family have different shapes, one of them a disc", () => {
  const all = [...STATUSES, statusInfo("resumed"), statusInfo("no such word")];
  for (const family of FAMILIES) {
    const glyphs = all.filter((status) => status.family === family).map(({ glyph }) => glyph);
    expect(glyphs, family).toContain("disc");
    expect(new Set(glyphs).size, family).toBe(glyphs.length);
  }
});
