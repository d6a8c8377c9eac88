import type { ShownKind, ShownThing } from "../../api/show.ts";
import { linksTo } from "../../presentation/links.ts";
import { withSteps } from "../../presentation/verdict-steps.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { COMMAND_PATIENCE } from "../../services/verdicts/read-trends.ts";
import { type Concerned, withVerdictsOn } from "../../services/why/concerning.ts";
import { DETAILS } from "./all.ts";

export type VerdictsOnShown = Pick<ShownThing, "verdicts" | "not_looked_at">;

/** A thing as its view loads it, with the verdicts on the app that concern it, from one snapshot. @throws NotFoundError */
export async function shownWithVerdicts(
  app: OpenedApp,
  kind: ShownKind,
  id: string,
): Promise<{ detail: object; found: VerdictsOnShown }> {
  const { load, prepare, thing } = DETAILS[kind];
  const read = prepare === undefined ? (one: OpenedApp) => load(one, id) : await prepare(app, id);
  const thingOf = (detail: object) => thing?.(detail) ?? ({ kind, id } as Concerned);
  const { model, ...found } = await withVerdictsOn(app, { kind, id }, read, thingOf, COMMAND_PATIENCE);
  return { detail: model, found: withSteps(await linksTo(app), found) };
}
