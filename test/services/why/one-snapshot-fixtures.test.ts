/** What is said of an invocation is read in one snapshot, and only verdicts that may concern it are judged. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { resolveConfiguration } from "../../../src/config/options.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { inOneSnapshot, type OpenedApp, storeWith } from "../../../src/services/app/opened-app.ts";
import { OPEN_STATUSES } from "../../../src/services/app/taken.ts";
import { Workspace } from "../../../src/services/app/workspace.ts";
import { detailWith, NO_FIGURES } from "../../../src/services/invocations/invocation-detail.ts";
import { findVerdicts, type VerdictScope } from "../../../src/services/verdicts/verdicts.ts";
import { concerning, invocationWithVerdicts, scopeOf } from "../../../src/services/why/concerning.ts";
import { why } from "../../../src/services/why/why.ts";
import type { AppReads } from "../../../src/stores/ports/store.ts";
import { openDatabase } from "../../../src/stores/sqlite/file/driver.ts";
import { fixturePath, presentOf, registerOnly, temporaryFolder } from "../../support/fixtures.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

let copies = 0;

/** A copy of the fixture, and its app as of an instant. */
async function opened(name: string, now: string): Promise<{ path: string; app: OpenedApp }> {
  const path = join(folder.path, `${copies++}.db`);
  copyFileSync(fixturePath(name), path);
  if (name === "kitchen_sink.db") registerOnly(path, "kitchen_sink");
  const given = { env: {}, cwd: folder.path };
  const configuration = resolveConfiguration({ flags: { db: path, now }, ...given });
  const workspace = await Workspace.connect({ configuration, ...given, threads: 0, clock: () => 0 });
  onTestFinished(() => workspace.close());
  return { path, app: await workspace.openOnly() };
}

const KITCHEN_SINK = isoFromEpoch(presentOf("kitchen_sink.db"));

const idsOf = (app: OpenedApp, statuses?: string[]) =>
  app.store.read(async ({ orchestrator }) => {
    const rows = await orchestrator.listInvocations({ statuses }, { limit: 500, offset: 0 });
    return rows.map((row) => row.invocation_id);
  });

/** The app, in which something happens after each snapshot in which the history of an invocation was read. */
function changing(app: OpenedApp, change: () => void): { app: OpenedApp; snapshots(): number } {
  let snapshots = 0;
  const store = storeWith(app.store, {
    read: async (fn, signal) => {
      let isRead = false;
      const answer = await app.store.read((reads) => {
        const historyOf: typeof reads.state_backend.historyOf = (...given) => {
          isRead = true;
          return reads.state_backend.historyOf(...given);
        };
        const state_backend = new Proxy(reads.state_backend, {
          get: (target, name) => (name === "historyOf" ? historyOf : Reflect.get(target, name)) as unknown,
        });
        return fn({ ...reads, state_backend });
      }, signal);
      if (isRead) {
        snapshots++;
        change();
      }
      return answer;
    },
  });
  return { app: { ...app, store }, snapshots: () => snapshots };
}

describe("an invocation on a silent runner that ends while it is being looked at", () => {
  const LATE = isoFromEpoch(presentOf("kitchen_sink.db") + 86_400);

  async function lookedAt() {
    const { path, app } = await opened("kitchen_sink.db", LATE);
    const [id = ""] = await idsOf(app, ["running"]);
    const end = () => {
      const db = openDatabase(path, { mode: "write" });
      db.exec(`UPDATE kitchen_sink_13bd3995__orchestrator_invocations SET status = 'success' WHERE status = 'running'`);
      db.close();
    };
    return { id, ...changing(app, end) };
  }

  it("is explained by why as it was before", async () => {
    const { id, app, snapshots } = await lookedAt();
    const { subject, verdict } = await why(app, { id: [id] });
    expect([subject.label, verdict?.code]).toEqual([expect.stringMatching(/, running$/), "running_on_dead_runner"]);
    expect(snapshots()).toBe(1);
  });

  it("is shown with the verdicts on what it was before", async () => {
    const { id, app, snapshots } = await lookedAt();
    const { model, verdicts } = await invocationWithVerdicts(app, id, 0);
    expect([model.status, verdicts[0]?.code]).toEqual(["running", "running_on_dead_runner"]);
    expect(snapshots()).toBe(1);
  });

  it("has ended in the next answer", async () => {
    const { id, app } = await lookedAt();
    await why(app, { id: [id] });
    expect((await why(app, { id: [id] })).verdict?.code).toBe("ended_well");
  });
});

describe("verdicts that are judged for one invocation are those of all verdicts that concern it", () => {
  it.each([
    ["kitchen_sink.db", KITCHEN_SINK],
    ["kitchen_sink.db", isoFromEpoch(presentOf("kitchen_sink.db") + 86_400)],
    ["cases/skewed_host.db", "2026-11-22T01:08:54Z"],
    ["cases/dead_runner_retry.db", "2026-11-22T01:08:54Z"],
    ["cases/held_cc_023.db", "2026-11-27T07:20:00Z"],
    ["cases/after_both_purges_023.db", "2026-11-27T07:25:00Z"],
    ["cases/after_orchestrator_purge_023.db", "2026-11-27T07:25:00Z"],
  ])("in %s at %s", async (name, now) => {
    const { app } = await opened(name, now);
    await app.inventory();
    const open = await idsOf(app, [...OPEN_STATUSES]);
    const defined = await app.store.read(({ state_backend }) =>
      state_backend.listDefined({}, { limit: 500, offset: 0 }),
    );
    // Some of those that have ended, and all that have not.
    for (const id of new Set([...defined.flatMap((row, n) => (n % 5 === 0 ? [row.invocation_id] : [])), ...open])) {
      const [some, every] = await inOneSnapshot(app, async (one, reads) => {
        const detail = await detailWith(one, id, NO_FIGURES);
        const about = async (scope: VerdictScope) =>
          concerning(one, reads, await findVerdicts(one, reads, null, scope), { kind: "invocation", detail });
        return [await about(await scopeOf(one, reads, "invocation", id)), await about("app")];
      });
      expect(some).toEqual(every);
    }
  });
});

describe("rows that are kept are read again after another process has changed them", () => {
  const TABLES = "kitchen_sink_13bd3995__";

  it.each<[string, string, (reads: AppReads) => Promise<unknown>]>([
    [
      "statuses",
      "UPDATE orchestrator_invocations SET status = 'killed' WHERE status = 'running'",
      ({ orchestrator }) => orchestrator.listInvocations({ statuses: ["running"] }, { limit: 10, offset: 0 }),
    ],
    [
      "counts of open invocations",
      "DELETE FROM orchestrator_invocations WHERE status = 'registered'",
      ({ orchestrator }) => orchestrator.countInvocations({ statuses: ["registered"] }, 1_000),
    ],
    [
      "the runners of a heartbeat",
      "UPDATE orchestrator_runner_heartbeats SET last_heartbeat = 1",
      ({ orchestrator }) => orchestrator.heartbeatsByIds(["8639bda1-3935-466d-89ca-77cfaeeda6cc"]),
    ],
    [
      "waits",
      "DELETE FROM orchestrator_blocking_edges",
      ({ orchestrator }) =>
        orchestrator.blockingEdges({ limit: 10, offset: 0 }, "bc0a5257-16d0-4223-9705-a5a6e837686b"),
    ],
    [
      "contexts",
      "UPDATE state_backend_runner_contexts SET hostname = 'other'",
      ({ state_backend }) => state_backend.runnerContexts(["8639bda1-3935-466d-89ca-77cfaeeda6cc"]),
    ],
    [
      "the ends of histories",
      "DELETE FROM state_backend_history",
      ({ state_backend }) => state_backend.historySpanOf(["bc0a5257-16d0-4223-9705-a5a6e837686b"]),
    ],
    [
      "messages",
      "DELETE FROM broker_message_queue",
      async ({ broker }) => {
        await broker.peekMessages({ limit: 2_000, offset: 0 });
        return broker.messagesOf(["e38c151e-0911-4288-877f-fc83502faad4"]);
      },
    ],
  ])("as %s", async (_, change, ask) => {
    const { path, app } = await opened("kitchen_sink.db", KITCHEN_SINK);
    const before = await app.store.read(ask);
    expect(await app.store.read(ask)).toEqual(before);
    const db = openDatabase(path, { mode: "write" });
    db.exec(change.replace(/(?<=UPDATE |FROM )/, TABLES));
    db.close();
    expect(await app.store.read(ask)).not.toEqual(before);
  });
});
