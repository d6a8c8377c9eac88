/** Histories of invocations. */
import { parseHistory } from "../../../pynenc/json-records.ts";
import type { HistoryRecord } from "../../../pynenc/records.ts";
import { printOf, type RowPrint } from "../../../pynenc/row-prints.ts";
import { type EpochSeconds, epochFromIso } from "../../../pynenc/time.ts";
import { historySpans } from "../../history-spans.ts";
import type { HistoryReads } from "../../ports/state-backend.ts";
import { inChunks } from "../../server/chunks.ts";
import { LIST_BYTES } from "../../value-limit.ts";
import { instant, text } from "../collections/fields.ts";
import { atOrBefore } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document, Filter } from "../server/db.ts";

/** Invocations asked for at once. */
const IDS = 1_000;

/** Entries read at once: about two megabytes. */
const STEP = 5_000;

/** Entries of several invocations that are read completely; of the remaining ones, only both ends are. */
const MOST_ENTRIES = 50_000;

/** Entries read at each end of a history that is not read completely. */
const END = 16;

export function historyReads(reading: MongoReading): HistoryReads {
  const history = reading.of("state_backend", "history");

  return {
    async historyOf(invocationIds, limit, end = "earliest") {
      const where = { invocation_id: { $in: [...new Set(invocationIds)] } };
      const direction = end === "earliest" ? 1 : -1;
      const found = await history.find(where, { sort: { history_timestamp: direction, _id: direction }, limit });
      return (end === "earliest" ? found : found.reverse()).map(historyRecord);
    },

    countHistoryOf: (invocation_id) => history.count({ invocation_id }),

    historySpanOf: async (invocationIds) => historySpans(await endsOf(reading, invocationIds)),

    async lastEntriesBefore(invocationIds, before) {
      const found = await endsOf(reading, invocationIds, { history_timestamp: { $lte: atOrBefore(before) } });
      const last = new Map<string, HistoryRecord>();
      for (const entry of found) if (entry.written_at < before) last.set(entry.invocation_id, entry);
      return [...last.values()];
    },
  };
}

/** Both ends of each history at least, in the order of writing. */
async function endsOf(
  reading: MongoReading,
  invocationIds: readonly string[],
  where: Filter = {},
): Promise<HistoryRecord[]> {
  const found: Document[] = [];
  for (const some of inChunks([...new Set(invocationIds)].sort(), IDS)) {
    found.push(...(await endsOfSome(reading, some, where)));
  }
  return inWrittenOrder(found).map(historyRecord);
}

async function endsOfSome(reading: MongoReading, ids: readonly string[], where: Filter): Promise<Document[]> {
  const history = reading.of("state_backend", "history");
  const found: Document[] = [];
  let open = ids;
  while (open.length > 0) {
    const step = await history.find(
      { ...where, invocation_id: { $in: open } },
      { sort: { invocation_id: 1, history_timestamp: 1 }, limit: STEP },
    );
    if (step.length < STEP) return [...found, ...step];
    // The history of the last one may go on, so it is read again as a whole.
    const last = text(step.at(-1)?.invocation_id);
    found.push(...step.filter((entry) => text(entry.invocation_id) !== last));
    open = open.filter((id) => id >= last);
    if (step[0]?.invocation_id === last || found.length >= MOST_ENTRIES) break;
  }
  const ends = await Promise.all(
    open.flatMap((invocation_id) =>
      ([1, -1] as const).map((direction) =>
        history.find({ ...where, invocation_id }, { sort: { history_timestamp: direction }, limit: END }),
      ),
    ),
  );
  return [...found, ...new Map(ends.flat().map((entry) => [text(entry._id), entry])).values()];
}

/** Documents of one millisecond are in the order of the index until then. */
export function inWrittenOrder(documents: readonly Document[]): Document[] {
  const keyed = documents.map((stored) => ({ stored, at: writtenAt(stored), id: text(stored._id) }));
  keyed.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  return keyed.map(({ stored }) => stored);
}

const WRITTEN = /"_timestamp": ?"([^"]{1,40})"/;

/** The Date of a document has milliseconds; the same time with microseconds is in its JSON. NaN if it has none. */
export function writtenAt({ history_timestamp, history_json }: Document): EpochSeconds {
  const stored = instant(history_timestamp);
  const [, iso = ""] = WRITTEN.exec(text(history_json)) ?? [];
  const exact = epochFromIso(iso) ?? Number.NaN;
  return exact >= stored && exact < stored + MILLISECOND ? exact : stored;
}

const MILLISECOND = 0.001;

export function historyRecord(stored: Document): HistoryRecord {
  const json = text(stored.history_json);
  const details = json.length > LIST_BYTES ? null : parseHistory(json);
  const written_at = writtenAt(stored);
  return {
    invocation_id: text(stored.invocation_id),
    timestamp: details?.timestamp ?? written_at,
    written_at,
    status: text(stored.history_status),
    status_runner_id: details?.status_runner_id ?? null,
    runner_context_id: details?.runner_context_id ?? null,
    registered_by_inv_id: details?.registered_by_inv_id ?? null,
  };
}

/** Fingerprints of documents of the history. */
export function historyPrints(documents: readonly Document[]): RowPrint[] {
  const prints: RowPrint[] = [];
  for (const stored of documents) {
    const written_at = writtenAt(stored);
    const texts = [text(stored.invocation_id), text(stored.history_status), text(stored.history_json)];
    if (Number.isFinite(written_at)) prints.push({ written_at, print: printOf(written_at, texts) });
  }
  return prints;
}
