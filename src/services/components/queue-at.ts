/**
 * What waited for a runner at an instant of the past. Messages that were taken are gone, so it follows from the history: an invocation waits from
 * entering a status in which a runner may take it until its next status (storage-format.md 2.5). `status --at` counts the same statuses.
 */
import type { QueuePage } from "../../api/components.ts";
import { invocationIdOf } from "../../pynenc/keys.ts";
import { historiesInOrder } from "../../pynenc/life.ts";
import { counted } from "../../pynenc/numbers.ts";
import { WAITING_STATUSES, waitingAmong } from "../../pynenc/statuses.ts";
import { type EpochSeconds, isoFromEpoch, secondsSince } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { readsAsOf } from "../app/as-of.ts";
import { ifUnreachable, type OpenedApp } from "../app/opened-app.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { WRITTEN_LATE_SECONDS } from "../model/invocation-life.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { statusAt } from "../stats/status-at.ts";

/** Status changes read on either side of the instant, and invocations that still wait. */
const READ = 2_000;

/** What waited, the longest wait first. */
interface Waiting {
  found: { invocation_id: string; since: EpochSeconds }[];
  /** Whether these are all: everything that was written before the instant has been read, and nothing of it is missing. */
  whole: boolean;
  /** The history reaches back to the instant. */
  begun: boolean;
  named: boolean;
}

/** @param patience maximum milliseconds for the exact count; chosen by the answering side if absent. */
export async function queueAt(
  app: OpenedApp,
  at: EpochSeconds,
  wanted: { number: number; size: number },
  patience?: number,
): Promise<QueuePage> {
  const iso = isoFromEpoch(at);
  const [waiting, { statuses, why_not }] = await Promise.all([
    app.store.read((reads) => waitingAt(reads, at)),
    statusAt(app, { at: [iso] }, patience),
  ]);
  const { found } = waiting;
  const counts = statuses && waitingAmong(statuses);
  const known = !waiting.begun ? null : waiting.whole ? found.length : counts;
  const total = Math.max(known ?? 0, found.length);
  const { limit, offset } = sliceOf(wanted);
  const { rows, page } = pageOf(found.slice(offset, offset + limit), wanted, total, known === null);
  const invocations = await app.store.read((reads) => invocationRows(readsAsOf(reads, at), rows.map(invocationIdOf)));
  return {
    at: iso,
    present: true,
    queue_peek: true,
    named_queues: false,
    queue_note: notes(waiting, total, known === null ? why_not : null, iso).join(" ") || null,
    queues_complete: known !== null,
    queue: null,
    queues: [],
    more_queues: 0,
    messages: rows.flatMap(({ since }, index) => {
      const row = invocations[index];
      const queued = { queue_name: null, priority: null, place: offset + index + 1 };
      return row === undefined
        ? []
        : [{ ...row, ...queued, queued_at: isoFromEpoch(since), queued_seconds: secondsSince(since, at) }];
    }),
    page,
  };
}

function notes({ found, whole, begun, named }: Waiting, total: number, why_not: string | null, at: string): string[] {
  if (!begun) return [`What waited is not known: no status change until ${at} is stored.`];
  const said = ["From the history, the longest wait first."];
  if (named) said.push("In which queue a message was, and with which priority, is not stored.");
  if (whole) return said;
  const read = `Only ${counted(READ, "status change")} before and after the instant were read`;
  if (why_not !== null) return [...said, `At least these waited: ${why_not}. ${read}.`];
  const left = total - found.length;
  return left > 0 ? [...said, `${counted(left, "more invocation")} waited. ${read}, so they are not listed.`] : said;
}

/**
 * Three bounded reads find most of them: those that began to wait just before the instant, those that were taken just after it, and those that have
 * waited since, of which a purge may have left only the status.
 */
async function waitingAt(reads: AppReads, at: EpochSeconds): Promise<Waiting> {
  const { state_backend, orchestrator } = reads;
  const [span, before, after, still, layout] = await Promise.all([
    state_backend.historySpan(),
    state_backend.historyBetween({ to: at + WRITTEN_LATE_SECONDS }, READ + 1, "latest"),
    state_backend.historyBetween({ from: at }, READ, "earliest"),
    orchestrator.listInvocations({ statuses: WAITING_STATUSES }, { limit: READ, offset: 0 }),
    reads.broker.layout().catch(ifUnreachable),
  ]);
  const until = before.filter(({ timestamp }) => timestamp <= at);
  const seen = new Set(until.map(invocationIdOf));
  const later = historiesInOrder(after.filter(({ timestamp, invocation_id: id }) => timestamp > at && !seen.has(id)));
  const waiting = still.filter(({ status_timestamp, invocation_id: id }) => status_timestamp <= at && !seen.has(id));
  const others = [...new Set([...later.keys(), ...waiting.map(invocationIdOf)])];
  const histories = historiesInOrder([...(await state_backend.lastEntriesBefore(others, at)), ...until]);
  const found = [...histories].flatMap(([invocation_id, history]) => {
    const { status = "", timestamp: since = 0 } = history.at(-1) ?? {};
    return WAITING_STATUSES.includes(status) ? [{ invocation_id, since }] : [];
  });
  const unwritten = waiting.filter(({ invocation_id: id }) => !histories.has(id));
  for (const { invocation_id, status_timestamp: since } of unwritten) found.push({ invocation_id, since });
  found.sort((a, b) => a.since - b.since || (a.invocation_id < b.invocation_id ? -1 : 1));
  const unbegun = [...later].some(([id, [first]]) => first?.status !== "registered" && !histories.has(id));
  return {
    found,
    whole: before.length <= READ && !unbegun && unwritten.length === 0,
    begun: span !== null && span.first <= at,
    named: layout?.named === true,
  };
}
