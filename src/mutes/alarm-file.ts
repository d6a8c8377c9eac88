/** Which verdicts alarms have reported of each app, so that a restart reports none twice and misses no end: a file beside that of mutes. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRegularFile, replaceablePath } from "../regular-file.ts";

/** Larger files are ignored. */
const MAX_BYTES = 4_194_304;

export class AlarmFile<Kept extends object> {
  readonly path: string;
  readonly #folder: string;
  readonly #about: string;
  #written = "";

  /** @param app one app of one store. */
  constructor(folder: string, { app_id, location }: { app_id: string; location: string }) {
    this.#folder = folder;
    this.path = join(folder, "alarms.json");
    this.#about = JSON.stringify([app_id, location]);
  }

  /** What is kept of this app; null for nothing, also if the file is unreadable. */
  read(): Kept[] | null {
    const kept = this.#all()[this.#about];
    return Array.isArray(kept) && kept.every((one) => one !== null && typeof one === "object") ? kept : null;
  }

  /** Does nothing if it is what was written before. @throws errors of node:fs */
  write(kept: readonly Kept[]): void {
    const text = JSON.stringify(kept);
    if (text === this.#written) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const target = replaceablePath(this.path);
    const draft = `${target}.${process.pid}`;
    try {
      writeFileSync(draft, `${JSON.stringify({ ...this.#all(), [this.#about]: kept })}\n`, { mode: 0o600 });
      renameSync(draft, target);
      this.#written = text;
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  }

  #all(): Record<string, unknown> {
    try {
      const found: unknown = JSON.parse(readRegularFile(this.path, MAX_BYTES).toString("utf8"));
      return found !== null && typeof found === "object" ? (found as Record<string, unknown>) : {};
    } catch {
      return {};
    }
  }
}
