/** Ids in a log that an app does not know, and which other apps of its store do. */
import type { LogReference } from "../../api/logs.ts";
import { grouped } from "../../pynenc/numbers.ts";
import type { KnownId } from "../../stores/ports/ids.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { inOtherApps } from "../model/resolve-ids.ts";
import { REFERENCES_RESOLVED, referenceKey } from "./log-references.ts";

export interface KnownElsewhere {
  app_id: string;
  /** `3 of the ids that are not in this app are` */
  words: string;
}

export class UnknownIds {
  readonly #ids = new Map<string, KnownId>();
  /** There were more of them. */
  cut = false;

  add(references: readonly Pick<LogReference, "kind" | "id" | "state">[]): void {
    for (const { kind, id, state } of references) {
      // Tasks are named, and apps may share a module.
      if (state !== "unknown" || kind === "task") continue;
      const key = referenceKey({ kind, id });
      if (this.#ids.has(key)) continue;
      if (this.#ids.size < REFERENCES_RESOLVED) this.#ids.set(key, { kind, id });
      else this.cut = true;
    }
  }

  /** The apps that know some. One read for each app. */
  async knownElsewhere(app: OpenedApp): Promise<KnownElsewhere[]> {
    if (this.#ids.size === 0) return [];
    const found = await inOtherApps(app, (reads) => reads.ids.known([...this.#ids.values()]));
    return [...new Set(found.map(({ app_id }) => app_id))].map((app_id) => ({
      app_id,
      words: this.#words(found.filter((one) => one.app_id === app_id).length),
    }));
  }

  #words(known: number): string {
    const number = `${this.cut ? "At least " : ""}${grouped(known)}`;
    return `${number} of the ids that are not in this app ${known === 1 ? "is" : "are"}`;
  }
}
