/** Checks for verdicts periodically and reports new ones. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Severity } from "../../api/verdicts.ts";
import { StoreUnreachableError } from "../../errors.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { Appearances } from "../verdicts/appearances.ts";
import { currentVerdicts } from "./current-verdicts.ts";

/** Milliseconds between two checks. */
const INTERVAL = 10_000;

/** Worth an alarm; `info` only explains. */
const ALARMING: readonly Severity[] = ["error", "warning"];

export type Appeared = Awaited<ReturnType<typeof currentVerdicts>>["verdicts"][number];

export interface VerdictWatchOptions {
  /** Called for each new verdict, with the time of the data it is based on. */
  onAppeared(verdict: Appeared, asOf: string): void;
  /** Called for unexpected errors. An unreachable store is not one: pages show that. */
  onDefect(error: unknown): void;
  every?: number;
}

export class VerdictWatch {
  readonly #app: OpenedApp;
  readonly #options: VerdictWatchOptions;
  readonly #appearances: Appearances;
  readonly #ended = new AbortController();

  constructor(app: OpenedApp, options: VerdictWatchOptions) {
    this.#app = app;
    this.#options = options;
    this.#appearances = new Appearances(isoFromEpoch(app.now()));
  }

  /** Runs until it is stopped. */
  async run(): Promise<void> {
    const { every = INTERVAL, onDefect } = this.#options;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        await this.look();
      } catch (error) {
        if (!(error instanceof StoreUnreachableError) && !signal.aborted) onDefect(error);
      }
      await sleep(every, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** @throws StoreUnreachableError */
  async look(): Promise<void> {
    const { verdicts, as_of } = await currentVerdicts(this.#app);
    const alarming = verdicts.filter(({ severity }) => ALARMING.includes(severity));
    const settled = await this.#isSettled();
    if (this.#ended.signal.aborted) return;
    for (const verdict of this.#appearances.look(alarming, performance.now() / 1_000, settled)) {
      this.#options.onAppeared(verdict, as_of);
    }
  }

  stop(): void {
    this.#ended.abort();
  }

  async #isSettled(): Promise<boolean> {
    const { rollups, now } = this.#app;
    if (rollups === null) return true;
    return (await rollups.arrived({ from: now(), to: now(), patience: 0 })).reach.whole;
  }
}
