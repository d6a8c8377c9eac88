/** Events without a record, known only from the valid conditions they met: the event was purged, or the store does not record events. */
import type { AppReads } from "../../stores/ports/store.ts";
import { readValidCondition } from "./condition-views.ts";
import { bare, fits, MIN_CHARACTERS, writtenId } from "./written-id.ts";

/** Number of valid conditions scanned, because no index maps an event to them. */
const SCAN_LIMIT = 100;

/** What was scanned, as the end of the sentence "Looked for ...". */
export const NAMED_EVENTS = `events that the latest ${SCAN_LIMIT} valid conditions name`;

/** Ids of valid conditions that name an event whose full or shortened id is the text. */
export async function conditionsNaming(reads: AppReads, text: string): Promise<string[]> {
  const written = writtenId(bare(text).toLowerCase());
  if ((written.pieces[0] ?? "").length < MIN_CHARACTERS) return [];
  const latest = (await reads.trigger.listValidConditions({ limit: SCAN_LIMIT, offset: 0 })) ?? [];
  return latest.flatMap(({ valid_condition_id, valid_condition_json }) => {
    const event = readValidCondition(valid_condition_json).context?.view.event_id ?? null;
    return event !== null && fits(written, event.toLowerCase()) ? [valid_condition_id] : [];
  });
}
