import type { Route } from "../context.ts";

/** `/openapi.json`: describes these routes and itself. Built on the first request, then kept. */
export function openApiRoute(routes: readonly Route[]): Route {
  const own = { method: "GET", path: "/openapi.json" } as const;
  let text: string | null = null;
  return {
    ...own,
    json: true,
    async handle({ server }) {
      if (text === null) {
        const { openApiDocument } = await import("../../questions/derived/openapi.ts");
        text = `${JSON.stringify(await openApiDocument(server.version, [...routes, own], server.basePath))}\n`;
      }
      return new Response(text, { headers: { "content-type": "application/json; charset=utf-8" } });
    },
  };
}
