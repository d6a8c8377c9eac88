/** The writes that register an invocation, in the order of pynenc's plugin (storage-format.md 9.4). */
import { pythonJson } from "../../../pynenc/python-dump.ts";
import type { RunnerContextRecord } from "../../../pynenc/records.ts";
import type { Registration } from "../../../pynenc/registration.ts";
import type { AppKeys } from "../keys/keys.ts";
import { contextJson, definitionCommands, historyCommands, registeredCommands } from "../keys/registration.ts";
import type { Command } from "../server/connection.ts";
import type { Write } from "./changes.ts";

/**
 * Everything but the message.
 *
 * @param stored arguments, which are added to the index for concurrency control.
 * @param newer definitions have the members of 0.2.4 and later.
 */
export function writesOf(
  keys: AppKeys,
  { invocation, status, history }: Registration,
  caller: RunnerContextRecord,
  stored: ReadonlyMap<string, string>,
  newer: boolean,
): Write[] {
  const { invocation_id: id, task_id_key: task } = invocation;
  const to = (component: Write["component"], commands: readonly Command[]): Write[] =>
    commands.map((command) => ({ component, command }));
  const context = keys.key("state_backend", "runner_context", caller.runner_id);
  const argumentKeys = [...stored].map(([name, value]) =>
    keys.key("orchestrator", "task", task, "arg", name, "val", value),
  );
  return [
    ...to("state_backend", definitionCommands(keys, invocation, newer)),
    ...to("orchestrator", registeredCommands(keys, status)),
    ...to("state_backend", [["SET", context, pythonJson(contextJson(caller)), "NX"]]),
    ...to("state_backend", historyCommands(keys, id, history)),
    ...to(
      "orchestrator",
      argumentKeys.map((key) => ["SADD", key, id]),
    ),
  ];
}
