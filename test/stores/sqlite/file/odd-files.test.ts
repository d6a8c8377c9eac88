/** Files that are replaced, damaged, or no files: reads say what is wrong, and go on when it is put right. */
import { execFileSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { StoreUnreachableError } from "../../../../src/errors.ts";
import type { Store } from "../../../../src/stores/ports/store.ts";
import { everythingOf } from "../../../contract/everything.ts";
import { copies, setJournal, withStore } from "../rows.ts";

const APP = "kitchen_sink";
const copyOf = copies();

const messages = (store: Store) => store.app(APP).read((reads) => reads.broker.countMessages());

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (answer) => new Error(`it answered ${JSON.stringify(answer)?.slice(0, 100)}`),
    (error: unknown) => error,
  );
}

describe.each([0, 2])("a database file (%d threads)", (threads) => {
  it("that was replaced by garbage is read again when it is put back", async () => {
    const path = copyOf("kitchen_sink.db");
    await withStore(
      path,
      async (store) => {
        expect(await messages(store)).toBe(7);
        const away = `${path}.away`;
        for (let round = 0; round < 3; round++) {
          renameSync(path, away);
          writeFileSync(path, "garbage ".repeat(1_000));
          for (let again = 0; again < 3; again++) {
            expect(await failureOf(messages(store))).toMatchObject({ reason: "not-a-database" });
          }
          rmSync(path);
          expect(await failureOf(messages(store))).toMatchObject({ reason: "missing" });
          renameSync(away, path);
          expect(await messages(store)).toBe(7);
        }
      },
      { threads },
    );
  });

  it.each(["cut to nothing", "overwritten"])(
    "that was %s while it was read is read again when it is back",
    async (what) => {
      const path = copyOf("kitchen_sink.db");
      const kept = copyOf("kitchen_sink.db");
      await withStore(
        path,
        async (store) => {
          expect(await messages(store)).toBe(7);
          expect(await store.apps()).not.toEqual([]);
          const before = await store.version();
          writeFileSync(path, what === "overwritten" ? "g".repeat(statSync(path).size) : "");
          const said = what === "overwritten" ? `${path} is not an SQLite database.` : `${path} is empty.`;
          for (let round = 0; round < 2; round++) {
            const error = { reason: "not-a-database", message: said };
            expect(await failureOf(messages(store))).toMatchObject(error);
            expect(await failureOf(store.apps())).toMatchObject(error);
            expect(await store.version()).not.toBe(await store.version());
          }
          for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
          copyFileSync(kept, path);
          expect(await messages(store)).toBe(7);
          expect(await store.apps()).not.toEqual([]);
          const token = await store.version();
          expect(token).not.toBe(before);
          expect(await store.version()).toBe(token);
        },
        { threads },
      );
    },
  );

  it("that is a pipe or a folder is refused at once, for reading and writing", async () => {
    const folder = dirname(copyOf("kitchen_sink.db"));
    const pipe = join(mkdtempSync(join(folder, "odd-")), "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const place of [pipe, folder]) {
      const thrown = await withStore(
        place,
        async (store) => {
          const token = await store.version();
          expect(await store.version()).not.toBe(token);
          return [
            await failureOf(messages(store)),
            await failureOf(store.apps()),
            await failureOf(store.app(APP).actions.purge(["broker"])),
          ];
        },
        { threads },
      );
      for (const error of thrown) {
        expect(error).toBeInstanceOf(StoreUnreachableError);
        expect(error).toMatchObject({ reason: "not-a-database", message: `${place} is not a file.` });
      }
    }
  });

  it.each([1, 3, 5, 7, 9])("with a damaged page is reported as damaged by every read (page %d)", async (page) => {
    const path = copyOf("kitchen_sink.db");
    setJournal(path, "DELETE");
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(100, 0xff), 0, 100, page * 4096);
    closeSync(file);
    await withStore(
      path,
      async (store) => {
        // Twice: a snapshot that ended badly must not be in the way of the next one.
        for (let round = 0; round < 2; round++) {
          const error = await failureOf(everythingOf(store.app(APP)));
          expect(error).toBeInstanceOf(StoreUnreachableError);
          expect(error).toMatchObject({ reason: "not-a-database", message: `${path} is damaged.` });
        }
      },
      { threads },
    );
  });
});

describe("a write-ahead log that cannot be read", () => {
  const before = process.env.TMPDIR;
  afterEach(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });

  it("leaves no copy of the data in the temporary folder", async () => {
    const path = copyOf("kitchen_sink.db");
    for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
    mkdirSync(`${path}-wal`);
    const temporary = mkdtempSync(join(dirname(path), "tmp-"));
    process.env.TMPDIR = temporary;
    const thrown = await withStore(path, (store) => failureOf(messages(store)));
    expect(thrown).toBeInstanceOf(StoreUnreachableError);
    expect(readdirSync(temporary)).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });

  it("fails with the folder that could not take a copy of the data", async () => {
    const path = copyOf("kitchen_sink.db");
    for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
    mkdirSync(`${path}-wal`);
    const nowhere = join(dirname(path), "nowhere");
    process.env.TMPDIR = nowhere;
    expect(await withStore(path, (store) => failureOf(messages(store)))).toMatchObject({
      message: `${path} is in a folder that cannot be written, and there is no room for a copy of it in ${nowhere} (ENOENT).`,
      hint: "Set TMPDIR to a folder that can be written.",
    });
  });
});
