/** Notes on calls that pynenc's concurrency control might not have registered. */
import { describe, expect, it } from "vitest";
import { effectiveSettings } from "../../../src/config/pynenc-sources.ts";
import { reuseNotes } from "../../../src/services/actions/rerun-notes.ts";
import type { Rerun } from "../../../src/stores/ports/actions.ts";

const MODE = "PYNENC__REGISTRATION_CONCURRENCY";

function notes(reruns: readonly Rerun[], env: Record<string, string> = {}): string[] {
  const settings = effectiveSettings({ cwd: "/nowhere", env, configFile: null, appInfo: null });
  return reuseNotes({ settings }, reruns);
}

function call(task: string, given: Partial<Rerun> = {}): Rerun {
  return {
    invocation_id: "original",
    task_id_key: task,
    new_invocation_id: null,
    refusal: null,
    own_workflow: false,
    indexed_arguments: 1,
    control: "some",
    waiting_of_task: null,
    route: null,
    ...given,
  };
}

const many = (task: string, n: number, given?: Partial<Rerun>) => Array.from({ length: n }, () => call(task, given));

describe("calls that pynenc might not have registered", () => {
  it("have no note if no call waits, the task has no concurrency control, or the call is refused", () => {
    expect(notes([call("a")])).toEqual([]);
    expect(notes(many("a", 3, { control: "none_at_registration" }))).toEqual([]);
    const refusal = { kind: "duplicate", invocation_id: "w" } as const;
    expect(notes(many("a", 3, { refusal, waiting_of_task: "w" }))).toEqual([]);
    expect(notes(many("a", 1, { refusal: { kind: "unknown" }, task_id_key: null }))).toEqual([]);
  });

  it.each(["some", "unknown"] as const)(
    "have a note with a condition if the concurrency mode is unknown (%s)",
    (control) => {
      const [note, ...others] = notes([call("tasks.ship", { control, waiting_of_task: "w-1" })]);
      expect(others).toEqual([]);
      expect(note).toMatch(
        /^Another call of tasks\.ship is already waiting: w-1\. If its registration_concurrency is TASK, or KEYS/,
      );
      expect(note).toMatch(/The task's setting is not stored\.$/);
    },
  );

  it("are counted by task for a list, and only the first five tasks are named", () => {
    const [note] = notes([...many("b", 2), call("c", { waiting_of_task: "w" }), call("d")]);
    expect(note).toContain(
      "let only one call of a task wait: b (2 calls), c (1 call, one is already waiting). The task's setting",
    );
    const [long] = notes(["1", "2", "3", "4", "5", "6", "7"].flatMap((task) => many(task, 2)));
    expect(long).toContain("5 (2 calls), 2 more tasks. The task's setting");
    const [oneMore] = notes(["1", "2", "3", "4", "5", "6"].flatMap((task) => many(task, 2)));
    expect(oneMore).toContain("5 (2 calls), 1 more task. The task's setting");
  });

  it("have a note without doubt if a file or variable sets the mode", () => {
    const waiting = call("tasks.ship", { waiting_of_task: "w-1" });
    expect(notes([waiting], { [MODE]: "TASK" })).toEqual([
      `pynenc itself would return w-1, which is already waiting, and not register another call of tasks.ship: registration_concurrency of the task is task (${MODE}).`,
    ]);
    expect(notes(many("tasks.ship", 3), { [MODE]: "keys" })).toEqual([
      `pynenc itself would keep one waiting call of tasks.ship with the same key arguments and not register 3 calls: registration_concurrency of the task is keys (${MODE}).`,
    ]);
  });

  it.each(["disabled", "arguments"])("have no note if the mode is %s: equal calls are refused anyway", (mode) => {
    expect(notes([call("a", { waiting_of_task: "w" }), ...many("b", 3)], { [MODE]: mode })).toEqual([]);
  });

  it("may be of several tasks with different modes", () => {
    const env = { "PYNENC__CONFIGTASK__TASKS#SHIP__REGISTRATION_CONCURRENCY": "task" };
    const told = notes([...many("tasks.ship", 2), ...many("tasks.pack", 2)], env);
    expect(told).toHaveLength(2);
    expect(told[0]).toContain("keep one waiting call of tasks.ship and not register 2 calls");
    expect(told[1]).toContain("only one call of a task wait: tasks.pack (2 calls). The task's setting");
  });
});
