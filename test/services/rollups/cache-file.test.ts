import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { StoreUnreachableError } from "../../../src/errors.ts";
import { rollupAnswers } from "../../../src/rollups/reads.ts";
import { storeWith } from "../../../src/services/app/opened-app.ts";
import { CacheFile, type CacheLimits, cacheKey } from "../../../src/services/rollups/cache-file.ts";
import { Follower, type SavedFold } from "../../../src/services/rollups/follower.ts";
import { Keeper } from "../../../src/services/rollups/keeper.ts";
import { temporaryFolder } from "../../support/fixtures.ts";
import { type Life, live } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { HAS_PIPES, makePipe } from "../../support/special-files.ts";

let home: ReturnType<typeof temporaryFolder>;
let folder: string;

beforeEach(() => {
  home = temporaryFolder();
  folder = join(home.path, "cache", "pynenc-monitor");
});

afterEach(() => home.remove());

const some = (begins: number): Life => ({ begins, moves: [], task: "t", runner: "r1", cause: null });

function appOf(begins: readonly number[]): MemoryApp {
  return live(memoryApp({ now: at(10_000) }), begins.map(some));
}

/** As a server that starts: what it took from the file, and its follower when it has read everything. */
async function started(app: MemoryApp, file: Pick<CacheFile, "read" | "write"> = fileOf()) {
  const follower = new Follower(app.store, () => at(10_000), 10);
  const keeper = new Keeper(follower, file);
  await keeper.resume();
  const resumed = follower.reach.checking;
  while (await keeper.step()) {}
  return { follower, keeper, resumed };
}

function fileOf(limits?: CacheLimits): CacheFile {
  return new CacheFile(folder, "a store and an app", limits);
}

function registered({ follower }: { follower: Follower }): number | undefined {
  const { rows } = rollupAnswers(follower).rows({ from: at(-1e6), to: at(1e6) }, "total");
  return rows[0]?.entered.registered;
}

const MANY = Array.from({ length: 35 }, (_, n) => n * 100);

describe("figures saved for the next start", () => {
  test("are continued at the next start, with the entries written since added", async () => {
    const app = appOf(MANY);
    expect((await started(app)).resumed).toBe(false);
    app.invocation("later", { history: [[at(9_000), "registered"]] });
    const second = await started(app);
    expect([second.resumed, registered(second)]).toEqual([true, 36]);
    second.keeper.save();
    const third = await started(app);
    expect([third.resumed, registered(third)]).toEqual([true, 36]);
  });

  test("are written when everything has been read, and then again after five minutes", async () => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    onTestFinished(() => void vi.restoreAllMocks());
    const write = vi.fn(() => true);
    const app = appOf(MANY);
    const { keeper } = await started(app, { read: () => null, write });
    expect(write).toHaveBeenCalledTimes(1);
    app.invocation("later", { history: [[at(9_000), "registered"]] });
    now = 299_999;
    await keeper.step();
    expect(write).toHaveBeenCalledTimes(1);
    now = 300_000;
    await keeper.step();
    expect(write).toHaveBeenCalledTimes(2);
  });

  test("are in a file that only the user can read", async () => {
    await started(appOf(MANY));
    expect(readdirSync(folder)).toHaveLength(1);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(fileOf().path).mode & 0o777).toBe(0o600);
  });

  test("are not written again without new entries", async () => {
    const app = appOf(MANY);
    await started(app);
    const written: SavedFold[] = [];
    const file = { read: () => fileOf().read(), write: (saved: SavedFold) => written.push(saved) > 0 };
    const second = await started(app, file);
    second.keeper.save();
    expect(written).toEqual([]);
    app.invocation("later", { history: [[at(9_000), "registered"]] });
    await second.keeper.step();
    second.keeper.save();
    expect(written).toHaveLength(1);
  });

  for (const [what, change] of [
    ["purged", (app: MemoryApp) => app.change((rows) => rows.history.splice(0))],
    [
      "changed at its beginning alone",
      (app: MemoryApp) =>
        app.change((rows) => {
          const [first, second] = rows.history;
          if (first !== undefined && second !== undefined)
            rows.history[0] = { ...first, written_at: second.written_at };
        }),
    ],
    ["rewound to an earlier copy", (app: MemoryApp) => app.change((rows) => rows.history.splice(20))],
    [
      "replaced by another with as many entries",
      (app: MemoryApp) => {
        app.change((rows) => rows.history.splice(0));
        live(
          app,
          MANY.map((begins) => some(begins + 1)),
        );
      },
    ],
  ] as const) {
    test(`are not used when the history was ${what}`, async () => {
      const app = appOf(MANY);
      await started(app);
      change(app);
      const second = await started(app);
      const stored = app.rows((rows) => rows.history.length);
      expect([second.resumed, registered(second) ?? 0]).toEqual([false, stored]);
    });
  }

  test("remain the past of this run if the history is purged later", async () => {
    const app = appOf(MANY);
    await started(app);
    const second = await started(app);
    app.change((rows) => rows.history.splice(0));
    app.invocation("later", { history: [[at(9_000), "registered"]] });
    while (await second.keeper.step()) {}
    expect([second.follower.reach.purged_at, registered(second)]).toEqual([at(10_000), 36]);
  });

  test("are not saved before the whole past has been read", async () => {
    const app = appOf(MANY);
    const follower = new Follower(app.store, () => at(10_000), 10);
    while (await follower.step()) expect(follower.saved()).toBeNull();
    expect(follower.saved()).not.toBeNull();
  });

  test("are not saved after a purge, as only this run knows the past", async () => {
    const app = appOf(MANY);
    const { keeper, follower } = await started(app);
    const before = readFileSync(fileOf().path);
    app.change((rows) => rows.history.splice(0));
    app.invocation("later", { history: [[at(9_000), "registered"]] });
    while (await keeper.step()) {}
    expect(follower.reach.purged_at).not.toBeNull();
    keeper.save();
    expect(readFileSync(fileOf().path).equals(before)).toBe(true);
  });

  for (const [what, spoil] of [
    ["cut short", (path: string) => truncateSync(path, statSync(path).size - 1)],
    ["empty", (path: string) => truncateSync(path, 0)],
    ["of something else", (path: string) => writeFileSync(path, "figures")],
    [
      "of another format",
      (path: string) => {
        const bytes = readFileSync(path);
        bytes[bytes.indexOf("format ") + "format ".length] = 0x30;
        writeFileSync(path, bytes);
      },
    ],
    [
      "changed in one byte",
      (path: string) => {
        const bytes = readFileSync(path);
        bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1;
        writeFileSync(path, bytes);
      },
    ],
  ] as const) {
    test(`are rebuilt and saved again if the file is ${what}`, async () => {
      const app = appOf(MANY);
      await started(app);
      spoil(fileOf().path);
      const second = await started(app);
      expect([second.resumed, registered(second)]).toEqual([false, 35]);
      expect((await started(app)).resumed).toBe(true);
    });
  }

  test("are rebuilt if the file contains something that no follower saved", async () => {
    const app = appOf(MANY);
    const follower = new Follower(app.store, () => at(10_000), 10);
    const nonsense = { rollup: null, front: 5 } as never;
    const keeper = new Keeper(follower, { read: () => nonsense, write: () => true });
    await keeper.resume();
    while (await keeper.step()) {}
    expect(registered({ follower })).toBe(35);
  });

  test("cannot be resumed from an unreachable store, whose error is thrown", async () => {
    const app = appOf(MANY);
    const saved = (await started(app)).follower.saved();
    const gone = { ...app.store, read: () => Promise.reject(new StoreUnreachableError("failed", "gone")) };
    const keeper = new Keeper(new Follower(gone as never, () => at(0)), { read: () => saved, write: () => true });
    await expect(keeper.resume()).rejects.toBeInstanceOf(StoreUnreachableError);
  });

  test("are still used after an unexpected failure of the store at the start", async () => {
    const app = appOf(MANY);
    const saved = (await started(app)).follower.saved();
    let failures = 1;
    const store = storeWith(app.store, {
      read: (fn) => (failures-- > 0 ? Promise.reject(new Error("odd")) : app.store.read(fn)),
    });
    const follower = new Follower(store, () => at(10_000));
    const keeper = new Keeper(follower, { read: () => saved, write: () => true });
    await expect(keeper.resume()).rejects.toThrow("odd");
    await keeper.resume();
    expect(follower.reach.checking).toBe(true);
  });

  test("are optional: a folder that cannot be created is no failure", async () => {
    mkdirSync(join(home.path, "cache"));
    writeFileSync(folder, "a file in the place of the folder");
    expect(registered(await started(appOf(MANY)))).toBe(35);
  });
});

describe("the file of saved figures", () => {
  const saved = async () => {
    const found = (await started(appOf(MANY), new CacheFile(join(home.path, "other"), "k"))).follower.saved();
    if (found === null) throw new Error("nothing was saved");
    return found;
  };

  test("is written by one process at a time, and an abandoned temporary file blocks it for a minute", async () => {
    const one = await saved();
    const file = fileOf();
    expect(file.write(one)).toBe(true);
    const before = readFileSync(file.path);
    const beside = `${file.path}.new`;
    writeFileSync(beside, "another process writes here");
    expect(file.write({ ...one, newest: 1 })).toBe(false);
    expect(readFileSync(file.path).equals(before)).toBe(true);
    expect(readFileSync(beside, "utf8")).toBe("another process writes here");
    utimesSync(beside, new Date(), new Date(Date.now() - 61_000));
    file.write({ ...one, newest: 2 });
    expect(file.write({ ...one, newest: 3 })).toBe(true);
    expect(file.read()?.newest).toBe(3);
    expect(existsSync(beside)).toBe(false);
  });

  test("is neither written nor read beyond its size limit", async () => {
    const one = await saved();
    expect(fileOf().write(one)).toBe(true);
    const { size } = statSync(fileOf().path);
    expect(fileOf({ file: size - 1, folder: 1e9 }).read()).toBeNull();
    expect(fileOf({ file: size - 1, folder: 1e9 }).write(one)).toBe(false);
    expect(fileOf({ file: size, folder: 1e9 }).write(one)).toBe(true);
  });

  test("makes room by deleting files not written for longest, never itself or other programs' files", async () => {
    const one = await saved();
    const file = (name: string, limit: number) => new CacheFile(folder, name, { file: 1e9, folder: limit });
    for (const [n, name] of ["a", "b", "c"].entries()) {
      expect(file(name, 1e9).write(one)).toBe(true);
      utimesSync(file(name, 0).path, new Date(), new Date(Date.now() - 1_000_000 + n * 1_000));
    }
    writeFileSync(join(folder, "notes.txt"), "somebody's");
    const { size } = statSync(file("a", 0).path);
    file("d", size * 3).write(one);
    expect(["a", "b", "c", "d"].map((name) => existsSync(file(name, 0).path))).toEqual([false, true, true, true]);
    file("d", 1).write(one);
    expect(["b", "c", "d"].map((name) => existsSync(file(name, 0).path))).toEqual([false, false, true]);
    expect(existsSync(join(folder, "notes.txt"))).toBe(true);
  });

  test.runIf(HAS_PIPES)(
    "is not waited for if it is a pipe, and only regular files are replaced or removed",
    async () => {
      const one = await saved();
      mkdirSync(folder, { recursive: true });
      const pipes = [fileOf().path, join(folder, "figures-other.bin")];
      for (const pipe of pipes) makePipe(pipe);
      expect([fileOf().read(), fileOf().write(one)]).toEqual([null, false]);
      mkdirSync(join(folder, "figures-folder.bin"));
      expect(new CacheFile(folder, "another", { file: 1e9, folder: 1 }).write(one)).toBe(true);
      expect(pipes.map((pipe) => lstatSync(pipe).isFIFO())).toEqual([true, true]);
      expect(readdirSync(folder)).toHaveLength(4);
    },
  );

  test.skipIf(process.getuid?.() === 0)("that is unreadable counts as missing", async () => {
    fileOf().write(await saved());
    chmodSync(fileOf().path, 0);
    expect(fileOf().read()).toBeNull();
  });
});

describe("the key of saved figures", () => {
  const endpoint = (location: string) => ({ url: "redis://:secret@host", location, connectTimeout: 1, timeout: 1 });
  const redis = (state: string) => {
    const [other, own] = [endpoint("redis://host/0"), endpoint(state)];
    const endpoints = {
      broker: other,
      orchestrator: other,
      state_backend: own,
      client_data_store: other,
      trigger: other,
    };
    return cacheKey({ kind: "redis", endpoints }, "app");
  };
  const sqlite = (path: string, app: string, state?: string) =>
    cacheKey({ kind: "sqlite", path, components: new Map(state === undefined ? [] : [["state_backend", state]]) }, app);

  test("differs between stores and apps, and contains no password", () => {
    const keys = [
      sqlite("/a.db", "one"),
      sqlite("/a.db", "two"),
      sqlite("/b.db", "one"),
      sqlite("/a.db", "one", "/state.db"),
      redis("redis://host/0"),
      redis("redis://host/1"),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.join()).not.toContain("secret");
  });
});
