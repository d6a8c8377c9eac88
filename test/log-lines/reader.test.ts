import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutAnsi } from "../../src/log-lines/ansi.ts";
import type { LogEntry } from "../../src/log-lines/model.ts";
import { LogReader } from "../../src/log-lines/reader.ts";
import { anyText } from "../support/any-text.ts";
import { cases } from "../support/cases.ts";
import { parseLog } from "../support/logs.ts";

const INVOCATION = "0f0e0d0c-1111-4222-8333-444455556666";
const EVENT = "9a9b9c9d-1111-4222-8333-444455556666";

function only(log: string): LogEntry {
  const { entries } = parseLog(log);
  expect(entries).toHaveLength(1);
  return entries[0] as LogEntry;
}

/** `kind id` of everything that is named, with what stands there in the text. */
function named({ text, marks }: LogEntry): string[] {
  return marks.map((mark) => {
    const shown = text.slice(mark.start, mark.end);
    return mark.kind === "status"
      ? `status ${mark.status}`
      : `${mark.kind} ${mark.id}${shown === mark.id ? "" : ` as ${shown}`}`;
  });
}

const message = (text: string) => only(`2026-08-01 09:15:02+00:00 INFO pynenc.app ${text}`);

describe("the time of a log line", () => {
  it.each([
    ["2026-08-01 09:15:02.345+02:00", "2026-08-01T07:15:02.345Z", false],
    ["2026-08-01 09:15:02,345", "2026-08-01T09:15:02.345Z", true],
    ["2026-08-01 09:15:02", "2026-08-01T09:15:02Z", true],
    ["2026-08-01T09:15:02Z", "2026-08-01T09:15:02Z", false],
    ["2026-08-01 09:15:02.123456-0530", "2026-08-01T14:45:02.123456Z", false],
    ["2026-08-01 09:15:02+02", "2026-08-01T07:15:02Z", false],
  ])("is read from %s", (written, utc, assumed) => {
    const { timestamp, zone_assumed, level, format } = only(`${written} ERROR pynenc.app [TR(99aa88bb)] x`);
    expect(timestamp).toBeCloseTo(Date.parse(utc.replace(/\.(\d{3})\d*/, ".$1")) / 1000, 2);
    expect([zone_assumed, level, format]).toEqual([assumed, "error", "pynenc"]);
  });

  it("is null if it is not a real date, and still begins an entry", () => {
    const { timestamp, level, text } = only("2026-02-31 09:15:02 INFO a b");
    expect([timestamp, level, text]).toEqual([null, "info", "2026-02-31 09:15:02 INFO a b"]);
  });

  it("without a level begins a line of another program", () => {
    expect(only("2026-08-01 09:15:02 something")).toMatchObject({ format: "other", level: null, zone_assumed: true });
  });
});

describe("the context of a log line", () => {
  it("has nested runners, the invocation and the task", () => {
    const entry = message(`[PPR(1a2b3c4d).PPRW(5e6f7a8b)${INVOCATION}:shop.tasks.charge] picked up`);
    expect(entry.context).toEqual({
      runners: [
        { cls: "PPR", id: "1a2b3c4d", partial: true },
        { cls: "PPRW", id: "5e6f7a8b", partial: true },
      ],
      atomic_service_run_id: null,
      invocation_id: INVOCATION,
      task_id_key: "shop.tasks.charge",
    });
    expect(entry.text.slice(entry.message_start)).toBe("picked up");
  });

  it("may have a run of the atomic service, or no runner", () => {
    const service = message(`[TR(99aa88bb)AS(${EVENT})] x`);
    expect(service.context).toMatchObject({ atomic_service_run_id: EVENT, runners: [{ id: "99aa88bb" }] });
    expect(message(`[${INVOCATION}:shop.tasks.charge] x`).context).toMatchObject({
      runners: [],
      invocation_id: INVOCATION,
    });
    expect(message("[TR(99aa88bb):shop.tasks.charge] x").context?.task_id_key).toBe("shop.tasks.charge");
  });

  it.each(["[1, 2, 3] numbers", "[] x", "[TR(] x", "[TR()] x", "[TR(a) b] x", "[not closed", "[x]"])(
    "is null for %s",
    (text) => {
      const entry = message(text);
      expect(entry.context).toBeNull();
      expect(entry.text.slice(entry.message_start)).toBe(text);
    },
  );

  it("is found after an app id with blanks", () => {
    const entry = only("2026-08-01 09:15:02 INFO pynenc.my own app [TR(99aa88bb)] x");
    expect([entry.logger, entry.context?.runners[0]?.id]).toEqual(["pynenc.my own app", "99aa88bb"]);
  });
});

describe("references in a log line", () => {
  it.each([
    [`invocation:${INVOCATION} routed`, [`invocation ${INVOCATION}`]],
    [`(Parent-Invocation:${INVOCATION}).`, [`invocation ${INVOCATION}`]],
    ["task:shop.tasks.charge.", ["task shop.tasks.charge"]],
    ["worker:512dae8e, worker:x", ["runner 512dae8e", "runner x"]],
    ["runner:ThreadRunner(b6276e23) pid:1", ["runner b6276e23"]],
    [`runner:'${INVOCATION}')`, [`runner ${INVOCATION}`]],
    ["runner:ExternalRunner@host-4711 x", ["runner ExternalRunner@host-4711"]],
    [`invocations:[${INVOCATION}, ${EVENT}] routed`, [`invocation ${INVOCATION}`, `invocation ${EVENT}`]],
    ["events:['a','b']", ["event a", "event b"]],
    ["condition:cron_0,30 * * * 1-5 timestamp:x", ["condition cron_0,30 * * * 1-5"]],
    [
      "conditions:[cron_0,30 * * * *,event#a#b,cron_* * * * 1,2]",
      ["condition cron_0,30 * * * *", "condition event#a#b", "condition cron_* * * * 1,2"],
    ],
    ["cron:*/5 * * * * skipped", ["condition cron_*/5 * * * * as */5 * * * *"]],
    [
      "valid-condition:valid_condition_cron_* * * * *_context_cron_2026 x",
      ["valid_condition valid_condition_cron_* * * * *_context_cron_2026"],
    ],
    ["call:shop.charge:no_args x", ["call shop.charge:no_args"]],
    ["status:FAILED from_status:pending to_status:RUNNING", ["status failed", "status pending", "status running"]],
    ["status:InvocationStatus.SUCCESS <InvocationStatus.PENDING: 'pending'>", ["status success", "status pending"]],
    ["prior_running:abc x", ["atomic_service_run abc"]],
    ["main-event: nothing, xtask:no, http://event:8000, task:", []],
    ["'event':1 {event:foo}", ["event foo"]],
    [`waiting (2): ${INVOCATION}, ${EVENT}`, [`id ${INVOCATION}`, `id ${EVENT}`]],
    [
      `order ${INVOCATION} invocation:${EVENT}, (${INVOCATION}).`,
      [`id ${INVOCATION}`, `invocation ${EVENT}`, `id ${INVOCATION}`],
    ],
    [`/orders/${INVOCATION}/items other:${EVENT}`, [`id ${INVOCATION}`, `id ${EVENT}`]],
    [`x${INVOCATION} ${INVOCATION}x _${INVOCATION} ${INVOCATION}-1 é${INVOCATION} ${INVOCATION.slice(1)}`, []],
    [
      `valid-condition:valid_condition_x_context_result_${INVOCATION}`,
      [`valid_condition valid_condition_x_context_result_${INVOCATION}`],
    ],
  ])("are found in %s", (text, expected) => {
    expect(named(message(text))).toEqual(expected);
  });

  it.each([
    [`ERROR invocation:${INVOCATION} boom`, `invocation ${INVOCATION}`, `invocation:${INVOCATION} boom`],
    [`ERROR ${INVOCATION} boom`, `id ${INVOCATION}`, `${INVOCATION} boom`],
    ["ERROR status:FAILED boom", "status failed", "status:FAILED boom"],
  ])("are found in place of the logger: %s", (text, expected, words) => {
    const entry = only(`2026-11-21 00:37:09 ${text}`);
    expect([entry.logger, entry.level]).toEqual([null, "error"]);
    expect(named(entry)).toEqual([expected]);
    expect(entry.text.slice(entry.message_start)).toBe(words);
  });

  it("without a kind are cut at 2,000, and marked as cut", () => {
    const entry = message(`task:a.b ${`${INVOCATION} `.repeat(2_100)}`);
    expect([entry.marks.length, entry.marks_cut]).toEqual([2_000, true]);
    expect(entry.marks[0]).toMatchObject({ kind: "task" });
    expect(message(`${INVOCATION} `.repeat(1_999))).toMatchObject({ marks_cut: false });
  });

  it("in stack traces are cut at 2,000, and marked as cut", () => {
    const entry = only(
      `2026-08-01 09:15:02 ERROR pynenc.app x\nTraceback\n  task:a.b\nValueError: ${"task:a.b ".repeat(3_000)}`,
    );
    expect([entry.marks.length, entry.marks_cut]).toEqual([2_000, true]);
    expect(entry.text.slice(entry.marks[0]?.start, entry.marks[0]?.end)).toBe("a.b");
  });
});

describe("log entries", () => {
  it("are separated in a mixture of text, JSON and colours", () => {
    const { entries } = parseLog(
      [
        "before anything",
        "2026-08-01 07:15:03 ERROR pynenc.app [TR(99aa88bb)] text",
        "Traceback (most recent call last):",
        "ValueError: x",
        '{"severity":"INFO","text":"2026-08-01 07:15:05.000+00:00 INFO pynenc.app [TR(99aa88bb)] json","runner_id":"99aa88bb-1"}',
        '{"msg": "of another program", "event": "x"}',
        "\u001b[33m2026-08-01 07:15:06 WARNING\u001b[0m pynenc.app \u001b[1mcoloured\u001b[0m",
        "{not json",
        "Nov 21 00:34:39 host sshd[1]: hello",
        "ERROR:root:plain Python",
      ].join("\n"),
    );
    expect(entries.map(({ line, format, level, text }) => [line, format, level, text.split("\n").length])).toEqual([
      [1, "other", null, 1],
      [2, "pynenc", "error", 3],
      [5, "json", "info", 1],
      [6, "other", null, 1],
      [7, "pynenc", "warning", 2],
      [9, "other", null, 1],
      [10, "other", "error", 1],
    ]);
    expect(entries[2]?.context?.runners).toEqual([{ cls: "TR", id: "99aa88bb-1", partial: false }]);
    expect(entries[4]?.text).toBe("2026-08-01 07:15:06 WARNING pynenc.app coloured\n{not json");
  });

  it("with Windows line ends are read without the carriage returns", () => {
    const { entries } = parseLog("\ufeff2026-08-01 07:15:03 INFO a b\r\n  c\r\n2026-08-01 07:15:04 INFO a d\r\n");
    expect(entries.map((entry) => entry.text)).toEqual([
      "2026-08-01 07:15:03 INFO a b\n  c",
      "2026-08-01 07:15:04 INFO a d",
    ]);
  });

  it("beyond the limit are kept as one, and the reader is marked as limited", () => {
    const reader = new LogReader(3);
    const log = "2026-08-01 07:15:03 INFO a b\n".repeat(6);
    const entries = [...reader.read(log.slice(0, 100)), ...reader.read(log.slice(100)), ...reader.end()];
    expect([entries.length, reader.limited]).toEqual([3, true]);
    expect(entries.map((entry) => entry.raw).join("")).toBe(log);
    const enough = new LogReader(6);
    expect([enough.read(log).length + enough.end().length, enough.limited]).toEqual([6, false]);
  });

  it("are returned at a pause unless half a line has been read", () => {
    const reader = new LogReader();
    expect(reader.read("2026-08-01 07:15:03 INFO a b\n2026-08-01 07:15")).toEqual([]);
    expect(reader.pause()).toEqual([]);
    expect(reader.read(":04 INFO a c\n").map((entry) => entry.text)).toEqual(["2026-08-01 07:15:03 INFO a b"]);
    expect(reader.pause().map((entry) => [entry.line, entry.text])).toEqual([[2, "2026-08-01 07:15:04 INFO a c"]]);
    expect([...reader.pause(), ...reader.end()]).toEqual([]);
  });
});

/** Texts that are likely to mean something to the parser. */
const fragment = fc.oneof(
  fc.constantFrom(
    "2026-08-01 07:15:03.123+00:00 INFO     pynenc.app ",
    "2026-08-01 07:15:03 ERROR x ",
    `[TR(1a2b3c4d)${INVOCATION}:a.b] `,
    "\n",
    "\r\n",
    "\r",
    "\u001b[32m",
    "\u001b[0m",
    "\u001b]8;;http://x\u0007",
    "\u001b[",
    '{"text":"2026-08-01 07:15:03 INFO a b","exception":"Traceback"}\n',
    '{"text":',
    "}",
    "Traceback (most recent call last):\n",
    "invocations:[a,b]",
    "condition:cron_* * * * *",
    "valid-condition:valid_condition_cron_",
    "status:",
    "InvocationStatus.",
    "runner:X(",
    "task:",
    "\ufeff",
    "\u0000",
    "\ud800",
  ),
  anyText({ maxLength: 30 }),
  fc.string({ maxLength: 10 }),
);
const anyLog = fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join(""));

describe("for any log", () => {
  it("the entries contain all of the text, and every mark lies in its entry", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const { entries } = parseLog(log);
        expect(entries.map((entry) => entry.raw).join("")).toBe(log);
        for (const { raw, text, format, marks, message_start } of entries) {
          if (format !== "json") {
            expect(text).toBe(
              withoutAnsi(
                raw
                  .replace(/^\ufeff/, "")
                  .replace(/\r?\n$/, "")
                  .replace(/\r\n/g, "\n"),
              ),
            );
          }
          expect(message_start).toBeLessThanOrEqual(text.length);
          let behind = 0;
          for (const { start, end } of marks) {
            expect(start).toBeGreaterThanOrEqual(behind);
            expect(end).toBeGreaterThan(start);
            behind = end;
          }
          expect(behind).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: cases(200) },
    );
  });

  it("the pieces in which it is read make no difference", () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.nat(60), { maxLength: 30 }), (log, lengths) => {
        const reader = new LogReader();
        const entries: LogEntry[] = [];
        let at = 0;
        for (const length of lengths) {
          entries.push(...reader.read(log.slice(at, at + length)));
          at += length;
        }
        entries.push(...reader.read(log.slice(at)), ...reader.end());
        expect(entries).toEqual(parseLog(log).entries);
      }),
      { numRuns: cases(150) },
    );
  });

  it("colour codes are removed and the rest stays", () => {
    fc.assert(
      fc.property(anyText(), anyText(), (before, after) => {
        fc.pre(!before.includes("\u001b") && !after.includes("\u001b"));
        expect(withoutAnsi(`${before}\u001b[1;31m${after}\u001b[0m`)).toBe(before + after);
      }),
    );
  });
});

/** Anything worse than linear would not come to an end here; how long it takes is bench/logs.ts's to say. A quick run has a part of it. */
describe("a megabyte of one repeated text", () => {
  const SIZE = cases(1_000_000);
  /** Where each of many lines is an entry, fewer are enough to tell. */
  const SIZE_OF_LINES = cases(400_000);
  it.each([
    ":",
    "task:",
    "tasks:[",
    "condition:cron_* ",
    "valid-condition:valid_condition_cron_",
    "InvocationStatus.",
    "\u001b[",
    "\u001b]8",
    "{",
    '{"text":',
    '{"a":[{},{}]}\n',
    "a\n",
    "\r\n",
    "2026-08-01 07:15:03 INFO a [A(",
    "2026-08-01 07:15:03 INFO a b\n",
    "runner:X(",
    "((((((((",
  ])("is read to its end: %j", (unit) => {
    const size = unit.endsWith("\n") ? SIZE_OF_LINES : SIZE;
    const log = unit.repeat(Math.floor(size / unit.length));
    const { entries } = parseLog(log);
    expect(entries.reduce((sum, entry) => sum + entry.raw.length, 0)).toBe(log.length);
  });
});
