const FEW = process.env.PROPERTY_CASES === "few";

/** How many of the cases of a property are tried: a quarter by `npm run test:unit`, which is for quick answers, and all by `npm test`. */
export function cases(all: number): number {
  return FEW ? Math.max(1, Math.round(all / 4)) : all;
}
