import type { Verdict } from "../../api/verdicts.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import type { Concerned } from "../../services/why/concerning.ts";
import type { Output } from "../print/output.ts";

/** How one kind of object is shown on a terminal: the service's answer, as on its page, and how it is printed. */
export interface Detail<Model extends object = object> {
  /** @param id the full id. @throws NotFoundError */
  load(app: OpenedApp, id: string): Promise<Model>;
  /** Reads what cannot be read in a snapshot, and gives what reads the rest in one; absent if that is `load`. */
  prepare?(app: OpenedApp, id: string): Promise<(one: OpenedApp) => Promise<Model>>;
  /** @param verdicts printed above it: what they say is not repeated. */
  print(model: Model, now: EpochSeconds, out: Output, verdicts?: readonly Verdict[]): void;
  /** For verdicts on it; absent if its kind and id are enough. */
  thing?(model: Model): Concerned;
}
