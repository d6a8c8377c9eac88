/** Actions on an app through this user's monitors, in the browser or on a terminal. */

import type { AuditPage } from "../../api/audit.ts";
import { outgoing } from "../../config/masking.ts";
import { auditInput } from "../../inputs/actions.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import type { ActionLog } from "./action-log.ts";

/** Actions on this app in this store. @throws InvalidInputError */
export async function auditPage(app: OpenedApp, log: ActionLog, raw: RawInput): Promise<AuditPage> {
  const { limit, page: number } = parseInput(auditInput, raw);
  const { entries, problem } = await log.recorded();
  const { app_id } = app;
  const { location } = app.store;
  // As they are in the record, where secrets are masked.
  const recorded = outgoing({ app_id, location });
  const own = entries.filter((entry) => entry.app_id === recorded.app_id && entry.location === recorded.location);
  const slot = { number, size: limit };
  const { offset, limit: most } = sliceOf(slot);
  const { rows, page } = pageOf(own.slice(offset, offset + most), slot, own.length);
  return {
    app_id,
    location,
    entries: rows,
    page,
    file: log.path,
    notes: [...notesOn(log.path, problem), ...malformedNotes(log.malformed)],
  };
}

function notesOn(path: string | null, problem: string | null): string[] {
  if (path === null)
    return ["This user has no home folder, so actions are not recorded on disk. Use --state-dir to name a folder."];
  return problem === null ? [] : [`${path} cannot be read (${problem}): only what this monitor did is shown.`];
}

function malformedNotes(count: number): string[] {
  if (count === 0) return [];
  return [
    `This monitor refused ${counted(count, "request")} because a parameter was not accepted; ${count === 1 ? "it is" : "they are"} not listed.`,
  ];
}
