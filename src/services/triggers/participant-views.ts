/** The participants of a trigger run: the condition that was met, and the context that met it. */

import type { ParticipantView } from "../../api/conditions.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { ConditionRecord, EventRecord, ParticipantRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import {
  conditionView,
  contextView,
  readValidCondition,
  type StoredContext,
  snapshotContext,
  storedStrings,
} from "../model/condition-views.ts";
import { valueReader } from "../model/stored-values.ts";

/** What is still stored of everything the participants refer to, by id. */
export interface Stored {
  conditions: ReadonlyMap<string, ConditionRecord>;
  /** The JSON of valid conditions. */
  retained: ReadonlyMap<string, string>;
  events: ReadonlyMap<string, EventRecord>;
  invocations: ReadonlyMap<string, InvocationRow>;
}

/** Views in the order of the participants, with at most one batched read, for values that contexts refer to. */
export async function participantViews(
  reads: AppReads,
  participants: readonly ParticipantRecord[],
  stored: Stored,
): Promise<ParticipantView[]> {
  const met = participants.map((participant) => ({ participant, ...metBy(participant, stored) }));
  const show = await valueReader(
    reads,
    met.flatMap(({ context }) => storedStrings(context)),
  );
  return met.map(({ participant, context, condition_json, live }) => {
    const { condition_id, valid_condition_id, event_id, source_invocation_id } = participant;
    return {
      condition:
        condition_id === null ? null : conditionView(condition_id, stored.conditions.get(condition_id), condition_json),
      context: contextView(context, show),
      valid_condition_id,
      valid_condition_retained: live,
      source: stored.invocations.get(source_invocation_id ?? "") ?? null,
      event_stored: event_id !== null && stored.events.has(event_id),
    };
  });
}

interface Met {
  context: StoredContext;
  /** From the valid condition, if it is retained. */
  condition_json: string | null;
  live: boolean;
}

/** The context from the valid condition, otherwise reconstructed from what is left. */
function metBy(participant: ParticipantRecord, { retained, events }: Stored): Met {
  const json = retained.get(participant.valid_condition_id ?? "");
  const snapshot = snapshotContext(participant, events.get(participant.event_id ?? ""));
  if (json === undefined) return { context: snapshot, condition_json: null, live: false };
  const { context, condition_json } = readValidCondition(json);
  return { context: isOf(participant, context) ? context : snapshot, condition_json, live: true };
}

/** All exceptions of one type share one id (storage-format.md 1.5), so the retained context may be from a later failure. */
function isOf(participant: ParticipantRecord, context: StoredContext | null): context is StoredContext {
  if (context === null) return false;
  const { source_invocation_id: source } = participant;
  return source === null || context.view.invocation_id === null || context.view.invocation_id === source;
}
