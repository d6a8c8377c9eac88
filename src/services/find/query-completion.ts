/** What may stand at the end of a query that is being written: for the search field of pages, and for shells. */
import type { QueryCompletion } from "../../api/find.ts";
import { STATUSES } from "../../pynenc/statuses.ts";
import { countByStatus, workflowTypeCounts } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput, text } from "../input/input.ts";
import { openPiece, queryValue } from "../input/query-text.ts";
import { groupInvocations } from "../invocations/groups.ts";
import { HAVING_WORDS } from "../model/invocation-conditions.ts";
import { NO_FILTER } from "../model/invocation-filter.ts";
import { IS_WORDS, QUERY_FIELDS } from "../model/invocation-query.ts";
import { taskKeys } from "../model/task-keys.ts";

/** What fits a list below a field. */
const OFFERED = 20;

/** Runners that are offered, those with the latest heartbeats. */
const RUNNERS = 200;

/** Failed invocations whose exceptions are offered, the newest. */
const FAILURES = { matches: 200, candidates: 1_000 };

type Values = readonly string[] | ((app: OpenedApp) => Promise<readonly string[]>);

/** Values of fields that have names for them. None costs work that grows with the store. */
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

/** Those of the newest failures, the commonest first. */
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

const SHAPE = { q: text };

/** @param raw `q`: the query up to where somebody writes. @throws InvalidInputError */
export async function completeQuery(app: OpenedApp, raw: RawInput): Promise<QueryCompletion> {
  const query = parseInput(SHAPE, raw).q ?? "";
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

/** What begins so comes before what holds it somewhere. */
function matching(names: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase();
  const held = names.filter((name) => name.toLowerCase().includes(wanted));
  const begins = (name: string) => name.toLowerCase().startsWith(wanted);
  return [...held.filter(begins), ...held.filter((name) => !begins(name))];
}
