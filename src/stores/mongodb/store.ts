/** MongoDB servers as a Store (storage-format.md 11): discovery of apps and version tokens. */
import type { DiscoveredApp } from "../ports/store.ts";
import { type ServerOptions, ServerStore } from "../server/store.ts";
import { DEADLINE_MS } from "../threads/orders.ts";
import { REGISTRIES } from "./collections/names.ts";
import { registeredApps } from "./collections/registry.ts";
import { registryVersion } from "./collections/version.ts";
import { MongoDb } from "./server/db.ts";
import { type ComponentEndpoints, Servers } from "./server/servers.ts";
import { MongoSession } from "./session.ts";

export class MongoStore extends ServerStore<Servers> {
  readonly kind = "mongodb";
  protected readonly versionInThread = true;

  constructor(endpoints: ComponentEndpoints, options: ServerOptions) {
    const servers = new Servers({ endpoints, maxCommands: options.maxCommands ?? null });
    super(servers, new MongoSession(servers), options);
  }

  apps(): Promise<DiscoveredApp[]> {
    return registeredApps(this.#registryDb());
  }

  version(): Promise<string> {
    return registryVersion(this.#registryDb(), REGISTRIES);
  }

  #registryDb(): MongoDb {
    return new MongoDb(this.servers.of("state_backend"), performance.now() + DEADLINE_MS);
  }
}
