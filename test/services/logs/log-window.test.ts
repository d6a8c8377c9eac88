/** The period that the lines of a log are about. */
import { describe, expect, it } from "vitest";
import { LogReader } from "../../../src/log-lines/reader.ts";
import { resolveReferences } from "../../../src/services/logs/log-references.ts";
import { type LogWindow, logWindow } from "../../../src/services/logs/log-window.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const id = (n: number) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** A line of pynenc so many seconds after the start of the story. */
const line = (seconds: number, message: string) =>
  `2026-01-05 12:${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}+00:00 INFO pynenc.shop ${message}`;

async function windowOf(app: MemoryApp, ...lines: string[]): Promise<LogWindow | null> {
  const reader = new LogReader();
  const entries = [...reader.read(`${lines.join("\n")}\n`), ...reader.end()];
  return app.opened.store.read(async (reads) =>
    logWindow(reads, entries, await resolveReferences(reads, entries, ["shop.pay"])),
  );
}

describe("the time window of a log", () => {
  it("is null if nothing has a time", async () => {
    expect(await windowOf(memoryApp(), "a line of another program", `invocation:${id(1)}`)).toBeNull();
  });

  it("goes from the first to the last line, a tenth wider on both sides", async () => {
    expect(await windowOf(memoryApp(), line(30, "b"), line(10, "a"), "no time")).toEqual({
      start: at(8),
      end: at(32),
      invocation_ids: [],
    });
  });

  it("has a minimum width for a single line", async () => {
    expect(await windowOf(memoryApp(), line(10, "a"))).toMatchObject({ start: at(9.75), end: at(10.25) });
  });

  it("ignores log lines whose time is outside the accepted bounds", async () => {
    const late = line(10, "a").replace("2026", "9999");
    expect(await windowOf(memoryApp(), late, line(10, "a"))).toMatchObject({ start: at(9.75), end: at(10.25) });
    expect(await windowOf(memoryApp(), late)).toBeNull();
  });

  it("has the ids of the invocations and workflows that the store has, each once", async () => {
    const app = memoryApp()
      .invocation(id(1))
      .invocation(id(2), { workflow: { id: id(2) } })
      .workflow(id(2));
    const window = await windowOf(
      app,
      line(10, `invocation:${id(1)} and invocation:${id(1)} of workflow:${id(2)}, not invocation:${id(3)}`),
      line(11, `runner:${id(4)} task:shop.pay`),
    );
    expect(window?.invocation_ids).toEqual([id(1), id(2)]);
  });

  it("is not widened by invocations that the lines only name", async () => {
    const app = memoryApp().invocation(id(1), { history: [[at(-500), "registered"]] });
    expect(await windowOf(app, line(10, `invocation:${id(1)}`))).toMatchObject({ start: at(9.75), end: at(10.25) });
  });

  it("covers the named invocations if no line has a time", async () => {
    const history = [
      [at(5), "registered"],
      [at(7), "success"],
    ] as const;
    expect(await windowOf(memoryApp().invocation(id(1), { history }), `invocation:${id(1)}`)).toEqual({
      start: at(4.75),
      end: at(7.25),
      invocation_ids: [id(1)],
    });
  });
});

describe("the time window of a log is widened", () => {
  it("to named events, with the whole life of their emitters", async () => {
    const app = memoryApp()
      .invocation(id(1), {
        history: [
          [at(-20), "registered"],
          [at(40), "success"],
        ],
      })
      .event(id(5), { timestamp: at(-3), emitted_by_invocation_id: id(1) })
      .event(id(6), { timestamp: at(50) });
    expect(await windowOf(app, line(10, `event:${id(5)}`))).toEqual({
      start: at(-20.25),
      end: at(40.25),
      invocation_ids: [id(1)],
    });
    expect(await windowOf(app, line(10, `event:${id(6)}`))).toEqual({
      start: at(9.75),
      end: at(50.25),
      invocation_ids: [],
    });
  });

  it("to named trigger runs, and to the events that caused them with their emitters", async () => {
    const app = memoryApp()
      .invocation(id(1), { history: [[at(-20), "registered"]] })
      .event(id(5), { timestamp: at(-3), emitted_by_invocation_id: id(1) })
      .triggerRun("run-1", { claimed_at: at(12), executed_at: at(70), participants: [{ event_id: id(5) }] })
      .triggerRun("run-2", { claimed_at: at(2), executed_at: null });
    expect(await windowOf(app, line(10, "trigger_run:run-1"))).toEqual({
      start: at(-20.25),
      end: at(70.25),
      invocation_ids: [id(1)],
    });
    expect(await windowOf(app, line(10, "trigger_run:run-2"))).toMatchObject({ start: at(1.75), end: at(10.25) });
  });
});
