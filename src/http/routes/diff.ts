import { DiffContent, DiffHeader } from "../../../templates/pages/diff.tsx";
import { diffOf, readDiffInput } from "../../services/causes/diff.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const diffRoutes: Route[] = pageRoutes({
  path: "/diff",
  region: "diff",
  nav: "invocations",
  load: async (app, { query }) => diffOf(app, await readDiffInput(app, query)),
  title: ({ nodes: [top] }) => `Compared: ${top?.task_id_key ?? "two invocations"}`,
  header: DiffHeader,
  content: DiffContent,
});
