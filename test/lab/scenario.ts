/** A situation that real runners get into, written once and run on each store and release that applies. */
import { spawnSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { MONGO_NEEDS } from "../support/mongodb-server.ts";
import { type LabStore, NEWEST, RELEASES, type Version } from "./releases.ts";
import { World } from "./world.ts";

export interface Scenario {
  /** What happens, as a sentence. */
  story: string;
  /** Module in `apps/`. */
  app?: string;
  /** pynenc's settings, by their environment variables. */
  settings?: Readonly<Record<string, string>>;
  /** Part of the short run of continuous integration: on SQLite with the newest release, and on MongoDB if it is named. */
  core?: true | "mongodb" | "sqlite and mongodb";
  /** Beside the newest release on SQLite: where else it runs. */
  also?: readonly (readonly [store: LabStore, version: Version])[];
  /** Where it runs instead of the newest release on SQLite. */
  only?: readonly (readonly [store: LabStore, version: Version])[];
}

/** Chosen by `npm run lab -- --store … --release …`; empty for all. */
const chosen = (name: string): string => process.env[name] ?? "";

/**
 * Tests of one situation: `happens` makes it in `beforeAll`, the tests ask about it. A failure prints the story so far, keeps the store, and says how
 * to look at it.
 */
export function scenario(options: Scenario, tests: (world: () => World) => void): void {
  const variants = (options.only ?? [["sqlite", NEWEST] as const, ...(options.also ?? [])]).filter(
    ([store, version]) =>
      (chosen("LAB_STORE") === "" || chosen("LAB_STORE") === store) &&
      (chosen("LAB_RELEASE") === "" || chosen("LAB_RELEASE") === version) &&
      (chosen("LAB_CORE") === "" || isCore(options.core, store, version)),
  );
  // A file of which nothing is chosen would count as failed.
  if (variants.length === 0) describe.skip(options.story, () => it("is not among the chosen ones", () => undefined));
  for (const [store, version] of variants) {
    const name = `${options.story} (pynenc ${version}, ${store})`;
    const missing = whatIsMissing(store);
    if (missing !== null) {
      describe.skip(`${name} (needs ${missing})`, () => tests(notMade));
      continue;
    }
    if (
      !RELEASES.some((release) => release.version === version && (release.stores as readonly string[]).includes(store))
    )
      throw new Error(`${store} cannot be run with pynenc ${version}`);
    describe(name, () => {
      let world: World | null = null;
      let failed = false;
      beforeAll(async () => {
        const { app = "work", settings = {} } = options;
        const program = inject("environments")?.[store === "mongodb" ? "mongo" : version] ?? notMade();
        world = await World.start({ store, app, app_id: "lab", settings, program });
      });
      afterEach(({ task }) => {
        if (task.result?.state === "fail") failed = true;
      });
      afterAll(async () => {
        if (failed && world !== null) {
          process.stderr.write(
            `\n${name}\n${world.truth.story().join("\n")}\nKept: ${world.folder}\n${world.monitor.command(["status"])}\n`,
          );
        }
        const to = chosen("LAB_RECORD");
        if (to !== "" && !failed) {
          const files = (await world?.record(to, fileName(name), name)) ?? [];
          process.stderr.write(`Recorded:\n${files.map((file) => `  ${file}\n`).join("")}`);
        }
        await world?.close(failed);
      });
      tests(() => world ?? notMade());
    });
  }
}

/**
 * A sentence or figure that is wrong today: an expected failure. It fails as soon as it is right; then it becomes an ordinary test, and the finding leaves
 * the table in README.md. Unlike `it.fails`, it also fails if the test itself breaks before it could compare anything.
 *
 * @param finding its name in that table.
 */
export function wrongToday(finding: string, title: string, test: () => Promise<void>): void {
  it(`${title} (wrong today: ${finding})`, async () => {
    const error: unknown = await test().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error !== null && (error as Error).name !== "AssertionError") throw error;
    expect(error, `this is right now: make it an ordinary test, and remove "${finding}" from README.md`).not.toBeNull();
  });
}

function isCore(core: Scenario["core"], store: LabStore, version: Version): boolean {
  if (store === "mongodb") return core === "mongodb" || core === "sqlite and mongodb";
  return store === "sqlite" && version === NEWEST && (core === true || core === "sqlite and mongodb");
}

function fileName(sentence: string): string {
  return sentence
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

function notMade(): never {
  throw new Error("the situation was not made");
}

function whatIsMissing(store: LabStore): string | null {
  const missing = inject("missing");
  if (missing !== "") return missing;
  if (store === "redis" && spawnSync("redis-server", ["--version"]).error !== undefined) return "redis-server";
  if (store === "rabbitmq" && spawnSync("epmd", ["-help"]).error !== undefined) return "rabbitmq-server";
  if (store === "mongodb" && MONGO_NEEDS !== "") return MONGO_NEEDS;
  return null;
}
