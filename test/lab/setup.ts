/** Before any scenario: installs the releases that will be needed, once for all workers, and finds out what is missing. */
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { packageRoot } from "../../src/package-root.ts";
import { environmentOf, findPython, installWheel, packagesCanBeHad } from "./python.ts";
import { NEWEST, RELEASES, type Version } from "./releases.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The Python of each release, and that with the plugin for MongoDB; null where scenarios are skipped. */
    environments: Partial<Record<Version | "mongo", string>> | null;
    /** Why scenarios are skipped; empty if they are not. */
    missing: string;
    /** The program under test, and the arguments that come before its own. */
    monitor: readonly [string, ...string[]];
  }
}

/** @throws if packages can be had, but a lock file does not install. */
export default async function setup({ provide }: TestProject): Promise<void> {
  const wheel = process.env.LAB_WHEEL ?? "";
  provide("monitor", [process.execPath, join(packageRoot(), "bin", "monitor.js")]);
  const python = findPython();
  if (python === null) return skip("Python 3.12 or newer");
  const wanted = RELEASES.map(({ version }) => version).filter(
    (version) =>
      (process.env.LAB_RELEASE ?? "") === version ||
      ((process.env.LAB_RELEASE ?? "") === "" && ((process.env.LAB_CORE ?? "") === "" || version === NEWEST)),
  );
  const mongo = ["", "mongodb"].includes(process.env.LAB_STORE ?? "");
  const environments: Partial<Record<Version | "mongo", string>> = {};
  try {
    for (const version of wanted) environments[version] = await environmentOf(`pynenc-${version}`, python);
    if (mongo) environments.mongo = await environmentOf("mongo", python);
    const [app] = Object.values(environments);
    if (wheel !== "" && app !== undefined) provide("monitor", [await installWheel(wheel, app)]);
  } catch (error) {
    if (await packagesCanBeHad(python)) throw error;
    return skip("Python packages, which cannot be had here");
  }
  provide("environments", environments);
  provide("missing", "");

  function skip(what: string): void {
    process.stderr.write(`The lab is skipped: it needs ${what}.\n`);
    provide("environments", null);
    provide("missing", what);
  }
}
