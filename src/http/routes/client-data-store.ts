import { ClientDataContent, ClientDataHeader } from "../../../templates/pages/client-data-store.tsx";
import { clientDataOverview } from "../../services/components/client-data.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const clientDataStoreRoutes: Route[] = pageRoutes({
  path: "/client-data-store/",
  region: "client-data-store",
  about: { kind: "client_data", in: "query", name: "reference" },
  nav: "client_data",
  load: (app, { query }) => clientDataOverview(app, query),
  title: () => "Client data store",
  header: ClientDataHeader,
  content: ClientDataContent,
});
