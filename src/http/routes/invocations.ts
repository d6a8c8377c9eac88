import { InvocationContent } from "../../../templates/pages/invocation.tsx";
import { InvocationsContent, InvocationsHeader } from "../../../templates/pages/invocations.tsx";
import { EXPORT_FORMATS, exportText } from "../../services/exports.ts";
import { choice, parseInput } from "../../services/input.ts";
import {
  invocationApi,
  invocationDetail,
  invocationHistory,
  invocationTriggerContext,
} from "../../services/invocation-detail.ts";
import { filterChoices, listInvocations, readInvocationInput } from "../../services/invocations.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";
import { download, json } from "../respond.tsx";

export const invocationRoutes: Route[] = [
  ...pageRoutes({
    path: "/invocations/",
    refresh: "/invocations/table",
    region: "invocations-table",
    nav: "invocations",
    async load(app, { query }) {
      const list = await listInvocations(app, await readInvocationInput(app, query));
      return { ...list, choices: await filterChoices(app) };
    },
    title: () => "Invocations",
    header: InvocationsHeader,
    content: InvocationsContent,
  }),
  {
    method: "GET",
    path: "/invocations/export",
    async handle(request) {
      const { format: given, ...filters } = request.query;
      const { format } = parseInput(
        { format: choice(EXPORT_FORMATS, "csv") },
        given === undefined ? {} : { format: given },
      );
      const app = await request.app();
      const { filter } = await readInvocationInput(app, filters);
      const type = format === "csv" ? "text/csv" : "application/x-ndjson";
      return download(exportText(app, filter, format), type, `invocations.${format}`);
    },
  },
  ...pageRoutes({
    path: "/invocations/:id",
    region: "invocation",
    nav: "invocations",
    load: (app, { params }) => invocationDetail(app, params.id ?? ""),
    title: (model) => `${model.function ?? "Invocation"} ${model.invocation_id}`,
    content: InvocationContent,
  }),
  {
    method: "GET",
    path: "/invocations/:id/history",
    json: true,
    handle: async (request) => json(await invocationHistory(await request.app(), request.params.id ?? "")),
  },
  {
    method: "GET",
    path: "/invocations/:id/api",
    json: true,
    handle: async (request) => json(await invocationApi(await request.app(), request.params.id ?? "", request.links)),
  },
  {
    method: "GET",
    path: "/invocations/:id/trigger-context",
    json: true,
    handle: async (request) =>
      json(await invocationTriggerContext(await request.app(), request.params.id ?? "", request.links)),
  },
];
