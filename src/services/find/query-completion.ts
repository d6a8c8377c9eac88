/** Completes the end of a query, for the search field of pages and for shells. */

import type { QueryCompletion } from "../../api/find.ts";
import { queryCompletionInput } from "../../inputs/find.ts";
import { folded } from "../../pynenc/folded.ts";
import { STATUSES } from "../../pynenc/statuses.ts";
import { countByStatus, workflowTypeCounts } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { openPiece, queryValue } from "../input/query-text.ts";
import { groupInvocations } from "../invocations/groups.ts";
import { HAVING_WORDS } from "../model/invocation-conditions.ts";
import { NO_FILTER } from "../model/invocation-filter.ts";
import { IS_WORDS, QUERY_FIELDS } from "../model/invocation-query.ts";
import { taskKeys } from "../model/task-keys.ts";

/** Limit of suggestions, to fit a list below the field. */
const OFFERED = 20;

/** Limit of runners suggested, those with the latest heartbeats. */
const RUNNERS = 200;

/** Newest failed invocations whose exceptions are suggested. */
const FAILURES = { matches: 200, candidates: 1_000 };

type Values = readonly string[] | ((app: OpenedApp) => Promise<readonly string[]>);

/** Values per field. Computing them must not take work that grows with the store. */
export const FIELD_VALUES: Readonly<Record<string, Values>> = {
  status: async (app) => [...new Set([...STATUSES.map(({ name }) => name), ...Object.keys(await countByStatus(app))])],
  task: taskKeys,
  type: async (app) => (await workflowTypeCounts(app)).map((type) => type.workflow_type_key),
  exception: latestExceptions,
  runner: runnerIds,
  registered_by: runnerIds,
  since: ["15m", "1h", "3h", "1d", "1w", "yesterday"],
  until: ["15m", "1h", "3h", "1d", "1w", "yesterday"],
  has: HAVING_WORDS,
  is: IS_WORDS,
};

/** Exceptions of the newest failures, most frequent first. */
export async function latestExceptions(app: OpenedApp): Promise<string[]> {
  const [found] = await groupInvocations(app, NO_FILTER, ["exception"], FAILURES);
  return (found?.groups ?? []).flatMap(({ value }) => value ?? []);
}

async function runnerIds(app: OpenedApp): Promise<string[]> {
  const heartbeats = await app.memo("runners offered", (reads) =>
    reads.orchestrator.heartbeats({ limit: RUNNERS, offset: 0 }),
  );
  return heartbeats.map(({ runner_id }) => runner_id);
}

/** @param raw `q` is the query up to the cursor. @throws InvalidInputError */
export async function completeQuery(app: OpenedApp, raw: RawInput): Promise<QueryCompletion> {
  const query = parseInput(queryCompletionInput, raw).q ?? "";
  const { field, typed, from } = openPiece(query);
  const suggestions = field === null ? fields(typed) : await values(app, field, typed);
  return { from, suggestions };
}

function fields(typed: string): QueryCompletion["suggestions"] {
  return Object.entries(QUERY_FIELDS)
    .filter(([name]) => name.startsWith(typed.toLowerCase()))
    .map(([name, { words, sized }]) => ({ text: `${name}${sized ? ">" : ":"}`, about: words, whole: false }));
}

async function values(app: OpenedApp, field: string, typed: string): Promise<QueryCompletion["suggestions"]> {
  const known = FIELD_VALUES[field] ?? [];
  const names = typeof known === "function" ? await known(app) : known;
  return matching(names, typed)
    .slice(0, OFFERED)
    .map((name) => ({ text: queryValue(name), about: null, whole: true }));
}

/** Names that start with the text come before those that only contain it. */
function matching(names: readonly string[], typed: string): string[] {
  const wanted = folded(typed);
  const held = names.filter((name) => folded(name).includes(wanted));
  const begins = (name: string) => folded(name).startsWith(wanted);
  return [...held.filter(begins), ...held.filter((name) => !begins(name))];
}
