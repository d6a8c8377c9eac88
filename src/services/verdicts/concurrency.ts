/** Invocations that concurrency control holds back repeatedly. */
import { invocationIdOf, taskKeyOf } from "../../pynenc/keys.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { HELD_STATUSES, heldSlot, holderRole, holdOf } from "../model/slot-holders.ts";
import type { EndedFacts, HeldBack } from "./facts.ts";
import { countOf, type Examined, evidence, type Finding, numbered } from "./finding.ts";

/** Shorter waits are the normal effect of concurrency control. */
const LONG_SECONDS = 300;

/** Minimum number of times in that time: an invocation may also have been put back once by recovery. */
const MIN_TIMES = 3;

/** Maximum invocations examined. */
const SCAN_LIMIT = 100;

/** Number of them whose history is read (the oldest registrations), and entries read of all of them. */
const MOST_READ = 20;
const ENTRIES_READ = 5_000;

/** Number of invocations whose slot is explained. */
const SHOWN = 3;

/** Each step only runs if the previous one found something: most apps have no such invocations. */
export async function heldBack(reads: AppReads, now: number): Promise<Examined<HeldBack>> {
  const rows = await reads.orchestrator.listInvocations({ statuses: HELD_STATUSES }, { limit: SCAN_LIMIT, offset: 0 });
  if (rows.length === 0) return { found: [], more: false };
  const then = await reads.state_backend.lastEntriesBefore(rows.map(invocationIdOf), now - LONG_SECONDS);
  const before = new Set(then.flatMap((entry) => (HELD_STATUSES.includes(entry.status) ? [entry.invocation_id] : [])));
  const candidates = rows.filter((row) => before.has(row.invocation_id));
  const read = candidates.slice(-MOST_READ);
  const most = Math.floor(ENTRIES_READ / read.length);
  const holds = await Promise.all(read.map((row) => holdOf(reads, row.invocation_id, most)));
  const found = read.flatMap((row, at) => {
    const hold = holds[at] ?? null;
    // An invocation that made progress and was put back for another reason is not held back.
    if (hold === null || hold.first.timestamp > now - LONG_SECONDS) return [];
    const lately = hold.times.filter((time) => time >= now - LONG_SECONDS);
    return lately.length < MIN_TIMES ? [] : [{ row, hold }];
  });
  found.sort((a, b) => a.hold.first.timestamp - b.hold.first.timestamp);
  const more = rows.length >= SCAN_LIMIT || candidates.length > read.length;
  const shown = await Promise.all(
    found.map(async ({ row, hold }, at) => ({
      invocation_id: row.invocation_id,
      task_id_key: row.task_id_key,
      since: hold.first.timestamp,
      slot: at < SHOWN ? await heldSlot(reads, row, hold, now) : null,
    })),
  );
  return { found: shown, more };
}

export function heldByConcurrency({ held: examined }: EndedFacts): Finding | null {
  const held = examined.found;
  const [first] = held;
  if (first === undefined) return null;
  const tasks = [...new Set(held.map(taskKeyOf))];
  const slots = held.flatMap(({ invocation_id, task_id_key, slot }) =>
    slot === null ? [] : [{ of: held.length === 1 ? "" : `${invocation_id.slice(0, 8)} of ${task_id_key}: `, slot }],
  );
  const holders = new Map(
    slots.flatMap(({ slot }) =>
      slot.holders.map((holder) => [holder.invocation_id, holderRole(holder, slot.holders)] as const),
    ),
  );
  return {
    code: "held_by_concurrency",
    severity: "warning",
    sentence: `${numbered(examined, "invocation")} of ${tasks.slice(0, SHOWN).join(", ")} held back by concurrency control`,
    detail: [
      ...new Set(slots.flatMap(({ of, slot }) => slot.sentences.map((words, at) => (at === 0 ? of : "") + words))),
    ].join(" "),
    since: first.since,
    evidence: [
      ...evidence("invocation", held.map(invocationIdOf), "held back"),
      ...[...holders].flatMap(([id, role]) => evidence("invocation", [id], role)),
      ...evidence("task", tasks),
    ],
    ...countOf(examined),
  };
}
