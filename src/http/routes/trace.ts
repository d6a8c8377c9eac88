import { TraceContent } from "../../../templates/pages/trace.tsx";
import { familyPicture, parseFamilyPictureInput } from "../../services/causes/family-picture.ts";
import { asOf } from "../as-of.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const traceRoutes: Route[] = pageRoutes({
  path: "/trace/:id",
  region: "trace",
  about: { kind: ["event", "invocation", "trigger_run"], in: "path", name: "id" },
  nav: null,
  load: (app, { params, query }) =>
    asOf(app, query, (then) => familyPicture(then, null, params.id ?? "", parseFamilyPictureInput(query))),
  title: ({ focus_id }) => `What led to what: ${focus_id}`,
  content: TraceContent,
});
