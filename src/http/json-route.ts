import type { OpenedApp } from "../services/app/opened-app.ts";
import type { Route, RouteRequest } from "./context.ts";
import { json } from "./respond.tsx";

/** An address with JSON alone. @param load gets the parameter of the path; empty without one. */
export function jsonRoute(
  path: string,
  load: (app: OpenedApp, id: string, request: RouteRequest) => Promise<object>,
): Route {
  return {
    method: "GET",
    path,
    json: true,
    async handle(request) {
      const [id = ""] = Object.values(request.params);
      return json(await load(await request.app(), id, request));
    },
  };
}
