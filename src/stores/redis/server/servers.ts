/** The connections of one thread: one per server, whichever components it keeps. */
import { COMPONENTS, type ComponentName } from "../../ports/common.ts";
import type { ServerLoad } from "../../ports/store.ts";
import { RedisConnection, type RedisEndpoint, type Traffic } from "./connection.ts";
import { ServerUse } from "./use.ts";

/** The server of each component; usually five times the same. */
export type ComponentEndpoints = Readonly<Record<ComponentName, RedisEndpoint>>;

/** Configuration of the connections; can be sent to another thread. */
export interface ServersPlan {
  endpoints: ComponentEndpoints;
  /** Limit of commands per second for each server; null for no limit. */
  maxCommands: number | null;
  /** Shared counters (`ServerUse.shared`) by URL, so that all threads count and are limited together. */
  uses?: ReadonlyMap<string, SharedArrayBuffer>;
}

/** Limit of reply bytes per second, per allowed command per second. One command reads thousands of history entries of 400 bytes. */
const BYTES_PER_COMMAND = 5_000;

/** Each connection opens on first use. */
export class Servers {
  /** For a thread that shares the counters of this one. */
  readonly plan: ServersPlan;
  readonly #connections: ReadonlyMap<string, RedisConnection>;

  constructor({ endpoints, maxCommands, uses }: ServersPlan) {
    const limits = maxCommands === null ? null : { commands: maxCommands, bytes: maxCommands * BYTES_PER_COMMAND };
    this.#connections = new Map(
      Object.values(endpoints).map((endpoint) => {
        const use = limits === null ? null : new ServerUse(limits, uses?.get(endpoint.url));
        return [endpoint.url, new RedisConnection(endpoint, use)];
      }),
    );
    const shared = this.connections.flatMap(({ endpoint, use }) =>
      use === null ? [] : [[endpoint.url, use.shared] as const],
    );
    this.plan = { endpoints, maxCommands, uses: new Map(shared) };
  }

  get location(): string {
    return [...new Set(Object.values(this.plan.endpoints).map(({ location }) => location))].join(", ");
  }

  /** In the order of the components. */
  get connections(): RedisConnection[] {
    return [...this.#connections.values()];
  }

  /** The connection to the server that keeps a component. */
  of(component: ComponentName): RedisConnection {
    const connection = this.#connections.get(this.plan.endpoints[component].url);
    if (connection === undefined) throw new Error(`no connection for ${component}`);
    return connection;
  }

  componentsOn(connection: RedisConnection): ComponentName[] {
    return COMPONENTS.filter((component) => this.of(component) === connection);
  }

  /** Load by all threads. */
  get loads(): ServerLoad[] {
    return this.connections.flatMap(({ endpoint, use }) => {
      if (use === null) return [];
      const { commands, bytes } = use.limits;
      return [{ location: endpoint.location, ...use.rates, most_commands: commands, most_bytes: bytes }];
    });
  }

  /** Totals for all servers since the start. */
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
