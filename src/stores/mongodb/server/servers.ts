import { type EndpointsOf, type ServersPlan as PlanOf, ServerSet } from "../../server/servers.ts";
import { MongoConnection, type MongoEndpoint } from "./connection.ts";

export type ComponentEndpoints = EndpointsOf<MongoEndpoint>;

export type ServersPlan = PlanOf<MongoEndpoint>;

/** One command reads a list of a page or a stretch of the history. */
const BYTES_PER_COMMAND = 100_000;

/** The connections of one thread. Databases of one server are connected to separately: hardly any app has several. */
export class Servers extends ServerSet<MongoEndpoint, MongoConnection> {
  constructor(plan: ServersPlan) {
    super(plan, {
      keyOf: ({ url, database }) => `${url} ${database}`,
      connect: (endpoint, use) => new MongoConnection(endpoint, use),
      bytesPerCommand: BYTES_PER_COMMAND,
    });
  }
}
