import { readFileSync } from "node:fs";
import { packageRoot } from "../package-root.ts";

/** Version of pynenc-monitor, from its package.json. */
export function version(): string {
  const { version: found } = JSON.parse(readFileSync(`${packageRoot()}/package.json`, "utf8")) as { version: string };
  return found;
}
