/** Records who changed what: every action writes one structured log line and one entry to the user's audit record (shown by audit.ts). */
import { randomBytes } from "node:crypto";
import type { ActionOutcome } from "../../api/actions.ts";
import type { AuditEntry } from "../../api/audit.ts";
import type { AuditFile } from "../../audit/audit-file.ts";
import { outgoing } from "../../config/masking.ts";
import { InvalidInputError, MonitorError, StoreUnreachableError } from "../../errors.ts";
import { ascending } from "../../pynenc/order.ts";
import { type EpochSeconds, isoFromEpoch } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";

export interface ActionLogOptions {
  via: AuditEntry["via"];
  /** Null for a user without a home directory; then only the log is written. */
  file: AuditFile | null;
  /** Receives one JSON document per action, without a line break. */
  write: (line: string) => void;
  /** Receives a sentence if the record cannot be written; the action is performed anyway. */
  warn: (words: string) => void;
  clock?: () => EpochSeconds;
}

/** The part of the record that can be read. */
export interface Recorded {
  /** Newest first. */
  entries: AuditEntry[];
  /** Why it cannot be read, or null. */
  problem: string | null;
}

/** Entries of each outcome kept in memory, so that the page after an action can show its outcome. */
const KEPT = 200;

/** Limit of list members in an entry, which is a single line. */
const LISTED = 32;

/** Limit of characters of a message, which may list every missing reference. */
const MESSAGE_CHARACTERS = 2_000;

export class ActionLog {
  readonly #options: ActionLogOptions;
  /** Newest first. Separate bounds, so that refused requests do not push out what was done. */
  readonly #entries: Readonly<Record<AuditEntry["outcome"], AuditEntry[]>> = { done: [], failed: [], refused: [] };
  #malformed = 0;

  constructor(options: ActionLogOptions) {
    this.#options = options;
  }

  /** An entry of this process. Its id is random, so links from an earlier process find nothing. */
  entry(id: string): AuditEntry | undefined {
    return this.#kept().find((entry) => entry.id === id);
  }

  /** How many actions of this process were not even tried because a parameter was not accepted. They have no entry. */
  get malformed(): number {
    return this.#malformed;
  }

  #kept(): AuditEntry[] {
    return Object.values(this.#entries).flat();
  }

  /** Path of the record; null if there is none. */
  get path(): string | null {
    return this.#options.file?.path ?? null;
  }

  /** Entries of the record, plus those of this process that could not be written to it. */
  async recorded(): Promise<Recorded> {
    let kept: AuditEntry[] = [];
    let problem: string | null = null;
    try {
      kept = (await this.#options.file?.entries()) ?? [];
    } catch (error) {
      problem = reasonOf(error);
    }
    const written = new Set(kept.map((entry) => entry.id));
    const entries = [...this.#kept().filter((entry) => !written.has(entry.id)), ...kept];
    return { entries: entries.sort((a, b) => ascending(b.at, a.at)), problem };
  }

  /** Runs an action and records how it ended; rethrows its errors. Malformed requests are only counted. */
  async record<Outcome extends ActionOutcome>(
    who: string,
    action: string,
    app: OpenedApp,
    act: () => Promise<Outcome>,
  ): Promise<{ outcome: Outcome; entry: AuditEntry }> {
    const { clock = () => Date.now() / 1000 } = this.#options;
    const about = { who, action, app_id: app.app_id, location: app.store.location };
    const at = () => isoFromEpoch(app.writes_at ?? clock());
    try {
      const outcome = await act();
      const { success: _, action: _action, app_id: _app, message, ...counters } = outcome;
      return {
        outcome,
        entry: this.#add({ ...about, at: at(), outcome: "done", message, counters: bounded(counters) }),
      };
    } catch (error) {
      if (error instanceof InvalidInputError) {
        this.#malformed++;
        throw error;
      }
      const message = error instanceof MonitorError ? error.message : "a bug in the monitor";
      const failed = !(error instanceof MonitorError) || error instanceof StoreUnreachableError;
      this.#add({ ...about, at: at(), outcome: failed ? "failed" : "refused", message, counters: {} });
      throw error;
    }
  }

  #add(made: Omit<AuditEntry, "id" | "via">): AuditEntry {
    const { via, file, write, warn } = this.#options;
    const masked = outgoing(made);
    const entry: AuditEntry = {
      id: randomBytes(9).toString("base64url"),
      at: masked.at,
      who: masked.who,
      via,
      action: masked.action,
      app_id: masked.app_id,
      location: masked.location,
      outcome: masked.outcome,
      message: masked.message.slice(0, MESSAGE_CHARACTERS),
      counters: masked.counters,
    };
    const alike = this.#entries[entry.outcome];
    alike.unshift(entry);
    alike.splice(KEPT);
    write(JSON.stringify(entry));
    try {
      file?.append(entry);
    } catch (error) {
      warn(
        `The action is not in the record of actions: ${file?.path} cannot be written (${reasonOf(error)}). Use --state-dir to name another folder.`,
      );
    }
    return entry;
  }
}

/** The system's error code if there is one, because messages contain paths. */
function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code ?? (error instanceof Error ? error.message : String(error));
}

function bounded(counters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(counters).flatMap(([name, value]) =>
      Array.isArray(value) && value.length > LISTED
        ? [
            [name, value.slice(0, LISTED)],
            [`${name}_left_out`, value.length - LISTED],
          ]
        : [[name, value]],
    ),
  );
}
