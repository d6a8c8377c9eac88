/** Finds names in filters that occur neither in rows nor in the history, nor, for queues, in settings. They explain an empty list. */
import { quote } from "../../errors.ts";
import type { IdKind } from "../../pynenc/id-kinds.ts";
import { workflowTypeCounts } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { similarWords, unknownName } from "../input/similar.ts";
import { queuesOf } from "./queue-health.ts";
import { similarTasks, taskKeys } from "./task-keys.ts";

/** Names by kind. */
export interface AskedNames {
  tasks?: readonly string[];
  workflow_types?: readonly string[];
  queues?: readonly string[];
  /** Full ids. */
  runners?: readonly string[];
  invocations?: readonly string[];
  workflows?: readonly string[];
  calls?: readonly string[];
  triggers?: readonly string[];
}

export interface UnknownName {
  kind: string;
  name: string;
  /** Says that the name is not known, and lists similar ones. */
  sentence: string;
}

/** History entries searched for a runner without a record of its own. */
const ENTRIES_SEARCHED = 20_000;

/** The names that are certainly not known. Not inside `store.read`. */
export async function unknownAmong(app: OpenedApp, asked: AskedNames): Promise<UnknownName[]> {
  const { tasks = [], workflow_types = [], queues = [], runners = [], invocations = [], workflows = [] } = asked;
  const { calls = [], triggers = [] } = asked;
  return [
    ...(tasks.length === 0 ? [] : missing("task", tasks, await taskKeys(app), similarTasks)),
    ...(workflow_types.length === 0
      ? []
      : missing(
          "workflow type",
          workflow_types,
          (await workflowTypeCounts(app)).map((type) => type.workflow_type_key),
        )),
    ...(queues.length === 0 ? [] : await missingQueues(app, queues)),
    ...(await withoutRecord(app, [
      ...runners.map((id) => ({ kind: "runner" as const, id })),
      ...invocations.map((id) => ({ kind: "invocation" as const, id })),
      ...workflows.map((id) => ({ kind: "workflow" as const, id })),
      ...calls.map((id) => ({ kind: "call" as const, id })),
      ...triggers.map((id) => ({ kind: "trigger" as const, id })),
    ])),
  ];
}

/** Those of the names that are not known. @param alike finds similar known names. */
export function missing(
  kind: string,
  names: readonly string[],
  known: readonly string[],
  alike: (name: string, known: readonly string[]) => string[] = similarWords,
): UnknownName[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({ kind, name, sentence: unknownName(kind, name, alike(name, known), known) }));
}

/** A queue is known if it has messages, is declared, or an active runner names it. */
async function missingQueues(app: OpenedApp, names: readonly string[]): Promise<UnknownName[]> {
  const { queues, named, complete, unreachable } = await app.store.read((reads) => queuesOf(app, reads));
  if (!named || !complete || unreachable !== null) return [];
  return missing(
    "queue",
    names,
    queues.flatMap(({ queue_name }) => queue_name ?? []),
  );
}

const ID_WORDS = {
  runner: "runner",
  invocation: "invocation",
  workflow: "workflow run",
  call: "call",
  trigger: "trigger",
};

async function withoutRecord(
  app: OpenedApp,
  wanted: readonly { kind: keyof typeof ID_WORDS & IdKind; id: string }[],
): Promise<UnknownName[]> {
  if (wanted.length === 0) return [];
  return app.store.read(async (reads) => {
    const known = await reads.ids.known(wanted);
    const unknown = wanted.filter(({ kind, id }) => !known.some((one) => one.kind === kind && one.id === id));
    const inHistory = await Promise.all(
      unknown.map(async ({ kind, id }) => {
        if (kind !== "runner") return false;
        const roles = (["worker", "registrar"] as const).map((role) =>
          reads.state_backend.listActive({ by: { runner_id: id, role } }, 1, ENTRIES_SEARCHED),
        );
        return (await Promise.all(roles)).some(({ rows, exhausted }) => rows.length > 0 || !exhausted);
      }),
    );
    return unknown.flatMap(({ kind, id }, at) =>
      inHistory[at] === true
        ? []
        : [{ kind: ID_WORDS[kind], name: id, sentence: `No ${ID_WORDS[kind]} ${quote(id)} is stored.` }],
    );
  });
}
