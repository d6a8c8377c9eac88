import { withSteps } from "../presentation/verdict-steps.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { verdictsOn } from "../services/why/why.ts";
import type { RouteRequest } from "./context.ts";

/** A detail together with the verdicts that name its object, for its page. In JSON, verdicts have their own address, `/why`. */
export async function withVerdicts<Detail extends object>(
  app: OpenedApp,
  { links, wanted }: Pick<RouteRequest, "links" | "wanted">,
  loading: Promise<Detail>,
  pieces: (detail: Detail) => Parameters<typeof verdictsOn>[1],
) {
  const detail = await loading;
  return withSteps(links, { ...detail, verdicts: wanted === "json" ? [] : await verdictsOn(app, pieces(detail)) });
}

/** The JSON of such a page, without the verdicts. */
export function withoutVerdicts<Detail extends { verdicts: unknown }>({ verdicts: _page, ...detail }: Detail) {
  return detail;
}
