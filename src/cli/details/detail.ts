import type { EpochSeconds } from "../../pynenc/time.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import type { Output } from "../print/output.ts";

/** How a thing of one kind is shown on a terminal: the answer of the service that its page has too, and its lines. */
export interface Detail<Model extends object> {
  /** @param id whole. @throws NotFoundError */
  load(app: OpenedApp, id: string): Promise<Model>;
  print(model: Model, now: EpochSeconds, out: Output): void;
}
