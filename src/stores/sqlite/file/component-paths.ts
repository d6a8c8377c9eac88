import { COMPONENTS, type ComponentName } from "../../ports/common.ts";

/** The file of each component; usually five times the same. */
export type ComponentPaths = Readonly<Record<ComponentName, string>>;

/** The same file for all five components. */
export function onePath(path: string): ComponentPaths {
  return Object.fromEntries(COMPONENTS.map((c) => [c, path])) as Record<ComponentName, string>;
}
