/** The connections of one thread: one for each server, whichever components it keeps. */
import { COMPONENTS, type ComponentName } from "../../ports.ts";
import { RedisConnection, type RedisEndpoint, type Traffic } from "./connection.ts";

/** The server of each component; usually five times the same. */
export type ComponentEndpoints = Readonly<Record<ComponentName, RedisEndpoint>>;

/** Each is connected by its first use. */
export class Servers {
  readonly endpoints: ComponentEndpoints;
  readonly #connections: ReadonlyMap<string, RedisConnection>;

  constructor(endpoints: ComponentEndpoints) {
    this.endpoints = endpoints;
    this.#connections = new Map(
      Object.values(endpoints).map((endpoint) => [endpoint.url, new RedisConnection(endpoint)]),
    );
  }

  get location(): string {
    return [...new Set(Object.values(this.endpoints).map(({ location }) => location))].join(", ");
  }

  /** In the order of the components. */
  get connections(): RedisConnection[] {
    return [...this.#connections.values()];
  }

  /** The connection to the server that keeps a component. */
  of(component: ComponentName): RedisConnection {
    const connection = this.#connections.get(this.endpoints[component].url);
    if (connection === undefined) throw new Error(`no connection for ${component}`);
    return connection;
  }

  componentsOn(connection: RedisConnection): ComponentName[] {
    return COMPONENTS.filter((component) => this.of(component) === connection);
  }

  /** What was sent to all servers since the start. */
  get traffic(): Traffic {
    const all = this.connections.map(({ traffic }) => traffic);
    return {
      round_trips: all.reduce((sum, { round_trips }) => sum + round_trips, 0),
      commands: all.reduce((sum, { commands }) => sum + commands, 0),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}
