import { DiffContent, DiffHeader, type DiffPage } from "../../../templates/pages/diff.tsx";
import { diffOf, readDiffInput } from "../../services/causes/diff.ts";
import { diffPairs } from "../../services/causes/diff-pairs.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const diffRoutes: Route[] = pageRoutes<DiffPage>({
  path: "/diff",
  region: "diff",
  nav: "compare",
  async load(app, { query, wanted }) {
    const asked = { a: query.a?.[0]?.trim() ?? "", b: query.b?.[0]?.trim() ?? "" };
    // Without two ids, the page shows a form, and programs get an error.
    if (wanted !== "json" && (asked.a === "" || asked.b === "")) {
      return { asked, diff: null, pairs: await diffPairs(app) };
    }
    return { asked, diff: await diffOf(app, await readDiffInput(app, query)), pairs: null };
  },
  json: ({ diff }) => diff ?? {},
  title: ({ diff }) =>
    diff === null ? "Side by side" : `Compared: ${diff.nodes[0]?.task_id_key ?? "two invocations"}`,
  header: DiffHeader,
  content: DiffContent,
});
