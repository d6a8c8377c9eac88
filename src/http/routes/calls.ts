import { CallContent } from "../../../templates/pages/call.tsx";
import { InvalidInputError } from "../../errors.ts";
import { callDetail } from "../../services/tasks/calls.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

const shared = {
  region: "call",
  nav: "tasks",
  title: (call: { call_id_key: string }) => `Call ${call.call_id_key}`,
  content: CallContent,
} as const;

export const callRoutes: Route[] = [
  ...pageRoutes({
    ...shared,
    path: "/calls/",
    about: { kind: "call", in: "query", name: "call_id_key" },
    load(app, { query: { call_id_key, ...query } }) {
      const key = call_id_key?.at(-1) ?? "";
      if (key !== "") return callDetail(app, key, query);
      throw new InvalidInputError([
        {
          parameter: "call_id_key",
          value: "",
          accepted: "a call id of the form module.function:arguments_id is needed",
        },
      ]);
    },
  }),
  // Takes the rest of the path, so that a key with an unencoded slash works too (behaviour.md 3.4).
  ...pageRoutes({
    ...shared,
    path: "/calls/**:call_id_key",
    about: { kind: "call", in: "path", name: "call_id_key" },
    load: (app, { params, query }) => callDetail(app, params.call_id_key ?? "", query),
  }),
];
