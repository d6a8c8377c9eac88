/** Muted verdicts: which, until when, and that nothing else is hidden. */
import { mkdirSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { MuteFile } from "../../../src/mutes/mute-file.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { listMutes, mute, previewMute, previewUnmute, unmute } from "../../../src/services/actions/mute.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { findVerdicts } from "../../../src/services/verdicts/verdicts.ts";
import { temporaryFolder } from "../../support/fixtures.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { healthyApp, verdictsOf } from "../../support/verdicts.ts";

const folders: { remove(): void }[] = [];
afterAll(() => {
  for (const folder of folders) folder.remove();
});

const NOW = at(600);

/** Two that are stuck in pending. */
function stuck(): MemoryApp {
  const folder = temporaryFolder();
  folders.push(folder);
  const app = healthyApp({ now: NOW, mutes: new MuteFile(folder.path) });
  return pending(pending(app, "a"), "b");
}

function pending(app: MemoryApp, id: string): MemoryApp {
  return app.invocation(id, {
    history: [
      [at(0), "registered"],
      [at(1), "pending", "r1"],
    ],
  });
}

const told = async (app: MemoryApp) => (await verdictsOf(app)).map(({ code, muted_until }) => [code, muted_until]);

describe("a muted verdict", () => {
  it("has an end, by default after eight hours, and is reported again afterwards", async () => {
    const app = stuck();
    const outcome = await mute(app.opened, { code: ["stuck_pending"] });
    const until = isoFromEpoch(NOW + 8 * 3_600);
    expect(outcome).toMatchObject({ success: true, code: "stuck_pending", ids: [], until });
    expect(outcome.message).toMatch(/^Muted stuck_pending of \S+ until \d{4}-.* UTC\.$/);
    expect(await told(app)).toEqual([["stuck_pending", until]]);
    expect(await told(pending(app, "c"))).toEqual([["stuck_pending", until]]);
    app.now = NOW + 8 * 3_600 + 1;
    app.change((rows) => {
      for (const beat of rows.heartbeats) beat.last_heartbeat = app.now;
    });
    expect(await told(app)).toEqual([["stuck_pending", null]]);
  });

  it("that was muted for its present subjects is reported again with a new subject", async () => {
    const app = stuck();
    await mute(app.opened, { code: ["stuck_pending"], ids: ["a", "b"], for: ["1h"] });
    expect(await told(app)).toEqual([["stuck_pending", isoFromEpoch(NOW + 3_600)]]);
    expect(await told(pending(app, "c"))).toEqual([["stuck_pending", null]]);
  });

  it("is only muted if all of its subjects are, until the earliest of their ends", async () => {
    const app = stuck();
    await mute(app.opened, { code: ["stuck_pending"], ids: ["a"], for: ["1h"] });
    expect(await told(app)).toEqual([["stuck_pending", null]]);
    await mute(app.opened, { code: ["stuck_pending"], ids: ["b"], for: ["2h"] });
    expect(await told(app)).toEqual([["stuck_pending", isoFromEpoch(NOW + 3_600)]]);
  });

  it("is not muted for an app with the same id in another store", async () => {
    const app = stuck();
    await mute(app.opened, { code: ["stuck_pending"] });
    const store = Object.create(app.opened.store, { location: { value: "/srv/other.db" } });
    const elsewhere: OpenedApp = { ...app.opened, store };
    expect(listMutes(elsewhere).mutes).toEqual([]);
    const found = await app.store.read((reads) => findVerdicts(elsewhere, reads, null));
    expect(found.map(({ code, muted_until }) => [code, muted_until])).toEqual([["stuck_pending", null]]);
    expect((await previewMute(elsewhere, { code: ["stuck_pending"], ids: ["a"] })).quiet).toEqual([]);
  });

  it("mutes no other verdict, no other app, and not a verdict with more subjects than it lists", async () => {
    const app = stuck();
    await mute(app.opened, { code: ["clock_skew"] });
    expect(await told(app)).toEqual([["stuck_pending", null]]);
    const other = memoryApp({ now: NOW, app_id: "other", mutes: app.opened.mutes });
    pending(other, "a");
    await mute(app.opened, { code: ["stuck_pending"] });
    expect((await told(other)).find(([code]) => code === "stuck_pending")).toEqual(["stuck_pending", null]);
    const many = healthyApp({ now: NOW, mutes: app.opened.mutes, app_id: "many" });
    for (let n = 0; n < 101; n++)
      many.invocation(`i${n}`, {
        history: [[at(0), "registered"]],
        status: { status: "running", status_runner_id: "gone" },
      });
    const [verdict] = await verdictsOf(many);
    const ids = verdict?.evidence.flatMap(({ kind, id }) => (kind === "invocation" ? [id] : [])) ?? [];
    expect([verdict?.code, ids.length]).toEqual(["running_on_dead_runner", 100]);
    await mute(many.opened, { code: ["running_on_dead_runner"], ids });
    expect(await told(many)).toEqual([["running_on_dead_runner", null]]);
  });

  it("is reported again after it was unmuted, in full or for one subject", async () => {
    const app = stuck();
    await mute(app.opened, { code: ["stuck_pending"], ids: ["a", "b"] });
    expect(
      (await previewUnmute(app.opened, { code: ["stuck_pending"], ids: ["a"] })).mutes.map(({ id }) => id),
    ).toEqual(["a"]);
    expect(await unmute(app.opened, { code: ["stuck_pending"], ids: ["a"] })).toMatchObject({ removed: 1 });
    expect(await told(app)).toEqual([["stuck_pending", null]]);
    expect(listMutes(app.opened).mutes.map(({ id }) => id)).toEqual(["b"]);
    expect(await unmute(app.opened, { code: ["stuck_pending"] })).toMatchObject({ removed: 1 });
    expect(await unmute(app.opened, { code: ["stuck_pending"] })).toMatchObject({
      removed: 0,
      message: "Nothing was muted.",
    });
  });

  it("that is muted again has the new end only", async () => {
    const app = stuck();
    await mute(app.opened, { code: ["stuck_pending"], for: ["30d"] });
    await mute(app.opened, { code: ["stuck_pending"], for: ["1h"] });
    expect(listMutes(app.opened).mutes.map(({ until }) => until)).toEqual([isoFromEpoch(NOW + 3_600)]);
  });
});

describe("muting a verdict", () => {
  it("has a preview of what would be muted, which changes nothing", async () => {
    const app = stuck();
    const preview = await previewMute(app.opened, { code: ["STUCK_PENDING"], ids: ["a", "b"], for: ["1d"] });
    expect(preview).toMatchObject({
      code: "stuck_pending",
      until: isoFromEpoch(NOW + 86_400),
      quiet: ["2 invocations picked up but not started"],
      named_now: ["a", "b"],
      refused: null,
    });
    expect((await previewMute(app.opened, { code: ["stuck_pending"], ids: ["a"] })).quiet).toEqual([]);
    expect(await told(app)).toEqual([["stuck_pending", null]]);
  });

  it("with a bad code, duration or number of ids is refused with the accepted values", async () => {
    const { opened } = stuck();
    await expect(mute(opened, { code: ["no_such"] })).rejects.toMatchObject({ problems: [{ parameter: "code" }] });
    for (const length of ["0h", "soon", "91d"]) {
      await expect(mute(opened, { code: ["stuck_pending"], for: [length] })).rejects.toMatchObject({
        problems: [{ parameter: "for", value: length }],
      });
    }
    const ids = Array.from({ length: 101 }, (_, n) => `${n}`);
    await expect(mute(opened, { code: ["stuck_pending"], ids })).rejects.toMatchObject({
      problems: [{ parameter: "ids" }],
    });
    expect(await mute(opened, { code: ["stuck_pending"], ids, everything: ["1"] })).toMatchObject({ ids: [] });
  });

  it("with a file that cannot be written is refused with its name, the reason and a hint", async () => {
    const folder = temporaryFolder();
    folders.push(folder);
    const mutes = new MuteFile(folder.path);
    mkdirSync(mutes.path);
    const { opened } = memoryApp({ mutes });
    const refused = {
      status: 409,
      message: `${mutes.path} cannot be written: it is a folder.`,
      hint: "Use --state-dir to name another folder.",
    };
    await expect(mute(opened, { code: ["stuck_pending"] })).rejects.toMatchObject(refused);
    await expect(unmute(opened, { code: ["stuck_pending"] })).rejects.toMatchObject(refused);
  });

  it("without a home folder is refused with the option to name a folder", async () => {
    const { opened } = memoryApp();
    expect((await previewMute(opened, { code: ["stuck_pending"] })).refused).toContain("no home folder");
    await expect(mute(opened, { code: ["stuck_pending"] })).rejects.toMatchObject({ status: 409 });
  });
});
