import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseInvocation, parseRunnerContext, parseWorkflowRun } from "../../src/pynenc/json-documents.ts";
import { pythonJson } from "../../src/pynenc/python-dump.ts";
import { anyText } from "../support/any-text.ts";

const DEFINITION = {
  invocation_id: "i",
  call_id_key: "tasks.add:abc",
  task_id_key: "tasks.add",
  arguments_id: "abc",
  serialized_arguments: {},
  parent_invocation_id: null,
  workflow_id: "i",
  workflow_type_key: "tasks.add",
  parent_workflow_id: null,
};

const HOSTILE = ["", "null", "[]", "1", '"text"', "{", "NaN", "\u0000", '{"runner_id": 1}'];

describe("documents of Redis", () => {
  it("give the arguments as the same text as an SQLite column, whatever their names and values", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText(), anyText())), (pairs) => {
        // As a text, because an object would sort names like `1` and forget which came first.
        const names = new Map(pairs);
        const text = `{${[...names].map(([name, value]) => `${pythonJson(name)}: ${pythonJson(value)}`).join(", ")}}`;
        const json = pythonJson(DEFINITION).replace("{}", () => text);
        expect(parseInvocation("i", json)?.serialized_arguments).toBe(text);
        // Spaces are those of Python, whoever wrote the document.
        const dense = json.replace(text, () => `{${[...names].map(([n, v]) => `${pythonJson(n)}:${pythonJson(v)}`)}}`);
        expect(parseInvocation("i", dense)?.serialized_arguments).toBe(text);
      }),
    );
  });

  it("are read with newer and older members alike", () => {
    const { workflow_id, workflow_type_key, ...older } = DEFINITION;
    const newer = {
      ...older,
      parent_event_id: "e",
      parent_invocation_id: "",
      serialized_arguments: '{"x": "1"}',
      more: 1,
    };
    expect(parseInvocation("other", pythonJson(newer))).toEqual({
      ...older,
      invocation_id: "other",
      serialized_arguments: '{"x": "1"}',
      parent_event_id: "e",
      workflow_id: null,
      workflow_type_key: null,
    });
  });

  it("keep what is stored in place of the arguments, so that it can be shown", () => {
    const { serialized_arguments, ...without } = DEFINITION;
    expect(parseInvocation("i", pythonJson(without))?.serialized_arguments).toBe("");
    expect(parseInvocation("i", pythonJson({ ...without, serialized_arguments: ["x"] }))?.serialized_arguments).toBe(
      '["x"]',
    );
  });

  it("give the parent of a runner context, which is nested in it", () => {
    const parent = { hostname: "vm", pid: 1, runner_cls: "ProcessRunner", runner_id: "p", thread_id: 8698638464 };
    const context = { ...parent, runner_cls: "ProcessRunnerWorker", runner_id: "c" };
    expect(parseRunnerContext("p", pythonJson(parent))).toEqual({ ...parent, parent_ctx_id: null });
    expect(parseRunnerContext("c", pythonJson({ ...context, parent_ctx: parent }))).toEqual({
      ...context,
      parent_ctx_id: "p",
    });
    expect(parseRunnerContext("c", pythonJson({ ...context, parent_ctx: null }))?.parent_ctx_id).toBeNull();
  });

  it.each(HOSTILE)("are read as null from %j", (text) => {
    expect([parseInvocation("i", text), parseWorkflowRun("i", text), parseRunnerContext("i", text)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
