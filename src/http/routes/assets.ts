import { NotFoundError } from "../../errors.ts";
import type { Route } from "../context.ts";

export const assetRoutes: Route[] = [
  {
    method: "GET",
    path: "/assets/**:name",
    open: true,
    async handle({ server, params, headers }) {
      const name = params.name ?? "";
      const asset = server.assets.get(name);
      if (asset === undefined) throw new NotFoundError("asset", name);
      // Browser modules import each other by plain names, so addresses cannot contain a hash: browsers revalidate each time and get 304.
      const shared = { etag: asset.etag, "cache-control": "no-cache" };
      if (headers.get("if-none-match") === asset.etag) return new Response(null, { status: 304, headers: shared });
      return new Response(asset.body, { headers: { ...shared, "content-type": asset.type } });
    },
  },
];
