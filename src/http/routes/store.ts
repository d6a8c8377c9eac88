import { StoreContent } from "../../../templates/pages/store.tsx";
import { storeReport } from "../../services/components/store.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const storeRoutes: Route[] = pageRoutes({
  path: "/store/",
  region: "store",
  nav: "store",
  load: (app) => storeReport(app),
  title: () => "Store",
  content: StoreContent,
});
