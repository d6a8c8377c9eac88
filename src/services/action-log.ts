/** Who changed what: one structured line to the log for every action, and the latest ones kept for the page `/actions`. */
import { randomBytes } from "node:crypto";
import { MonitorError, StoreUnreachableError } from "../errors.ts";
import { type EpochSeconds, isoFromEpoch } from "../pynenc/time.ts";

/** Outcome of an action as every service gives it; counters stand beside these members. */
export interface ActionOutcome {
  success: true;
  action: string;
  app_id: string;
  /** One sentence for people. */
  message: string;
}

export interface ActionEntry {
  /** Of this process; random, so that a link of an earlier one finds nothing. */
  id: string;
  at: string;
  /** Address of the client, or the user of the shell. */
  who: string;
  action: string;
  app_id: string;
  outcome: "done" | "refused" | "failed";
  message: string;
  /** What was counted, lists with their first 32 members; empty unless it was done. */
  counters: Readonly<Record<string, unknown>>;
}

const KEPT = 200;

/** Members of a list that an entry holds: it stays in memory and is one line of the log. */
const LISTED = 32;

export class ActionLog {
  readonly #write: (line: string) => void;
  readonly #clock: () => EpochSeconds;
  readonly #entries: ActionEntry[] = [];

  /** @param write takes one JSON document per action, without a line end. */
  constructor(write: (line: string) => void, clock: () => EpochSeconds = () => Date.now() / 1000) {
    this.#write = write;
    this.#clock = clock;
  }

  /** Newest first; the last 200. */
  get entries(): readonly ActionEntry[] {
    return this.#entries;
  }

  entry(id: string): ActionEntry | undefined {
    return this.#entries.find((entry) => entry.id === id);
  }

  /** Does an action and writes down how it ended; passes on what it throws. */
  async record<Outcome extends ActionOutcome>(
    who: string,
    action: string,
    appId: string,
    act: () => Promise<Outcome>,
  ): Promise<{ outcome: Outcome; entry: ActionEntry }> {
    try {
      const outcome = await act();
      const { success: _, action: _action, app_id: _app, message, ...counters } = outcome;
      return {
        outcome,
        entry: this.#add({ who, action, app_id: appId, outcome: "done", message, counters: bounded(counters) }),
      };
    } catch (error) {
      const message = error instanceof MonitorError ? error.message : "a defect of the monitor";
      const failed = !(error instanceof MonitorError) || error instanceof StoreUnreachableError;
      this.#add({ who, action, app_id: appId, outcome: failed ? "failed" : "refused", message, counters: {} });
      throw error;
    }
  }

  #add(entry: Omit<ActionEntry, "id" | "at">): ActionEntry {
    const made = { id: randomBytes(9).toString("base64url"), at: isoFromEpoch(this.#clock()), ...entry };
    this.#entries.unshift(made);
    this.#entries.splice(KEPT);
    this.#write(JSON.stringify(made));
    return made;
  }
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
