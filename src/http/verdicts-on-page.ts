import type { ShownKind } from "../api/show.ts";
import { withSteps } from "../presentation/verdict-steps.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { PAGE_PATIENCE } from "../services/verdicts/read-trends.ts";
import { type Concerned, verdictsOn } from "../services/why/concerning.ts";
import type { RouteRequest } from "./context.ts";

/** A detail together with the verdicts that concern its object, for its page. In JSON, verdicts have their own address, `/why`. */
export async function withVerdicts<Detail extends object>(
  app: OpenedApp,
  { links, wanted }: Pick<RouteRequest, "links" | "wanted">,
  kind: ShownKind,
  loading: Promise<Detail>,
  thing: (detail: Detail) => Concerned,
) {
  if (wanted === "json") return { ...(await loading), verdicts: [], not_looked_at: [] };
  const [detail, found] = await Promise.all([loading, verdictsOn(app, kind, loading.then(thing), PAGE_PATIENCE)]);
  return withSteps(links, { ...detail, ...found });
}

/** The JSON of such a page, without the verdicts. */
export function withoutVerdicts<Detail extends { verdicts: unknown; not_looked_at: unknown }>({
  verdicts: _verdicts,
  not_looked_at: _missing,
  ...detail
}: Detail) {
  return detail;
}
