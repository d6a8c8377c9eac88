/** How two calls of the same place in two families differ. */
import type { DiffArgument, DifferenceKind, DiffNode, DiffPhase } from "../../api/diff.ts";
import type { PathPhase } from "../../api/model/critical-path.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import { argumentsMap } from "../../pynenc/values.ts";
import { valueLine } from "../model/arguments-line.ts";

/** What is read of the invocations that are compared. */
export interface Facts {
  rows: ReadonlyMap<string, InvocationRow>;
  definitions: ReadonlyMap<string, InvocationRecord>;
  /** Microseconds by phase; without invocations whose history was not read completely. */
  phases: ReadonlyMap<string, ReadonlyMap<PathPhase, number>>;
}

/** What a pair may differ in. */
export type Fact = Exclude<DifferenceKind, "only_a" | "only_b">;

export const KIND_WORDS: Readonly<Record<Fact, string>> = {
  task: "task",
  outcome: "outcome",
  arguments: "arguments",
  attempts: "retries",
  times: "times",
};

export interface Compared {
  node: DiffNode;
  /** What is not known of one of the two. */
  unknown: readonly Fact[];
}

export function nodeOf(aId: string | null, bId: string | null, depth: number, facts: Facts): Compared {
  const [a, b] = [facts.rows.get(aId ?? "") ?? null, facts.rows.get(bId ?? "") ?? null];
  const task_id_key = a?.task_id_key ?? b?.task_id_key ?? null;
  if (a === null || b === null) {
    const differs: DifferenceKind[] = [b === null ? "only_a" : "only_b"];
    const node = { depth, task_id_key, a, b, differs, arguments: [], phases: null, difference_seconds: null };
    return { node, unknown: [] };
  }
  const [given, other] = [facts.definitions.get(a.invocation_id), facts.definitions.get(b.invocation_id)];
  const known = isOutcomeKnown(a) && isOutcomeKnown(b);
  const phases = known ? phaseDifferences(facts.phases.get(a.invocation_id), facts.phases.get(b.invocation_id)) : null;
  const compared: [Fact, boolean | null][] = [
    ["task", differ(a.task_id_key, b.task_id_key)],
    ["outcome", known ? outcomesDiffer(a, b) : null],
    ["arguments", differ(given?.arguments_id, other?.arguments_id)],
    ["attempts", differ(a.retry_count, b.retry_count)],
    ["times", phases?.some((phase) => phase.difference_seconds !== 0) ?? null],
  ];
  const differs = compared.flatMap(([kind, different]) => (different === true ? [kind] : []));
  const node: DiffNode = {
    depth,
    task_id_key,
    a,
    b,
    differs,
    arguments: differs.includes("arguments") ? argumentDifferences(given, other) : [],
    phases,
    difference_seconds:
      phases === null ? null : phases.reduce((sum, phase) => sum + Math.round(phase.difference_seconds * 1e6), 0) / 1e6,
  };
  return { node, unknown: compared.flatMap(([kind, different]) => (different === null ? [kind] : [])) };
}

/** Null if one is not stored. */
function differ<T>(a: T | null | undefined, b: T | null | undefined): boolean | null {
  return (a ?? null) === null || (b ?? null) === null ? null : a !== b;
}

/** In status, or class or message of the exception; null if that is not known. */
function outcomesDiffer(a: InvocationRow, b: InvocationRow): boolean | null {
  if (a.status !== b.status) return true;
  if (a.status !== "failed") return false;
  const [one, other] = [a.exception, b.exception];
  if (one === null || other === null) return null;
  return one.type !== other.type || one.message !== other.message;
}

/** Without a status in the orchestrator and without a final history entry, the outcome is not known. */
function isOutcomeKnown({ status_source, final }: InvocationRow): boolean {
  return status_source === "orchestrator" || (status_source === "history" && final);
}

function phaseDifferences(
  a: ReadonlyMap<PathPhase, number> | undefined,
  b: ReadonlyMap<PathPhase, number> | undefined,
): DiffPhase[] | null {
  if (a === undefined || b === undefined) return null;
  return [...new Set([...a.keys(), ...b.keys()])].map((phase) => {
    const [left, right] = [a.get(phase) ?? 0, b.get(phase) ?? 0];
    return { phase, a_seconds: left / 1e6, b_seconds: right / 1e6, difference_seconds: (right - left) / 1e6 };
  });
}

/** Differences by argument name. Empty if either is not stored, not readable, or too large to read completely. */
function argumentDifferences(a: InvocationRecord | undefined, b: InvocationRecord | undefined): DiffArgument[] {
  const [left, right] = [valuesOf(a), valuesOf(b)];
  if (left === null || right === null) return [];
  const line = (stored: string | undefined) => (stored === undefined ? null : valueLine(stored));
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((name) => left.get(name) !== right.get(name))
    .map((name) => ({ name, a: line(left.get(name)), b: line(right.get(name)) }));
}

function valuesOf(definition: InvocationRecord | undefined): ReadonlyMap<string, string> | null {
  if (definition === undefined || definition.whole_size !== undefined) return null;
  return argumentsMap(definition.serialized_arguments);
}
