import { FamilyContent, FamilyHeader } from "../../../templates/pages/family.tsx";
import type { NodeKind } from "../../api/causes.ts";
import { familyPicture, readFamilyInput } from "../../services/causes/family-picture.ts";
import { TRACED } from "../../services/causes/trace.ts";
import { asOf } from "../as-of.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

function familyRoutesAt(path: "/trace/:id" | "/invocations/:id/family-tree", kinds: readonly NodeKind[]): Route[] {
  return pageRoutes({
    path,
    region: "family-content",
    about: { kind: [...kinds], in: "path", name: "id" },
    nav: null,
    load: (app, { params: { id = "" }, query }) =>
      asOf(app, query, async (then) => {
        const [kind = null, ...others] = kinds;
        return familyPicture(then, others.length > 0 ? null : kind, id, await readFamilyInput(app, query));
      }),
    title: ({ focus_id }) => `What led to what: ${focus_id}`,
    header: FamilyHeader,
    content: FamilyContent,
  });
}

/** The family tree of an invocation is a fragment (behaviour.md 3.5); a browser that opens its address, and so accepts HTML, gets the whole page. */
function asPartial(route: Route): Route {
  return {
    ...route,
    handle(request) {
      const partial =
        request.query.bare?.at(-1) === "1" || request.headers.get("accept")?.includes("text/html") !== true;
      return route.handle(partial && request.wanted === "page" ? { ...request, wanted: "fragment" } : request);
    },
  };
}

export const familyRoutes: Route[] = [
  ...familyRoutesAt("/trace/:id", TRACED),
  ...familyRoutesAt("/invocations/:id/family-tree", ["invocation"]).map(asPartial),
];
