/**
 * Time to find ids of each kind by their parts, and of searches, filters and completions, in a store that is there: a million invocations are written by `npm run bench`.
 *
 *   npm run bench:find -- --db bench/.data/bulk-1000000.db
 *   npm run bench:find -- --url redis://127.0.0.1:6379/0
 */
import { parseArgs } from "node:util";
import { type OptionFlags, resolveConfiguration } from "../src/config/options.ts";
import { searchedPages } from "../src/presentation/nav-entries.ts";
import { shortId } from "../src/presentation/text.ts";
import type { IdKind } from "../src/pynenc/id-kinds.ts";
import { Workspace } from "../src/services/app/workspace.ts";
import { find } from "../src/services/find/find.ts";
import { completeQuery } from "../src/services/find/query-completion.ts";
import { listInvocations, readInvocationInput } from "../src/services/invocations/invocations.ts";
import { QUERY_FIELDS } from "../src/services/model/invocation-query.ts";
import { resolveTexts } from "../src/services/model/resolve-ids.ts";
import type { AppReads } from "../src/stores/ports/store.ts";

const ROUNDS = 20;
const ONE = { limit: 1, offset: 0 };

const { values } = parseArgs({ options: { db: { type: "string" }, url: { type: "string" }, app: { type: "string" } } });
const flags: OptionFlags = { ...values, readOnly: true };
const configuration = resolveConfiguration({ flags, env: {}, cwd: process.cwd() });
const clock = () => Date.now() / 1000;
const workspace = await Workspace.connect({ configuration, env: {}, cwd: process.cwd(), threads: 2, clock });
const app = await workspace.openOnly();
await app.completeInventory();
console.log("| What | first ms | median ms | p95 ms | matches |\n|---|---|---|---|---|");

for (const [kind, id] of Object.entries(await app.store.read(someIds)) as [IdKind, string | undefined][]) {
  if (id === undefined) continue;
  for (const text of [id, shortId(id), id.slice(0, -2)]) {
    await measured(`${kind} ${text}`, async () => {
      const [found] = await app.store.read((reads) => resolveTexts(reads, [{ text, kinds: [kind] }]));
      return `${found?.matches.length}${found?.complete ? "" : "+"}`;
    });
  }
}
const { invocation = "", event = "" } = await app.store.read(someIds);
const line = `2026-11-20 12:00:00 INFO pynenc [invocation:${invocation}] after ${shortId(event)}`;
for (const text of [invocation, shortId(invocation), "0000", "zzzz", "task", "worker", "ORD-10012", line]) {
  await measured(`search ${text}`, async () => {
    const { matches, complete } = await find(app, { q: [text] }, searchedPages(true, false));
    return `${matches.length}${complete ? "" : "+"}`;
  });
}
const [task = ""] = await app.store.read((reads) => reads.orchestrator.taskKeys());
const queries = [
  ...[
    "status:failed",
    `task:${task}`,
    "task:*.charge",
    "exception:ValueError",
    "exception:NoSuchError",
    "error:timeout",
  ],
  ...["arg:ORD-10012", "run>5s", "wait>1m", "retries>=2", "has:children", "is:waiting", "is:stuck", "since:1h"],
  ...["until:2d", "ORD-10012", `-task:${task}`, `id:${invocation.slice(0, 4)}`],
  ...Object.entries(await app.store.read(someNames)).flatMap(([field, name]) => (name ? [`${field}:"${name}"`] : [])),
];
// What the language gains is measured too.
const unmeasured = Object.keys(QUERY_FIELDS).filter(
  (field) => !queries.some((q) => new RegExp(`^${field}\\W`).test(q)),
);
if (unmeasured.length > 0) console.error(`Not measured, as the store has no value for them: ${unmeasured.join(", ")}`);
for (const q of queries) {
  await measured(`filter ${q}`, async () => {
    const { invocations, page } = await listInvocations(app, await readInvocationInput(app, { q: [q] }));
    return `${invocations.length}${page.total === null ? "+" : ""}`;
  });
}
for (const q of ["task:", "exception:", "runner:"]) {
  await measured(`completion ${q}`, async () => `${(await completeQuery(app, { q: [q] })).suggestions.length}`);
}
await workspace.close();

async function measured(name: string, run: () => Promise<string>): Promise<void> {
  const times: number[] = [];
  let matches = "";
  for (let i = 0; i < ROUNDS; i++) {
    const started = performance.now();
    matches = await run();
    times.push(performance.now() - started);
  }
  const [first = Number.NaN] = times;
  times.sort((a, b) => a - b);
  const at = (q: number) => (times[Math.floor(ROUNDS * q)] ?? Number.NaN).toFixed(1);
  console.log(`| ${name.slice(0, 90)} | ${first.toFixed(1)} | ${at(0.5)} | ${at(0.95)} | ${matches} |`);
}

async function someIds({ orchestrator, state_backend, trigger, client_data_store }: AppReads) {
  const [invocation] = await orchestrator.listInvocations({}, { limit: 1, offset: 1_000 });
  const [workflow] = await state_backend.workflowRuns(ONE);
  const [event] = await trigger.listEvents({}, ONE);
  const [run] = await trigger.listTriggerRuns({}, ONE);
  const [definition] = await trigger.triggers({}, ONE);
  const [runner] = await state_backend.listRunnerContexts(ONE);
  const [execution] = await orchestrator.executions(ONE);
  const [value] = await client_data_store.listValues(ONE);
  return {
    invocation: invocation?.invocation_id,
    call: invocation?.call_id_key,
    workflow: workflow?.workflow_id,
    event: event?.event_id,
    trigger_run: run?.trigger_run_id,
    trigger: definition?.trigger_id,
    condition: definition?.condition_ids[0],
    runner: runner?.runner_id,
    atomic_service_run: execution?.atomic_service_run_id,
    client_data: value?.data_key,
  } satisfies Partial<Record<IdKind, string | undefined>>;
}

/** What filters by another thing take, of the invocation that some of them fit. */
async function someNames({ orchestrator, state_backend }: AppReads) {
  const rows = await orchestrator.listInvocations({}, { limit: 1_000, offset: 0 });
  const ids = rows.map((row) => row.invocation_id);
  const [definitions, [runner]] = await Promise.all([
    state_backend.invocationsByIds(ids),
    state_backend.listRunnerContexts(ONE),
  ]);
  const child = definitions.find((one) => one.parent_invocation_id !== null);
  const step = definitions.find((one) => one.workflow_id !== null);
  return {
    parent: child?.parent_invocation_id,
    workflow: step?.workflow_id,
    type: step?.workflow_type_key,
    call: rows[0]?.call_id_key,
    runner: runner?.runner_id,
    registered_by: runner?.runner_id,
  };
}
