/** The releases of pynenc that the lab runs, and what each of them can be run on. */

export const STORES = ["sqlite", "redis", "rabbitmq", "mongodb"] as const;

/** Where an app of the lab keeps its data. `rabbitmq`: its queue there, everything else in SQLite. */
export type LabStore = (typeof STORES)[number];

export interface Release {
  /** Version of pynenc. `locks/pynenc-<version>.txt` pins it and its plugins, with hashes; `locks/mongo.txt` those for MongoDB. */
  version: string;
  /** Stores for which a plugin exists that fits this release. */
  stores: readonly LabStore[];
}

/** Oldest first. Another upstream release is one line here and a lock file (README.md). */
export const RELEASES = [
  { version: "0.2.3", stores: ["sqlite", "redis", "rabbitmq"] },
  { version: "0.3.1", stores: ["sqlite", "redis", "rabbitmq", "mongodb"] },
  // Named queues: the newest published plugins (Redis 0.3.0, RabbitMQ 0.1.6, MongoDB 0.3.0) do not have them yet.
  { version: "0.4.0", stores: ["sqlite"] },
] as const satisfies readonly Release[];

export type Version = (typeof RELEASES)[number]["version"];

export const NEWEST: Version = "0.4.0";
