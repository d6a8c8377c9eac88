/** What is wrong with the layout of the store: `doctor` lists it, and a verdict tells it. */
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { mixedLayouts } from "./mixed-layouts.ts";

export interface LayoutTrouble {
  /** Tables of two versions of pynenc: runners and callers fail. One sentence each, with what helps. */
  mixed: readonly string[];
  /** What this monitor does not know of it, or misses in it: one sentence each. */
  unknown: readonly string[];
}

/** @param namedQueues as of `queuesOf`. */
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
        : [`Not shown, because it belongs to no layout that this monitor knows: ${unknown_tables.join(", ")}.`]),
      // What misses a column refuses writes too, and is told already.
      ...(writes_refused === null || gaps.length > 0 ? [] : [`Actions are refused: ${writes_refused}.`]),
    ],
  };
}
