import { type DemoOptions, openDemo } from "../../src/demo/demo.ts";

/** A file with a demo that is not running. */
export function createDemo(options: DemoOptions): { path: string } {
  openDemo(options).db.close();
  return { path: options.path };
}
