/** Removes old data: final invocations and executions of the orchestrator, events and trigger runs (storage-format.md 5.7, 6.4, 7.3). */

import type {
  ActionCount,
  AutoPurgePreview,
  EventPurgeOutcome,
  OrchestratorAutoPurgePreview,
  OrchestratorPurgeOutcome,
} from "../../api/actions.ts";
import type { SettingRow } from "../../api/model/common.ts";
import { eventRules, orchestratorRules } from "../../inputs/actions.ts";
import { counted } from "../../pynenc/numbers.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type {
  EventPurge,
  EventRetention,
  OrchestratorPurge,
  OrchestratorRetention,
} from "../../stores/ports/actions.ts";
import { numberSetting, type OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { settingRows } from "../model/setting-rows.ts";
import { aliveRunners, refusalNow, total } from "./action-preview.ts";

type Overrides = Readonly<Record<string, number | boolean | undefined>>;

/** @throws InvalidInputError */
export async function previewOrchestratorAutoPurge(
  app: OpenedApp,
  raw: RawInput,
): Promise<OrchestratorAutoPurgePreview> {
  const { with_open_parents: taken = false, ...overrides } = parseInput(orchestratorRules, raw);
  const retention = orchestratorRetention(app, overrides, taken);
  return app.store.read(async (reads) => {
    const purged = await reads.preview.autoPurgeOrchestrator(retention);
    const counts = purgeCounts("orchestrator", purged);
    const stays = [
      "Definitions, histories and results: the invocations stay listed, with the status of their history.",
    ];
    if (purged.invocations_kept > 0) {
      stays.push(
        `${counted(purged.invocations_kept, "invocation")} due for removal, because a message is still queued for ${purged.invocations_kept === 1 ? "it" : "them"}, and a runner stops at a message without a status.`,
      );
    }
    if (purged.executions_kept > 0) {
      stays.push(
        `${counted(purged.executions_kept, "execution")} due for removal, because trigger runs still refer to them.`,
      );
    }
    const children = purged.invocations_of_open_parents;
    if (children > 0 && !taken) stays.push(openParentsStay(children));
    return {
      app_id: app.app_id,
      title: "final invocations and atomic-service executions",
      location: app.store.location,
      counts,
      total: total(counts),
      consequences: children > 0 && taken ? [openParentsGo(children)] : [],
      stays,
      open_parents: { children, taken },
      runners_alive: await aliveRunners(app, reads),
      settings: effective(app, overrides),
      older_than: {
        invocations: isoFromEpoch(retention.final_until),
        executions: retention.executions_before === null ? null : isoFromEpoch(retention.executions_before),
      },
      refused: await refusalNow(app, reads),
    };
  });
}

/** @throws InvalidInputError; RefusedError, StoreUnreachableError: then nothing was changed. */
export async function autoPurgeOrchestrator(app: OpenedApp, raw: RawInput): Promise<OrchestratorPurgeOutcome> {
  const { with_open_parents: taken = false, ...overrides } = parseInput(orchestratorRules, raw);
  const retention = orchestratorRetention(app, overrides, taken);
  const purged = await app.store.actions.autoPurgeOrchestrator(retention);
  const executions = purged.executions_by_age + purged.executions_by_capacity;
  return {
    success: true,
    action: "auto-purge orchestrator",
    app_id: app.app_id,
    message: `Auto-purged the orchestrator of ${app.app_id}: ${counted(purged.invocations, "final invocation")} and ${counted(executions, "execution")} removed${leakedWords(purged)}.${keptWords(purged, taken)}`,
    deleted: purged.invocations + executions,
    ...purged,
  };
}

function leakedWords({ leaked_index_entries: leaked }: OrchestratorPurge): string {
  return leaked === 0
    ? ""
    : `, and ${counted(leaked, "index entry", "index entries")} of invocations that were removed earlier`;
}

/** How parents are judged, for both sentences. */
const OPEN_PARENT = "A parent without a status counts by its last history entry, or as not final.";

function openParentsStay(children: number): string {
  return `${counted(children, "final invocation")} due for removal, because ${children === 1 ? "its parent is" : "their parents are"} not final and may still ask for the result. ${OPEN_PARENT} with_open_parents=1 (--with-open-parents) removes ${children === 1 ? "it" : "them"} too.`;
}

function openParentsGo(children: number): string {
  return `${counted(children, "final invocation")} ${children === 1 ? "is removed although its parent is" : "are removed although their parents are"} not final: a task that asks for such a result afterwards fails with a KeyError. ${OPEN_PARENT}`;
}

function keptWords({ invocations_of_open_parents: children }: OrchestratorPurge, taken: boolean): string {
  return children === 0 || taken ? "" : ` Kept: ${counted(children, "final invocation")} whose parent is not final.`;
}

/** @throws InvalidInputError */
export async function previewEventAutoPurge(app: OpenedApp, raw: RawInput): Promise<AutoPurgePreview> {
  const overrides = parseInput(eventRules, raw);
  const retention = eventRetention(app, overrides);
  return app.store.read(async (reads) => {
    const recorded = (await reads.layout.capabilities()).events;
    const purged = recorded && enabled(app, overrides) ? await reads.preview.autoPurgeEvents(retention) : NO_EVENTS;
    const counts = purgeCounts("trigger", purged);
    return {
      app_id: app.app_id,
      title: "events and trigger runs",
      location: app.store.location,
      counts,
      total: total(counts),
      consequences: [
        ...(enabled(app, overrides) ? [] : [DISABLED]),
        ...(counts.some(({ rows }) => rows > 0)
          ? ["Traces through these events and trigger runs end there. The invocations they started stay."]
          : []),
      ],
      stays: ["Conditions, triggers, valid conditions that are not handled yet, claims and client data."],
      runners_alive: await aliveRunners(app, reads),
      settings: effective(app, overrides),
      older_than: { events: isoFromEpoch(retention.before) },
      refused: recorded
        ? await refusalNow(app, reads)
        : "This store records no events: pynenc records them since 0.2.4.",
    };
  });
}

/** @throws InvalidInputError; RefusedError, StoreUnreachableError: then nothing was changed. */
export async function autoPurgeEvents(app: OpenedApp, raw: RawInput): Promise<EventPurgeOutcome> {
  const overrides = parseInput(eventRules, raw);
  const outcome = { success: true, action: "auto-purge events", app_id: app.app_id } as const;
  if (!enabled(app, overrides)) return { ...outcome, message: DISABLED, deleted: 0, enabled: false, ...NO_EVENTS };
  const purged = await app.store.actions.autoPurgeEvents(eventRetention(app, overrides));
  const events = purged.events_by_age + purged.events_by_capacity;
  const runs = purged.trigger_runs_by_age + purged.trigger_runs_of_events + purged.trigger_runs_by_capacity;
  return {
    ...outcome,
    message: `Auto-purged the events of ${app.app_id}: ${counted(events, "event")} and ${counted(runs, "trigger run")} removed.`,
    deleted: events + runs,
    enabled: true,
    ...purged,
  };
}

const DISABLED =
  "Nothing is removed: event_auto_purge_enabled is off for this app. To remove events anyway, pass event_auto_purge_enabled=true (--enabled yes).";

const NO_EVENTS: EventPurge = {
  events_by_age: 0,
  events_by_capacity: 0,
  trigger_runs_by_age: 0,
  trigger_runs_of_events: 0,
  trigger_runs_by_capacity: 0,
  event_conditions: 0,
  event_triggered_invocations: 0,
  trigger_run_conditions: 0,
};

function orchestratorRetention(
  app: OpenedApp,
  overrides: Overrides,
  with_open_parents: boolean,
): OrchestratorRetention {
  const value = readerOf(app, overrides);
  const minutes = value("atomic_service_execution_retention_minutes");
  return {
    final_until: app.now() - value("auto_final_invocation_purge_hours") * 3600,
    executions_before: minutes === 0 ? null : app.now() - minutes * 60,
    max_executions: value("atomic_service_execution_max_records"),
    with_open_parents,
  };
}

function eventRetention(app: OpenedApp, overrides: Overrides): EventRetention {
  const value = readerOf(app, overrides);
  return {
    before: app.now() - value("event_retention_days") * 86_400,
    max_events: value("event_max_records"),
    max_trigger_runs: value("trigger_run_max_records"),
  };
}

function readerOf(app: OpenedApp, overrides: Overrides): (field: string) => number {
  return (field) => Number(overrides[field] ?? numberSetting(app, field));
}

function enabled(app: OpenedApp, { event_auto_purge_enabled: given }: Overrides): boolean {
  return Boolean(given ?? app.settings.get("event_auto_purge_enabled")?.value);
}

/** The settings in effect for this request. */
function effective(app: OpenedApp, overrides: Overrides): SettingRow[] {
  return settingRows(app.settings, Object.keys(overrides)).map((row) => {
    const given = overrides[row.field];
    if (given === undefined) return row;
    const word = given ? "on" : "off";
    const value = typeof given === "boolean" ? word : String(given);
    return { ...row, value, origin: "set in this request", warning: null };
  });
}

/** The counters of a preview or an outcome that say what is removed. Rare ones are left out if they are zero. */
export function purgeCounts(component: string, purged: object): ActionCount[] {
  return Object.entries(purged).flatMap(([name, rows]) =>
    typeof rows !== "number" || NOT_REMOVED.includes(name) || (name === "leaked_index_entries" && rows === 0)
      ? []
      : [{ component, name, rows, exact: !("exact" in purged && purged.exact === false) }],
  );
}

/** Other numbers: a sum of counters, and what is kept. */
const NOT_REMOVED = ["deleted", "invocations_kept", "invocations_of_open_parents", "executions_kept"];
