/** How many cases a property is tried on. `npm run test:unit` is for quick answers and takes a part of them; the whole suite takes all. */
const FEW = process.env.PROPERTY_CASES === "few";

export function cases(all: number): number {
  return FEW ? Math.ceil(all / 4) : all;
}
