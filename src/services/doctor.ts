/** What `monitor doctor` reports: how the store was found, what is in it, and what is wrong with it or with the app's settings. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Discovery } from "../config/discovery.ts";
import { type SettingProblem, settingProblems } from "../config/settings-report.ts";
import { isoFromEpoch, isoOrNull } from "../pynenc/time.ts";
import type { Capabilities, ComponentName, LayoutReport, StorageFigure } from "../stores/ports.ts";
import type { OpenedApp } from "./opened-app.ts";
import { findProblems, type Problem } from "./problems.ts";
import type { AppEntry } from "./workspace.ts";

export interface StoreFile {
  path: string;
  /** The flag, variable or setting that names it. */
  origin: string;
  /** Components whose data it holds; all of them when there is only one file. */
  components: ComponentName[] | null;
  bytes: number;
  /** Of the write-ahead log beside it; null when there is none. */
  wal_bytes: number | null;
  /** `wal` or `rollback`, by the file's header; null when it could not be told. */
  journal_mode: "wal" | "rollback" | null;
  modified_at: string;
}

export interface DoctorReport {
  app_id: string;
  kind: string;
  /** How the store was found. */
  origin: string;
  /** Every place that was looked at. */
  tried: string[];
  files: StoreFile[];
  layout: LayoutReport;
  components: Capabilities["components"];
  /** What this layout does not record. */
  lacks: string[];
  apps: AppEntry[];
  tables: StorageFigure[];
  oldest_entry: string | null;
  newest_entry: string | null;
  writes: { possible: boolean; reason: string | null };
  problems: Problem[];
  setting_problems: SettingProblem[];
  /** Further findings that are wrong by themselves, in words. */
  findings: string[];
  /** Nothing is wrong. */
  ok: boolean;
}

export interface DoctorInput {
  app: OpenedApp;
  apps: AppEntry[];
  discovery: Discovery;
  readOnly: boolean;
}

export async function doctorReport({ app, apps, discovery, readOnly }: DoctorInput): Promise<DoctorReport> {
  const [layout, capabilities, tables, problems, span] = await app.store.read((reads) =>
    Promise.all([
      reads.layout.report(),
      reads.layout.capabilities(),
      reads.layout.figures(),
      findProblems(app, reads),
      reads.state_backend.historySpan(),
    ]),
  );
  const files = storeFiles(discovery);
  const setting_problems = settingProblems(app.settings);
  const findings = findingsOn(layout, capabilities);
  const reason = whyNoWrites(readOnly, capabilities, files);
  return {
    app_id: app.app_id,
    kind: app.store.kind,
    origin: discovery.db.origin,
    tried: discovery.tried,
    files,
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
    problems,
    setting_problems,
    findings,
    ok: problems.length === 0 && setting_problems.length === 0 && findings.length === 0,
  };
}

function findingsOn(layout: LayoutReport, { components }: Capabilities): string[] {
  if (layout.label !== "incomplete") return [];
  const missing = Object.entries(components).flatMap(([component, present]) => (present ? [] : [component]));
  return [
    `The layout is incomplete: ${missing.length === 0 ? "tables are missing" : `nothing of ${missing.join(", ")} is in this store`}.`,
  ];
}

function whyNoWrites(readOnly: boolean, { writes_refused }: Capabilities, files: readonly StoreFile[]): string | null {
  if (readOnly) return "read-only mode is on";
  if (writes_refused !== null) return writes_refused;
  // SQLite writes its log beside the file, so the folder counts too.
  const closed = files.flatMap(({ path }) => [path, dirname(path)]).find((path) => !isWritable(path));
  return closed === undefined ? null : `this user may not write to ${closed}`;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function storeFiles({ db, components }: Discovery): StoreFile[] {
  if (components === null) return [storeFile(db.path, db.origin, null)];
  const byPath = new Map<string, { origin: string; components: ComponentName[] }>();
  for (const [component, { path, origin }] of components) {
    const entry = byPath.get(path) ?? { origin, components: [] };
    entry.components.push(component);
    byPath.set(path, entry);
  }
  return [...byPath].map(([path, entry]) => storeFile(path, entry.origin, entry.components));
}

function storeFile(path: string, origin: string, components: ComponentName[] | null): StoreFile {
  const stat = statSync(path);
  return {
    path,
    origin,
    components,
    bytes: stat.size,
    wal_bytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? null,
    journal_mode: journalMode(path),
    modified_at: isoFromEpoch(stat.mtimeMs / 1000),
  };
}

/** Byte 18 of an SQLite header, the write version: 1 for a rollback journal, 2 for WAL. */
function journalMode(path: string): StoreFile["journal_mode"] {
  const descriptor = openSync(path, "r");
  try {
    const header = Buffer.alloc(20);
    if (readSync(descriptor, header, 0, header.length, 0) < header.length) return null;
    return header[18] === 2 ? "wal" : header[18] === 1 ? "rollback" : null;
  } finally {
    closeSync(descriptor);
  }
}
