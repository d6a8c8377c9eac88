/** The report of `monitor doctor`: how the store was found, what it contains, and problems with the store or the settings of the app. */
import type { AppEntry } from "../../api/app.ts";
import type { DoctorReport, FoundFile, FoundServer, UnknownWriters } from "../../api/health.ts";
import type { Discovery, FoundStore } from "../../config/discovery.ts";
import { settingProblems } from "../../config/settings-report.ts";
import { counted, grouped, lasting } from "../../pynenc/numbers.ts";
import { isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import { COMPONENTS, type ComponentName } from "../../stores/ports/common.ts";
import type { Capabilities, LayoutReport, StoreFile } from "../../stores/ports/layout.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { layoutTrouble } from "../model/layout-trouble.ts";
import { queuesOf } from "../model/queue-health.ts";
import { deadBefore, livenessOf, silenceWords } from "../model/runner-liveness.ts";
import { serviceTurns, turnsEvidence } from "../model/service-turns.ts";
import { appVerdicts } from "../verdicts/app-verdicts.ts";
import { examinedParts } from "../verdicts/examined.ts";
import { COMMAND_PATIENCE } from "../verdicts/read-trends.ts";
import type { WithFoundVerdicts } from "../verdicts/verdicts.ts";

export interface DoctorInput {
  app: OpenedApp;
  apps: AppEntry[];
  discovery: Discovery;
  readOnly: boolean;
}

export async function doctorReport({
  app,
  apps,
  discovery,
  readOnly,
}: DoctorInput): Promise<WithFoundVerdicts<DoctorReport>> {
  const verdictsIn = await appVerdicts(app, COMMAND_PATIENCE);
  const [layout, capabilities, tables, stored, checked, span, notes, unknown_writers, queues, trouble] =
    await app.store.read((reads) =>
      Promise.all([
        reads.layout.report(),
        reads.layout.capabilities(),
        reads.layout.figures(),
        reads.layout.files(),
        verdictsIn(reads),
        reads.state_backend.historySpan(),
        notesOn(app, reads),
        unknownWriters(app, reads),
        queuesOf(app, reads),
        queuesOf(app, reads).then(({ named }) => layoutTrouble(app, reads, named)),
      ]),
    );
  const files = stored.map((file) => foundFile(file, discovery));
  const setting_problems = settingProblems(app.settings);
  const findings = [...incomplete(layout, capabilities), ...trouble.unknown, ...trouble.mixed];
  // The findings already describe that one in full.
  const verdicts = checked.verdicts.filter(({ code }) => code !== "layout_trouble");
  const own = examinedParts([
    ["the layout of the store", null],
    ["the settings that were found", null],
    ["who wrote the newest history entries", span === null ? "no history is stored" : null],
  ]);
  const reason = whyNoWrites(readOnly, capabilities, stored);
  return {
    app_id: app.app_id,
    kind: app.store.kind,
    origin: discovery.origin,
    tried: discovery.tried,
    files,
    servers: foundServers(discovery),
    loads: [...app.store.loads],
    layout,
    components: capabilities.components,
    lacks: [
      ...(capabilities.events ? [] : ["events and trigger runs"]),
      ...(capabilities.executions ? [] : ["atomic-service executions"]),
    ],
    apps,
    tables,
    oldest_entry: isoOrNull(span?.first),
    newest_entry: isoOrNull(span?.last),
    writes: { possible: reason === null, reason },
    verdicts,
    setting_problems,
    findings,
    notes: [
      ...notes,
      ...(unknown_writers === null ? [] : [writersNote(unknown_writers)]),
      ...(queues.note === null ? [] : [queues.note]),
    ],
    unknown_writers,
    looked_at: [...own.looked_at, ...checked.looked_at],
    not_looked_at: [...own.not_looked_at, ...checked.not_looked_at],
    ok:
      verdicts.every(({ muted_until }) => muted_until !== null) &&
      setting_problems.length === 0 &&
      findings.length === 0,
  };
}

/** Number of history entries whose writers are checked. */
const ENTRY_SCAN_LIMIT = 5_000;
const WRITERS_SHOWN = 5;

async function unknownWriters(app: OpenedApp, reads: AppReads): Promise<UnknownWriters | null> {
  const newest = await reads.state_backend.historyBetween({}, ENTRY_SCAN_LIMIT, "latest");
  const ids = [...new Set(newest.flatMap((entry) => entry.runner_context_id ?? []))];
  const contexts = await reads.state_backend.runnerContexts(ids);
  const known = new Set(contexts.map((context) => context.runner_id));
  const unknown = new Set(ids.filter((id) => !known.has(id)));
  if (unknown.size === 0) return null;
  const [heartbeats, dead] = await Promise.all([
    reads.orchestrator.heartbeatsByIds([...unknown]),
    deadBefore(app, reads),
  ]);
  return {
    runner_ids: [...unknown].slice(0, WRITERS_SHOWN),
    count: unknown.size,
    active: heartbeats.filter((one) => one.last_heartbeat >= dead).length,
    entries: newest.filter((entry) => unknown.has(entry.runner_context_id ?? "")).length,
    looked_at: newest.length,
  };
}

/** A runner stores its context once, when first needed, and remembers having done so (storage-format.md 7.2). */
function writersNote({ runner_ids, count, active, entries, looked_at }: UnknownWriters): string {
  const more = count > runner_ids.length ? ` and ${grouped(count - runner_ids.length)} more` : "";
  return [
    `${grouped(entries)} of the ${looked_at < ENTRY_SCAN_LIMIT ? "" : "newest "}${counted(looked_at, "history entry", "history entries")} ${entries === 1 ? "names" : "name"} ${counted(count, "runner")} whose class, host and process are not stored (${runner_ids.join(", ")}${more}).`,
    "A runner stores them once; after a purge of the state backend they are missing until it restarts.",
    ...(active > 0 ? [`${active === 1 ? "One of them is" : `${grouped(active)} of them are`} active now.`] : []),
  ].join(" ");
}

/** Settings that differ from what the stored data show. */
async function notesOn(app: OpenedApp, reads: AppReads): Promise<string[]> {
  const [{ silence }, turns] = await Promise.all([livenessOf(app, reads), serviceTurns(app, reads)]);
  const { contradicted } = await turnsEvidence(app, reads, turns);
  return [
    ...(silence.told_by === "recovery"
      ? [
          `A runner counts as silent after ${silenceWords(silence)}; by the settings found here it would be ${lasting(silence.setting_seconds)} (runner_considered_dead_after_minutes).`,
        ]
      : []),
    ...(contradicted
      ? [
          "The recorded service runs do not match the settings found here: the runners use others. See monitor atomic-service --schedule.",
        ]
      : []),
  ];
}

function incomplete(layout: LayoutReport, { components }: Capabilities): string[] {
  if (layout.label !== "incomplete") return [];
  const missing = Object.entries(components).flatMap(([component, present]) => (present ? [] : [component]));
  return [
    `The layout is incomplete: ${missing.length === 0 ? "parts of it are missing" : `nothing of ${missing.join(", ")} is in this store`}.`,
  ];
}

function whyNoWrites(readOnly: boolean, { writes_refused }: Capabilities, files: readonly StoreFile[]): string | null {
  if (readOnly) return "read-only mode is on";
  if (writes_refused !== null) return writes_refused;
  const closed = files.flatMap((file) => file.unwritable ?? [])[0];
  return closed === undefined ? null : `this user may not write to ${closed}`;
}

function foundServers({ beside = [], ...discovery }: Discovery): FoundServer[] {
  const elsewhere = beside.flatMap(({ keeps }) => keeps);
  const own = COMPONENTS.filter((component) => !elsewhere.includes(component));
  return [{ found: discovery, keeps: own }, ...beside].flatMap(({ found, keeps }) => serversOf(found, keeps));
}

function serversOf(found: FoundStore, keeps: readonly ComponentName[]): FoundServer[] {
  if (found.kind === "sqlite") return [];
  const servers = new Map<string, FoundServer>();
  for (const component of keeps) {
    const { location, origin } = found.endpoints[component];
    const server = servers.get(location) ?? { location, origin, components: [] };
    server.components.push(component);
    servers.set(location, server);
  }
  return [...servers.values()];
}

function foundFile(
  { path, components, bytes, log_bytes, journal_mode, modified }: StoreFile,
  discovery: Discovery,
): FoundFile {
  const stores = [discovery, ...(discovery.beside ?? []).map(({ found }) => found)];
  const named = stores
    .flatMap((found) => (found.kind === "sqlite" ? [...(found.components?.values() ?? []), found.db] : []))
    .find((file) => file.path === path);
  return {
    path,
    origin: (named ?? discovery).origin,
    components,
    bytes,
    wal_bytes: log_bytes,
    journal_mode,
    modified_at: isoFromEpoch(modified),
  };
}
