/** Events that have no record, and are known from the valid conditions that they met: the event was purged, or the store records none. */
import type { AppReads } from "../../stores/ports/store.ts";
import { readValidCondition } from "./condition-views.ts";
import { bare, FEWEST_CHARACTERS, fits, writtenId } from "./written-id.ts";

/** No index tells which valid condition names an event. */
const SCAN_LIMIT = 100;

/** What is looked through, as the end of the sentence "Looked for ...". */
export const NAMED_EVENTS = `events that the latest ${SCAN_LIMIT} valid conditions name`;

/** Ids of valid conditions that name an event whose id the text is, or shortens. */
export async function conditionsNaming(reads: AppReads, text: string): Promise<string[]> {
  const written = writtenId(bare(text).toLowerCase());
  if ((written.pieces[0] ?? "").length < FEWEST_CHARACTERS) return [];
  const latest = (await reads.trigger.listValidConditions({ limit: SCAN_LIMIT, offset: 0 })) ?? [];
  return latest.flatMap(({ valid_condition_id, valid_condition_json }) => {
    const event = readValidCondition(valid_condition_json).context?.view.event_id ?? null;
    return event !== null && fits(written, event.toLowerCase()) ? [valid_condition_id] : [];
  });
}
