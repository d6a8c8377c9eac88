/** Loads the driver. Its version is pinned: it is the newest that still speaks to MongoDB 3.6, for which pynenc's plugin is made (decisions/0013). */

type Driver = typeof import("mongodb");

let driver: Driver | null = null;

/** How long to look for a server that can answer: long enough to greet a distant one. */
export const SELECTION_MS = 2_500;

/** Loaded on first use, because it takes longer to load than the rest of the program. */
export async function loadDriver(): Promise<Driver> {
  driver ??= await import("mongodb");
  return driver;
}

/** The driver of an answer: an answer shows that it is loaded. */
export function loadedDriver(): Driver {
  if (driver === null) throw new Error("the driver is not loaded");
  return driver;
}

/** Null if the driver is not loaded: then the error is none of its own. */
export function driverOrNull(): Driver | null {
  return driver;
}
