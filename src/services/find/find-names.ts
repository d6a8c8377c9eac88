import { folded } from "../../pynenc/folded.ts";
import type { IdKind } from "../../pynenc/id-kinds.ts";
import { STATUSES } from "../../pynenc/statuses.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { workflowTypeCounts } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { similarWords } from "../input/similar.ts";
import { IS_WORDS } from "../model/invocation-query.ts";
import { queuesOf } from "../model/queue-health.ts";
import { similarTasks, taskKeys } from "../model/task-keys.ts";
import { bare } from "../model/written-id.ts";
import { matchingNames, type NameMatches } from "./names.ts";
import { SHORTEST_WORD } from "./query-words.ts";

/** A page of the monitor itself, or an action that a page of it previews. */
export interface NamedPage {
  kind: "page" | "action";
  key: string;
  label: string;
  /** Everyday words for it. */
  words?: string;
}

/** Limit of names listed per kind. */
export const NAMES_LISTED = 10;
export const MAX_CODES = 1_000;

/** Newest runners whose host names are searched. */
const MAX_RUNNERS = 500;

export const NO_HOSTS = { runners: [], all: true };
export type NameKind = "task" | "queue" | "event_code" | "workflow_type" | "page" | "action" | "query";

/** All names of one kind. */
interface Names {
  kind: NameKind;
  names: readonly string[];
}

interface Named {
  kind: NameKind;
  found: NameMatches;
}

export async function allNames(app: OpenedApp, pages: readonly NamedPage[]): Promise<Names[]> {
  const [tasks, queues, types, codes] = await Promise.all([
    taskKeys(app),
    app.memo("queues to be found", async (reads) => (await queuesOf(app, reads)).queues),
    workflowTypeCounts(app),
    app.memo("event codes to be found", (reads) => reads.trigger.eventCodes(MAX_CODES)),
  ]);
  return [
    { kind: "task", names: tasks },
    // The one queue of pynenc before 0.4 has no name.
    { kind: "queue", names: queues.flatMap(({ queue_name }) => queue_name ?? []) },
    { kind: "event_code", names: codes },
    { kind: "workflow_type", names: types.map((type) => type.workflow_type_key) },
    { kind: "query", names: [...STATUSES.map(({ name }) => name), ...IS_WORDS] },
    { kind: "page", names: labelsOf(pages, "page") },
    { kind: "action", names: labelsOf(pages, "action") },
  ];
}

function labelsOf(pages: readonly NamedPage[], kind: NamedPage["kind"]): string[] {
  return pages.filter((page) => page.kind === kind).map((page) => page.label);
}

/** Names that match the text as typed, otherwise without surrounding quotes and punctuation. Pages are matched by label. */
export function namesOf(all: readonly Names[], query: string): Named[] {
  const fitting = (text: string) =>
    all.map(({ kind, names }) => {
      if (kind !== "query") return { kind, found: matchingNames(text, names, NAMES_LISTED) };
      const begun = text.length < SHORTEST_WORD ? [] : names.filter((name) => name.startsWith(folded(text)));
      // A status is an ordinary word, so it must not hide tasks with it in their names.
      return { kind, found: { ...matchingNames(text, begun, NAMES_LISTED), exact: false } };
    });
  const asWritten = fitting(query);
  const stripped = bare(query);
  return stripped === query || asWritten.some(({ found }) => found.names.length > 0) ? asWritten : fitting(stripped);
}

/** Labels of pages for which each word of the text begins an everyday word. */
export function pagesMeant(pages: readonly NamedPage[], text: string): string[] {
  const wanted = folded(bare(text)).split(/\s+/);
  if (wanted.some((word) => word.length < SHORTEST_WORD)) return [];
  return pages
    .filter(({ words = "" }) => wanted.every((word) => words.split(" ").some((own) => own.startsWith(word))))
    .map(({ label }) => label);
}

/** Similar names, in case the text is misspelled. */
export function namesLike(all: readonly Names[], text: string): { kind: NameKind; name: string }[] {
  return all
    .flatMap(({ kind, names }) =>
      (kind === "task" ? similarTasks(text, names) : similarWords(text, names)).map((name) => ({ kind, name })),
    )
    .slice(0, NAMES_LISTED);
}

/** Runners, among the newest, whose host name contains the text, or whose printed host and process are equal to it. */
export async function hostsOf(
  reads: AppReads,
  query: string,
): Promise<{ runners: { kind: IdKind; id: string }[]; all: boolean }> {
  const contexts = await reads.state_backend.listRunnerContexts({ limit: MAX_RUNNERS, offset: 0 });
  const wanted = folded(bare(query));
  const on = contexts.filter(({ runner_cls, hostname, pid }) => {
    const process = folded(`${hostname}:${pid ?? "?"}`);
    return folded(hostname).includes(wanted) || [process, `${folded(runner_cls)} ${process}`].includes(wanted);
  });
  return {
    runners: on.slice(0, NAMES_LISTED).map((context) => ({ kind: "runner", id: context.runner_id })),
    all: contexts.length < MAX_RUNNERS && on.length <= NAMES_LISTED,
  };
}
