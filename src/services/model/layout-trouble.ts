/** Problems with the layout of the store, for `doctor` and for a verdict. */
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { mixedLayouts } from "./mixed-layouts.ts";

export interface LayoutTrouble {
  /** Tables of two versions of pynenc, with which runners and callers fail. One sentence each, with the remedy. */
  mixed: readonly string[];
  /** What this monitor does not recognize or cannot find. One sentence each. */
  unknown: readonly string[];
}

/** @param namedQueues `named` of `queuesOf`. */
export async function layoutTrouble(app: OpenedApp, reads: AppReads, namedQueues: boolean): Promise<LayoutTrouble> {
  const [{ gaps, unknown_tables }, capabilities] = await Promise.all([
    reads.layout.report(),
    reads.layout.capabilities(),
  ]);
  const { writes_refused } = capabilities;
  return {
    mixed: mixedLayouts(app, capabilities, namedQueues),
    unknown: [
      ...gaps,
      ...(unknown_tables.length === 0
        ? []
        : [`Not shown, because this monitor does not know it: ${unknown_tables.join(", ")}.`]),
      // A missing column also refuses writes, and `gaps` already reports it.
      ...(writes_refused === null || gaps.length > 0 ? [] : [`Actions are refused: ${writes_refused}.`]),
    ],
  };
}
