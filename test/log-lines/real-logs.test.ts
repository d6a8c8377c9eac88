/** Logs that real pynenc runs wrote, compared with counts by regular expressions. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { LogEntry, ReferenceMark } from "../../src/log-lines/model.ts";
import { fixturePath } from "../support/fixtures.ts";
import { parseLog } from "../support/logs.ts";

const LOGS = ["kitchen_sink.log", "kitchen_sink_023.log", "pending_triggers.log"] as const;
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const SHA = "[0-9a-f]{64}";

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

/** Values by the words in front of them. */
const SINGLE: Readonly<Record<string, string>> = {
  invocation: UUID,
  "triggered-invocation": UUID,
  "source-invocation": UUID,
  workflow: UUID,
  "sub-workflow": UUID,
  "parent-workflow": UUID,
  event: UUID,
  "atomic-service-run": UUID,
  trigger: SHA,
  "trigger-run": SHA,
  task: "[a-z_0-9.]+[a-z_0-9]",
  worker: `(?:${UUID}|[0-9a-f]{8})`,
  runner: `(?:'?${UUID}|[A-Za-z]+\\([0-9a-f]{8}\\))`,
  "current-owner-runner": `'?${UUID}`,
  "attempted-owner-runner": `'?${UUID}`,
  condition: "[a-z_]+[# ]?\\S+",
  "valid-condition": "valid_condition_\\S+",
};
const LISTS = ["conditions", "events", "source-invocations"];

/** Ids that stand alone: behind `waiting (3): `, and in the bracket of a line that two processes wrote into each other. */
const LONE: Readonly<Record<(typeof LOGS)[number], number>> = {
  "kitchen_sink.log": 5,
  "kitchen_sink_023.log": 4,
  "pending_triggers.log": 0,
};

/** The lines as a person would read them: colours gone, JSON opened. */
function readable(log: string): string {
  return log
    .split("\n")
    .map((line) => {
      if (!line.startsWith("{")) return line.replace(COLOUR, "");
      const { text, exception = "" } = JSON.parse(line) as { text: string; exception?: string };
      return `${text}\n${exception}`.trimEnd();
    })
    .join("\n");
}

function counted(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

describe.each(LOGS)("%s", (name) => {
  const log = readFileSync(fixturePath(name), "utf8");
  const { entries, limited } = parseLog(log);
  const plain = readable(log);
  const named = entries.flatMap((entry) =>
    entry.marks.flatMap((mark) =>
      mark.kind !== "status" && mark.kind !== "id" && mark.start >= entry.message_start ? [mark] : [],
    ),
  );
  const inBrackets = entries.flatMap((entry) =>
    entry.marks.flatMap((mark) =>
      mark.kind !== "status" && mark.kind !== "id" && mark.start < entry.message_start ? [mark] : [],
    ),
  );

  it("is read without losing any text", () => {
    expect(limited).toBe(false);
    expect(entries.map((entry) => entry.raw).join("")).toBe(log);
    expect(entries.map((entry) => entry.text).join("\n")).toBe(plain.trimEnd());
    expect(entries.map((entry) => entry.line)).toEqual(lineNumbers(entries));
  });

  it("has every line that pynenc began, with its time, level, logger and context", () => {
    const begun = counted(
      plain,
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\+00:00 (?:DEBUG|INFO|WARNING|ERROR|CRITICAL) /gm,
    );
    const ours = entries.filter((entry) => entry.format !== "other");
    expect(ours).toHaveLength(begun);
    expect(begun).toBeGreaterThan(40);
    expect(ours.filter((entry) => entry.format === "json")).toHaveLength(counted(log, /^\{"timestamp"/gm));
    expect(ours.map(({ timestamp, level, zone_assumed }) => [timestamp, level, zone_assumed])).toEqual(
      ours.map(({ text }) => [
        Date.parse(text.slice(0, 29).replace(" ", "T")) / 1000,
        text.slice(30).split(" ")[0]?.toLowerCase(),
        false,
      ]),
    );
    const foreign = /^(?!pynenc\.(?:kitchen_sink|kitchen-sink\.two\/β)$|pynenc\.pending)/;
    expect(ours.filter(({ logger }) => logger === null || foreign.test(logger))).toEqual([]);
    expect(ours.filter(({ context }) => context === null || context.runners.length === 0)).toEqual([]);
  });

  it("has separators and Python warnings as separate entries", () => {
    const others = entries.filter((entry) => entry.format === "other");
    expect(others).toHaveLength(counted(plain, /^# ---- |^\/srv\/\S+:\d+: \w+Warning: /gm));
    expect(others.filter((entry) => entry.level === "warning")).toHaveLength(
      counted(plain, /^\/srv\/\S+: \w+Warning: /gm),
    );
  });

  it("has every stack trace in the entry that it belongs to", () => {
    const traces = counted(plain, /^Traceback \(most recent call last\):/gm);
    const within = entries.filter((entry) => entry.format !== "other" && entry.text.includes("\nTraceback (most"));
    expect(within.reduce((sum, { text }) => sum + counted(text, /^Traceback \(most recent/gm), 0)).toBe(traces);
    expect(entries.some((entry) => entry.text.startsWith("Traceback"))).toBe(false);
  });

  it.each(Object.entries(SINGLE))("has every %s", (role, value) => {
    expect(named.filter((mark) => mark.role === role)).toHaveLength(
      counted(plain, new RegExp(`(?<![\\w-])${role}:${value}`, "g")),
    );
  });

  it.each(LISTS)("has every member of %s", (role) => {
    const lists = [...plain.matchAll(new RegExp(`(?<![\\w-])${role}:\\[([^\\]]*)\\]`, "g"))].map(
      (match) => match[1] ?? "",
    );
    const members = lists.flatMap((list) => list.split(",")).sort();
    expect(named.flatMap((mark) => (mark.role === role ? [mark.id] : [])).sort()).toEqual(members);
  });

  it("has no references under other words", () => {
    const roles = new Set(named.map((mark) => mark.role));
    expect([...roles].filter((role) => !(role in SINGLE) && !LISTS.includes(role))).toEqual([]);
  });

  it("has every UUID, with or without a word before it", () => {
    const ids = [...plain.matchAll(new RegExp(`(?<![\\w-])${UUID}(?![\\w-])`, "g"))].map((match) => match[0]);
    const marked = entries.flatMap((entry) =>
      entry.marks.flatMap((mark) => (mark.kind !== "status" && ids.includes(mark.id) ? [mark.id] : [])),
    );
    expect(marked.sort()).toEqual(ids.sort());
    const lone = entries.flatMap((entry) => entry.marks.flatMap((mark) => (mark.kind === "id" ? [mark.id] : [])));
    expect(lone).toHaveLength(LONE[name]);
  });

  it("has the runners, invocations and tasks of every bracket", () => {
    const brackets = [...plain.matchAll(/^\S+ \S+ \w+ +\S+ \[([^\]]*)\]/gm)].map((match) => match[1] ?? "");
    const of = (pattern: RegExp) => brackets.reduce((sum, bracket) => sum + counted(bracket, pattern), 0);
    const kind = (wanted: string) => inBrackets.filter((mark) => mark.kind === wanted);
    expect(kind("runner")).toHaveLength(of(/[A-Z]+\([0-9a-f]{8}\)/g));
    expect(kind("invocation")).toHaveLength(of(new RegExp(UUID, "g")));
    expect(kind("task")).toHaveLength(of(/:[\w.]+$/g));
    expect(kind("runner").every((mark) => mark.partial)).toBe(true);
  });

  it("has marks for the statuses", () => {
    const statuses = entries.flatMap((entry) =>
      entry.marks.flatMap((mark) => (mark.kind === "status" ? [mark.status] : [])),
    );
    const words =
      counted(plain, /(?<![\w-])(?:from_|to_)?status:[A-Za-z]/g) + counted(plain, /InvocationStatus\.[A-Z]/g);
    const both = counted(plain, /status:InvocationStatus\./g);
    expect(statuses).toHaveLength(words - both);
    expect(statuses.every((status) => /^[a-z_]+$/.test(status))).toBe(true);
  });
});

it("runner ids are complete in JSON lines", () => {
  const { entries } = parseLog(readFileSync(fixturePath("kitchen_sink.log"), "utf8"));
  const json = entries.filter((entry) => entry.format === "json");
  expect(json.length).toBe(167);
  for (const { context, raw } of json) {
    const { runner_id, parent_runner_id, invocation_id, task_id } = JSON.parse(raw.split("\n")[0] ?? "") as Record<
      string,
      string | undefined
    >;
    expect(context?.runners.map((runner) => runner.id)).toEqual([parent_runner_id, runner_id].filter(Boolean));
    expect([context?.invocation_id, context?.task_id_key]).toEqual([invocation_id ?? null, task_id ?? null]);
  }
});

/** The kinds that the fixtures' README names. */
it("the log of the kitchen sink has all known kinds of references", () => {
  const { entries } = parseLog(readFileSync(fixturePath("kitchen_sink.log"), "utf8"));
  const roles = new Set(entries.flatMap((entry) => entry.marks).map((mark) => (mark as ReferenceMark).role));
  const known =
    "invocation task atomic-service-run trigger trigger-run runner worker triggered-invocation workflow condition valid-condition source-invocation event";
  expect(known.split(" ").filter((role) => !roles.has(role))).toEqual([]);
});

function lineNumbers(entries: readonly LogEntry[]): number[] {
  let next = 1;
  return entries.map(({ raw }) => {
    const line = next;
    next += raw.split("\n").length - 1;
    return line;
  });
}
