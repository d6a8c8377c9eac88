/** The connections of one thread to the servers of a store: one per server, whichever components it keeps. */
import { COMPONENTS, type ComponentName } from "../ports/common.ts";
import type { ServerLoad } from "../ports/store.ts";
import { ServerUse } from "./use.ts";

/** A server and a database on it. */
export interface ServerEndpoint {
  /** May hold a password: show `location` instead. */
  url: string;
  /** The URL with secrets masked. */
  location: string;
  /** Connect timeout in seconds. */
  connectTimeout: number;
  /** Response timeout in seconds. */
  timeout: number;
}

/** The server of each component; usually five times the same. */
export type EndpointsOf<Endpoint> = Readonly<Record<ComponentName, Endpoint>>;

/** Configuration of the connections; can be sent to another thread. */
export interface ServersPlan<Endpoint> {
  endpoints: EndpointsOf<Endpoint>;
  /** Limit of commands per second for each server; null for no limit. */
  maxCommands: number | null;
  /** Shared counters (`ServerUse.shared`) by key of the endpoint, so that all threads count and are limited together. */
  uses?: ReadonlyMap<string, SharedArrayBuffer>;
}

/** What a connection sent since the start, for benchmarks and tests. */
export interface Traffic {
  round_trips: number;
  commands: number;
}

export interface ServerConnection<Endpoint> {
  readonly endpoint: Endpoint;
  /** Null for an unlimited connection. */
  readonly use: ServerUse | null;
  readonly traffic: Traffic;
  close(): Promise<void>;
}

/** What a store needs of its servers, whatever their kind. */
export interface ServerLoads {
  readonly plan: ServersPlan<ServerEndpoint>;
  readonly location: string;
  readonly loads: ServerLoad[];
  readonly traffic: Traffic;
  close(): Promise<void>;
}

/** What differs between the kinds of servers. */
export interface ServerKind<Endpoint, Connection> {
  /** Endpoints with the same key share a connection. */
  keyOf(endpoint: Endpoint): string;
  connect(endpoint: Endpoint, use: ServerUse | null): Connection;
  /** Limit of reply bytes per second, per allowed command per second. */
  bytesPerCommand: number;
}

/** Each connection opens on first use. */
export class ServerSet<Endpoint extends ServerEndpoint, Connection extends ServerConnection<Endpoint>>
  implements ServerLoads
{
  /** For a thread that shares the counters of this one. */
  readonly plan: ServersPlan<Endpoint>;
  readonly #kind: ServerKind<Endpoint, Connection>;
  readonly #connections: ReadonlyMap<string, Connection>;

  constructor({ endpoints, maxCommands, uses }: ServersPlan<Endpoint>, kind: ServerKind<Endpoint, Connection>) {
    this.#kind = kind;
    const limits = maxCommands === null ? null : { commands: maxCommands, bytes: maxCommands * kind.bytesPerCommand };
    this.#connections = new Map(
      Object.values(endpoints).map((endpoint) => {
        const key = kind.keyOf(endpoint);
        const use = limits === null ? null : new ServerUse(limits, uses?.get(key));
        return [key, kind.connect(endpoint, use)];
      }),
    );
    const shared = [...this.#connections].flatMap(([key, { use }]) =>
      use === null ? [] : [[key, use.shared] as const],
    );
    this.plan = { endpoints, maxCommands, uses: new Map(shared) };
  }

  get location(): string {
    return [...new Set(Object.values(this.plan.endpoints).map(({ location }) => location))].join(", ");
  }

  /** In the order of the components. */
  get connections(): Connection[] {
    return [...this.#connections.values()];
  }

  /** The connection to the server that keeps a component. */
  of(component: ComponentName): Connection {
    const connection = this.#connections.get(this.#kind.keyOf(this.plan.endpoints[component]));
    if (connection === undefined) throw new Error(`no connection for ${component}`);
    return connection;
  }

  componentsOn(connection: Connection): ComponentName[] {
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
