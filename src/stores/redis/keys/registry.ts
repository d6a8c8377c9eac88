import { parseAppInfo } from "../../../pynenc/json-records.ts";
import type { DiscoveredApp } from "../../ports/store.ts";
import { rustvelloStore } from "../../rustvello.ts";
import type { RedisDb } from "../server/db.ts";
import { AppKeys, appIdIn, globEscape, isPossibleAppId, REGISTRY, unsanitizedAppId } from "./keys.ts";

/** Keys in the sample. */
const SAMPLE = 10_000;

/**
 * Apps registered on the server (storage-format.md 12.4): one key each, outside the app's prefix, under the unmodified id. A phantom has no
 * invocations in any index.
 *
 * @throws StoreUnreachableError for a server that holds apps of Rustvello and none of pynenc.
 */
export async function registeredApps(db: RedisDb): Promise<DiscoveredApp[]> {
  const ids = new Set<string>();
  for await (const keys of db.scan(`${globEscape(REGISTRY)}*`)) {
    for (const key of keys) ids.add(key.slice(REGISTRY.length));
  }
  if (ids.size === 0 && (await holdsAny(db, RUSTVELLO))) throw rustvelloStore();
  return describedApps(db, ids);
}

/** Keys of an app of Rustvello (storage-format.md 11). */
const RUSTVELLO = "rustvello:*";

async function holdsAny(db: RedisDb, pattern: string): Promise<boolean> {
  for await (const keys of db.scan(pattern)) if (keys.length > 0) return true;
  return false;
}

/** Registered apps with keys in a sample of the server's keys. */
export async function likelyApps(db: RedisDb): Promise<DiscoveredApp[]> {
  const ids = new Set<string>();
  let scanned = 0;
  for await (const keys of db.scan("*")) {
    for (const key of keys) {
      const id = appIdIn(key);
      if (id !== null) ids.add(id).add(unsanitizedAppId(id));
    }
    scanned += keys.length;
    if (scanned >= SAMPLE) break;
  }
  return (await describedApps(db, ids)).filter(({ info }) => info !== null);
}

async function describedApps(db: RedisDb, ids: Iterable<string>): Promise<DiscoveredApp[]> {
  const possible = [...ids].filter(isPossibleAppId);
  const infos = await db.strings(possible.map((id) => `${REGISTRY}${id}`));
  const used = await db.exchange(possible.map((id) => ["EXISTS", ...invocationIndexes(new AppKeys(id))]));
  return possible
    .map((app_id, i): DiscoveredApp => {
      const info = infos[i] ?? null;
      return { app_id, info: info === null ? null : parseAppInfo(info), phantom: used[i] === 0 };
    })
    .sort((a, b) => Number(a.phantom) - Number(b.phantom) || (a.app_id < b.app_id ? -1 : 1));
}

function invocationIndexes(keys: AppKeys): string[] {
  return [
    keys.key("orchestrator", "all_invocations_by_time"),
    keys.key("state_backend", "history_by_timestamp"),
    keys.key("state_backend", "workflow", "types"),
    keys.key("broker", "default_queue"),
  ];
}
