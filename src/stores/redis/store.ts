/** Redis servers as a Store (storage-format.md 9): discovery of apps and version tokens. */
import type { DiscoveredApp } from "../ports/store.ts";
import { type ServerOptions, ServerStore } from "../server/store.ts";
import { likelyApps, registeredApps } from "./keys/registry.ts";
import { RememberedWalk } from "./keys/remembered-walk.ts";
import { REGISTRY_PROBES, versionOf } from "./keys/version.ts";
import { RedisDb } from "./server/db.ts";
import { type ComponentEndpoints, Servers } from "./server/servers.ts";
import { RedisSession } from "./session.ts";

export class RedisStore extends ServerStore<Servers> {
  readonly kind = "redis";
  protected readonly versionInThread = false;
  readonly #registry = new RememberedWalk(
    () => this.version(),
    () => registeredApps(this.#registryDb()),
  );

  /** Result until the first walk has ended. */
  #likely: DiscoveredApp[] = [];

  constructor(endpoints: ComponentEndpoints, options: ServerOptions) {
    const servers = new Servers({ endpoints, maxCommands: options.maxCommands ?? null });
    super(servers, new RedisSession(servers, false), options);
  }

  async apps(partial = false): Promise<DiscoveredApp[]> {
    // Cached answers must not hide that the server is down.
    const isUp = this.servers.of("state_backend").exchange([["PING"]]);
    const [known] = await Promise.all([partial ? this.#registry.foundInTime() : this.#registry.found(), isUp]);
    if (known !== null) return known;
    if (this.#likely.length === 0) this.#likely = await likelyApps(this.#registryDb());
    return this.#likely.length > 0 ? this.#likely : this.#registry.found();
  }

  async version(): Promise<string> {
    return versionOf(this.servers.of("state_backend"), REGISTRY_PROBES);
  }

  #registryDb(): RedisDb {
    // Without a deadline: a walk continues for later callers.
    return new RedisDb(this.servers.of("state_backend"), null);
  }
}
