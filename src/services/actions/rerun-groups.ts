/** Reruns by what failed. */

import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { RerunCall, RerunGroup } from "../../api/reruns.ts";
import { invocationIdOf } from "../../pynenc/keys.ts";
import type { Rerun } from "../../stores/ports/actions.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { EXCEPTION_BYTES } from "../../stores/value-limit.ts";
import { argumentsLine } from "../model/arguments-line.ts";
import { exceptionReader } from "../model/stored-values.ts";
import type { Below } from "./called-again.ts";
import { reasonOf } from "./rerun.ts";
import type { Choice } from "./rerun-choice.ts";

/** Calls listed in a preview, where each can be selected. */
export const LISTED = 1_000;

/** Exceptions and definitions read at a time. */
const READ_BATCH = 500;

export async function grouping(
  reads: AppReads,
  { chosen }: Choice,
  reruns: readonly Rerun[],
  below: Below["of"],
  rerun_as: ReadonlyMap<string, string>,
): Promise<{ groups: RerunGroup[]; calls: RerunCall[] }> {
  const answers = new Map(reruns.map((one) => [one.invocation_id, one]));
  const exceptions = await exceptionTypes(reads, chosen.map(invocationIdOf));
  const byGroup = new Map<string, { group: RerunGroup; rows: InvocationRow[] }>();
  for (const row of chosen) {
    const { invocation_id, task_id_key } = row;
    const exception_type = exceptions.get(invocation_id) ?? null;
    const key = JSON.stringify([task_id_key, exception_type]);
    const known = byGroup.get(key) ?? { group: { task_id_key, exception_type, registered: 0, refused: 0 }, rows: [] };
    byGroup.set(key, known);
    known.rows.push(row);
    // If the whole action is refused, there are no answers.
    if (answers.get(invocation_id)?.refusal === null) known.group.registered++;
    else known.group.refused++;
  }
  const sorted = [...byGroup.values()].sort((a, b) => b.rows.length - a.rows.length);
  const listed = sorted.flatMap(({ rows }) => rows).slice(0, LISTED);
  const definitions = await reads.state_backend.invocationsByIds(listed.map(invocationIdOf));
  const lines = new Map(definitions.map((one) => [one.invocation_id, argumentsLine(one.serialized_arguments, one)]));
  return {
    groups: sorted.map(({ group }) => group),
    calls: listed.map((row) => ({
      ...row,
      exception_type: exceptions.get(row.invocation_id) ?? null,
      arguments_line: lines.get(row.invocation_id) ?? null,
      led_to: below([row.invocation_id]),
      rerun_as: rerun_as.get(row.invocation_id) ?? null,
      refusal: reasonOf(answers.get(row.invocation_id)),
    })),
  };
}

/** Exceptions by invocation, of those that have one. */
async function exceptionTypes(reads: AppReads, ids: readonly string[]): Promise<Map<string, string>> {
  const types = new Map<string, string>();
  for (let start = 0; start < ids.length; start += READ_BATCH) {
    const rows = await reads.state_backend.outcomesOf(
      ["exception"],
      ids.slice(start, start + READ_BATCH),
      EXCEPTION_BYTES,
    );
    const read = await exceptionReader(
      reads,
      rows.map((row) => row.stored),
      EXCEPTION_BYTES,
      EXCEPTION_BYTES,
    );
    for (const { invocation_id, stored, ...mark } of rows) {
      const { type, error_name } = read(stored, mark).exception;
      types.set(invocation_id, type ?? error_name);
    }
  }
  return types;
}
