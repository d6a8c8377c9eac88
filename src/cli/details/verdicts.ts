import type { ShownKind, ShownThing } from "../../api/show.ts";
import { linksTo } from "../../presentation/links.ts";
import { withSteps } from "../../presentation/verdict-steps.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { COMMAND_PATIENCE } from "../../services/verdicts/read-trends.ts";
import { type Concerned, verdictsOn } from "../../services/why/concerning.ts";
import { DETAILS } from "./all.ts";

export type VerdictsOnShown = Pick<ShownThing, "verdicts" | "not_looked_at">;

/** Verdicts on the app that concern a thing. @param detail as its view loads it. */
export async function verdictsOnShown(
  app: OpenedApp,
  kind: ShownKind,
  id: string,
  detail: object,
): Promise<VerdictsOnShown> {
  const thing = DETAILS[kind].thing?.(detail) ?? ({ kind, id } as Concerned);
  return withSteps(await linksTo(app), await verdictsOn(app, kind, thing, COMMAND_PATIENCE));
}
