import { type EndpointsOf, type ServersPlan as PlanOf, ServerSet } from "../../server/servers.ts";
import { RedisConnection, type RedisEndpoint } from "./connection.ts";

export type ComponentEndpoints = EndpointsOf<RedisEndpoint>;

export type ServersPlan = PlanOf<RedisEndpoint>;

/** One command reads thousands of history entries of 400 bytes. */
const BYTES_PER_COMMAND = 5_000;

/** The connections of one thread. */
export class Servers extends ServerSet<RedisEndpoint, RedisConnection> {
  constructor(plan: ServersPlan) {
    super(plan, {
      keyOf: ({ url }) => url,
      connect: (endpoint, use) => new RedisConnection(endpoint, use),
      bytesPerCommand: BYTES_PER_COMMAND,
    });
  }
}
