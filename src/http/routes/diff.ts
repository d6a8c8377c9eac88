import { DiffContent, DiffHeader, type DiffPage } from "../../../templates/pages/diff.tsx";
import { diffOf, readDiffInput } from "../../services/causes/diff.ts";
import { diffPairs, pairsOf } from "../../services/causes/diff-pairs.ts";
import { withFullIds } from "../../services/model/resolve-ids.ts";
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
      const { a: [a = ""] = [] } = await withFullIds(app, { a: [asked.a] }, { a: ["invocation"] });
      const [pairs, of_a] = await Promise.all([diffPairs(app), a === "" ? [] : pairsOf(app, a)]);
      return { asked, diff: null, pairs: { ...pairs, of_a } };
    }
    return { asked, diff: await diffOf(app, await readDiffInput(app, query)), pairs: null };
  },
  json: ({ diff }) => diff ?? {},
  title: ({ diff }) =>
    diff === null ? "Side by side" : `Compared: ${diff.nodes[0]?.task_id_key ?? "two invocations"}`,
  header: DiffHeader,
  content: DiffContent,
});
