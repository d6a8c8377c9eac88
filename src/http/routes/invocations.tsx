import { InvocationContent } from "../../../templates/pages/invocation.tsx";
import { InvocationThen } from "../../../templates/pages/invocation-then.tsx";
import { InvocationsContent, InvocationsHeader } from "../../../templates/pages/invocations.tsx";
import { INVOCATION_FIELDS } from "../../api/words.ts";
import { withSteps } from "../../presentation/verdict-steps.ts";
import { asOf as foundAsOf } from "../../services/app/as-of.ts";
import { familyPicture, parseFamilyInput } from "../../services/causes/family-picture.ts";
import { exportText, readFields } from "../../services/invocations/exports.ts";
import { facetsOfList } from "../../services/invocations/facets.ts";
import { invocationDetail } from "../../services/invocations/invocation-detail.ts";
import {
  filterChoices,
  invocationsAt,
  listInvocations,
  readInvocationInput,
} from "../../services/invocations/invocations.ts";
import { isSortable } from "../../services/invocations/sorted.ts";
import { formQuery } from "../../services/model/invocation-query.ts";
import { PAGE_PATIENCE } from "../../services/verdicts/read-trends.ts";
import { invocationWithVerdicts } from "../../services/why/concerning.ts";
import type { Route } from "../context.ts";
import { exportRoute } from "../export-route.ts";
import { jsonRoute } from "../json-route.ts";
import { invocationApi, triggerContextApi } from "../legacy/invocation.ts";
import { invocationHistoryApi } from "../legacy/invocation-history.ts";
import { pageRoutes } from "../page-route.tsx";
import { withPicture } from "../picture-on-page.ts";
import { withoutVerdicts } from "../verdicts-on-page.ts";

export const invocationRoutes: Route[] = [
  ...pageRoutes({
    path: "/invocations/",
    refresh: "/invocations/table",
    region: "invocations-table",
    nav: "invocations",
    timed: true,
    follows: "model",
    columns: INVOCATION_FIELDS,
    async load(app, { query, wanted, at }) {
      if (at !== null) {
        const [list, choices] = await Promise.all([invocationsAt(app, query, at), filterChoices(app)]);
        return { ...list, facets: [], sortable: false, choices: { ...choices, statuses: [] }, form: formQuery(query) };
      }
      const input = await readInvocationInput(app, query, "list");
      const listed = listInvocations(app, input);
      // JSON has only the list.
      const facets = wanted === "json" ? [] : facetsOfList(app, input, listed);
      const [list, counts, choices] = await Promise.all([listed, facets, filterChoices(app)]);
      const sortable = input.sort !== null || isSortable(list.page);
      return { ...list, facets: counts, sortable, choices, form: formQuery(query) };
    },
    json: ({ choices: _choices, form: _form, facets: _counts, sortable: _heads, ...list }) => list,
    title: () => "Invocations",
    header: InvocationsHeader,
    content: InvocationsContent,
  }),
  exportRoute("/invocations/export", "invocations", async (app, filters, format) => {
    const { fields = [], ...others } = filters;
    const { filter, sort = null } = await readInvocationInput(app, others, "export");
    return exportText(app, filter, format, { sort, fields: readFields(fields) });
  }),
  ...pageRoutes({
    path: "/invocations/:id",
    region: "invocation",
    about: { kind: "invocation", in: "path", name: "id" },
    nav: "invocations",
    async past(app, { params: { id = "" } }, at) {
      const picture = await foundAsOf(app, at, (then) => familyPicture(then, "invocation", id, parseFamilyInput({})));
      return { title: `Invocation ${id}`, content: <InvocationThen picture={picture} /> };
    },
    load(app, request) {
      const id = request.params.id ?? "";
      const { links, wanted } = request;
      const loading =
        wanted === "json"
          ? invocationDetail(app, id).then((detail) => ({ ...detail, verdicts: [], not_looked_at: [] }))
          : invocationWithVerdicts(app, id, PAGE_PATIENCE).then(({ model, ...found }) =>
              withSteps(links, { ...model, ...found }),
            );
      return withPicture(app, wanted, "invocation", id, loading);
    },
    json: withoutVerdicts,
    title: (model) => `${model.function ?? "Invocation"} ${model.invocation_id}`,
    content: InvocationContent,
  }),
  jsonRoute("/invocations/:id/history", invocationHistoryApi),
  jsonRoute("/invocations/:id/api", (app, id, { links }) => invocationApi(app, id, links)),
  jsonRoute("/invocations/:id/trigger-context", (app, id, { links }) => triggerContextApi(app, id, links)),
];
