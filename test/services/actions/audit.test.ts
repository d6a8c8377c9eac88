/** The audit page of an app: the actions on its store, newest first, in pages, from terminals and servers. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AuditFile } from "../../../src/audit/audit-file.ts";
import { InvalidInputError } from "../../../src/errors.ts";
import { ActionLog } from "../../../src/services/actions/action-log.ts";
import { auditPage } from "../../../src/services/actions/audit.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { temporaryFolder } from "../../support/fixtures.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

describe("the audit of an app", () => {
  const { opened: app } = memoryApp({ app_id: "shop" });
  let temporary: ReturnType<typeof temporaryFolder>;
  let now: number;
  beforeEach(() => {
    temporary = temporaryFolder();
    now = 0;
  });
  afterEach(() => temporary.remove());

  function log(via: "cli" | "server" = "cli", file: AuditFile | null = new AuditFile(temporary.path)): ActionLog {
    const nothing = () => undefined;
    return new ActionLog({ via, file, write: nothing, warn: nothing, clock: () => at(now++) });
  }

  async function act(actions: ActionLog, on: OpenedApp, message: string): Promise<void> {
    const outcome = { success: true as const, action: "purge", app_id: on.app_id, message };
    await actions.record("anna", "purge broker", on, async () => outcome);
  }

  it("lists the actions of terminals and servers on this store, in pages", async () => {
    const [terminal, server] = [log("cli"), log("server")];
    const elsewhere = memoryApp({ app_id: "other" }).opened;
    const moved = { ...app, store: Object.create(app.store, { location: { value: "/elsewhere.db" } }) };
    for (let i = 0; i < 30; i++) {
      await act(i % 2 ? terminal : server, app, `${i}`);
      await act(terminal, elsewhere, "of another app");
      await act(terminal, moved, "of another store");
    }
    const first = await auditPage(app, log(), { limit: ["20"] });
    expect(first.entries.map((entry) => entry.message)).toEqual(Array.from({ length: 20 }, (_, i) => `${29 - i}`));
    expect(first.entries.slice(0, 2).map((entry) => entry.via)).toEqual(["cli", "server"]);
    expect(first.page).toMatchObject({ number: 1, total: 30, has_next: true, last_row: 20 });
    const second = await auditPage(app, log(), { limit: ["20"], page: ["2"] });
    expect(second.entries.map((entry) => entry.message)).toEqual(Array.from({ length: 10 }, (_, i) => `${9 - i}`));
    expect((await auditPage(elsewhere, log(), {})).page.total).toBe(30);
    expect(first).toMatchObject({ app_id: "shop", location: app.store.location, notes: [] });
    expect(first.file).toBe(join(temporary.path, "audit.jsonl"));
    await expect(auditPage(app, log(), { limit: ["0"] })).rejects.toThrow(InvalidInputError);
  });

  it("says how many malformed requests are not listed", async () => {
    const actions = log("server");
    const malformed = () => auditPage(app, actions, { limit: ["x"] });
    await expect(actions.record("anna", "rerun", app, malformed as never)).rejects.toThrow(InvalidInputError);
    const page = await auditPage(app, actions, {});
    expect(page).toMatchObject({
      entries: [],
      notes: ["This monitor refused 1 request because a parameter was not accepted; it is not listed."],
    });
  });

  it("says that only this monitor's actions are shown if the audit file is unreadable", async () => {
    mkdirSync(join(temporary.path, "audit.jsonl"));
    const actions = log();
    await act(actions, app, "Purged.");
    const page = await auditPage(app, actions, {});
    expect(page.entries.map((entry) => entry.message)).toEqual(["Purged."]);
    expect(page.notes).toEqual([`${page.file} cannot be read (it is a folder): only what this monitor did is shown.`]);
  });

  it("says that there is no audit file for a user without a home folder", async () => {
    const actions = log("server", null);
    await act(actions, app, "Purged.");
    const page = await auditPage(app, actions, {});
    expect([page.file, page.entries.length]).toEqual([null, 1]);
    expect(page.notes.join()).toContain("Use --state-dir to name a folder");
  });
});
