import { StoreUnreachableError } from "../../../errors.ts";
import { appIdOfPrefix, collectionPrefix } from "../../../pynenc/identifiers.ts";
import { parseAppInfo } from "../../../pynenc/json-records.ts";
import type { DiscoveredApp } from "../../ports/store.ts";
import type { MongoDb } from "../server/db.ts";
import { text } from "./fields.ts";
import { AppCollections, REGISTRIES, UNPREFIXED_REGISTRY } from "./names.ts";

/** Documents read of one registry: it has one. */
const MOST_DOCUMENTS = 10;

/**
 * Apps of a database (storage-format.md 12.4): one collection each, with a document that has the id. A purge of the state backend by pynenc removes the
 * document; then the id is taken from the prefix if the hash in it confirms the id, and otherwise the app is omitted.
 *
 * @throws StoreUnreachableError for a database that holds only the collections of a plugin that wrote no prefix.
 */
export async function registeredApps(db: MongoDb): Promise<DiscoveredApp[]> {
  const registries = await db.collections(REGISTRIES);
  const apps = (await Promise.all(registries.map((name) => appsOf(db, name)))).flat();
  if (apps.length === 0 && registries.includes(UNPREFIXED_REGISTRY)) throw olderPlugin(db.location);
  return apps.sort(
    (a, b) => Number(a.phantom) - Number(b.phantom) || (a.app_id < b.app_id ? -1 : a.app_id > b.app_id ? 1 : 0),
  );
}

function olderPlugin(location: string): StoreUnreachableError {
  return new StoreUnreachableError(
    "not-pynenc",
    `${location} holds the collections of an app whose names do not begin with the app: a version of pynenc's plugin before 0.1.7 wrote them, and this monitor does not read them.`,
    "A newer version of the plugin writes collections of its own once the app runs with it.",
  );
}

async function appsOf(db: MongoDb, registry: string): Promise<DiscoveredApp[]> {
  const documents = await db.find(registry, {}, { limit: MOST_DOCUMENTS });
  const ids = documents.map(({ app_id }) => text(app_id)).filter((id) => isRegistry(registry, id));
  const purged = ids.length === 0 ? appIdOfPrefix(registry.replace(REGISTRIES, ""), collectionPrefix) : null;
  return Promise.all(
    [...ids, ...(purged === null ? [] : [purged])].map(async (app_id): Promise<DiscoveredApp> => {
      const stored = documents.find((document) => document.app_id === app_id);
      const info = stored === undefined ? null : parseAppInfo(text(stored.app_info_json));
      return { app_id, info, phantom: !(await hasInvocations(db, app_id)) };
    }),
  );
}

/** A document copied into another app's collection would lead to collections that do not exist. */
function isRegistry(name: string, appId: string): boolean {
  return new AppCollections(appId).name("state_backend", "app_info") === name;
}

async function hasInvocations(db: MongoDb, appId: string): Promise<boolean> {
  const names = new AppCollections(appId);
  const first = await Promise.all([
    db.findOne(names.name("state_backend", "invocations"), {}, { only: { _id: 1 } }),
    db.findOne(names.name("orchestrator", "invocations"), {}, { only: { _id: 1 } }),
  ]);
  return first.some((found) => found !== null);
}
