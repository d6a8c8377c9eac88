/** Which invocation was registered again as which, according to the record of actions. The stores do not say it. */
import { statSync } from "node:fs";
import type { AuditEntry } from "../api/audit.ts";
import type { AuditFile } from "./audit-file.ts";

export interface RecordedRerun {
  invocation_id: string;
  new_invocation_id: string;
  at: string;
  who: string;
  via: AuditEntry["via"];
}

/** Reruns of one invocation, newest first, and the one that made it. */
export interface RerunsOfOne {
  made_by: RecordedRerun | null;
  reruns: readonly RecordedRerun[];
}

export interface RecordedReruns {
  /** @param of as written in the record, where secrets are masked. Nothing without a readable record. */
  of(of: { app_id: string; location: string }, invocationId: string): Promise<RerunsOfOne>;
}

const NONE: RerunsOfOne = { made_by: null, reruns: [] };

/** For a user without a home folder, and for apps in tests. */
export const NO_RERUNS: RecordedReruns = { of: async () => NONE };

interface Index {
  reruns: Map<string, RecordedRerun[]>;
  made: Map<string, RecordedRerun>;
}

/** Reads the record only when it has changed. */
export class RerunsOnRecord implements RecordedReruns {
  readonly #record: AuditFile;
  #known: { stamp: string; index: Promise<Index> } | null = null;

  constructor(record: AuditFile) {
    this.#record = record;
  }

  async of({ app_id, location }: { app_id: string; location: string }, invocationId: string): Promise<RerunsOfOne> {
    const { reruns, made } = await this.#index();
    const key = keyOf(app_id, location, invocationId);
    return { made_by: made.get(key) ?? null, reruns: reruns.get(key) ?? [] };
  }

  #index(): Promise<Index> {
    const stamp = this.#record.filesOf("done").map(stampOf).join();
    if (this.#known?.stamp !== stamp)
      this.#known = { stamp, index: this.#record.entries(["done"]).then(indexOf, () => indexOf([])) };
    return this.#known.index;
  }
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.mtimeMs} ${found.size} ${found.ino}`;
}

/** @param entries newest first. */
function indexOf(entries: readonly AuditEntry[]): Index {
  const index: Index = { reruns: new Map(), made: new Map() };
  for (const { app_id, location, at, who, via, counters } of entries) {
    const one = texts([counters.invocation_id]);
    const old = one.length > 0 ? one : texts(counters.invocation_ids);
    const made = one.length > 0 ? texts([counters.new_invocation_id]) : texts(counters.new_invocation_ids);
    for (const [place, invocation_id] of old.entries()) {
      const new_invocation_id = made[place];
      if (new_invocation_id === undefined) break;
      const rerun = { invocation_id, new_invocation_id, at, who, via };
      const key = keyOf(app_id, location, invocation_id);
      index.reruns.set(key, [...(index.reruns.get(key) ?? []), rerun]);
      index.made.set(keyOf(app_id, location, new_invocation_id), rerun);
    }
  }
  return index;
}

/** The record can contain anything, because other programs can write to it. */
function texts(value: unknown): string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : [];
}

function keyOf(...parts: readonly string[]): string {
  return parts.join("\0");
}
