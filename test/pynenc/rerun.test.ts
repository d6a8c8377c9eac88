import { describe, expect, it } from "vitest";
import type { RunnerContextRecord } from "../../src/pynenc/records.ts";
import { type EarlierCall, externalCaller, knownControl } from "../../src/pynenc/rerun.ts";

const CLIENT: RunnerContextRecord = { ...externalCaller("host", 7), thread_id: 139_637_976_727_552 };
const RUNNER: RunnerContextRecord = { ...CLIENT, runner_cls: "ThreadRunner" };
const MONITOR = externalCaller("host", 8);

/** A call with arguments that a client of pynenc made, unless it is said otherwise. */
function call(indexed: boolean, { registrar = CLIENT, id = "0".repeat(64) }: Partial<Made> = {}): EarlierCall {
  return { call_id_key: `tasks.ship:${id}`, indexed, registrar };
}

interface Made {
  registrar: RunnerContextRecord | null;
  id: string;
}

describe("the concurrency control that earlier calls show", () => {
  it.each<[string, EarlierCall[], string]>([
    ["no earlier call is stored", [], "unknown"],
    ["an indexed call", [call(true)], "some"],
    ["a call that is not indexed", [call(false)], "none_at_registration"],
    ["a call that a runner registered", [call(true, { registrar: RUNNER })], "some"],
    ["the newest call counts, not indexed after an indexed one", [call(false), call(true)], "none_at_registration"],
    ["the newest call counts, indexed after one that is not", [call(true), call(false)], "some"],
    ["calls without arguments are never indexed", [call(false, { id: "no_args" })], "unknown"],
    ["calls without arguments do not hide older ones", [call(false, { id: "no_args" }), call(true)], "some"],
    ["a monitor indexes every call", [call(true, { registrar: MONITOR })], "unknown"],
    [
      "what a monitor registered does not hide older ones",
      [call(true, { registrar: MONITOR }), call(false)],
      "none_at_registration",
    ],
    [
      "the registering runner is unknown",
      [call(true, { registrar: null }), call(false, { registrar: null })],
      "unknown",
    ],
    ["a runner need not have a thread id", [call(true, { registrar: { ...RUNNER, thread_id: 0 } })], "some"],
  ])("is right for this case: %s", (_, calls, told) => {
    expect(knownControl(calls)).toBe(told);
  });
});
