/** The kinds of servers by the scheme of their addresses. */
import { mongoSettingsOrigin, parseMongoUrl } from "./mongo-address.ts";
import type { EffectiveSettings } from "./pynenc-sources.ts";
import { parseRedisUrl, redisSettingsOrigin } from "./redis-address.ts";
import type { ServerKind } from "./setting-sources.ts";

interface KindOfServer {
  scheme: RegExp;
  /** The normalised URL, or a sentence fragment that says what is accepted. */
  parse(text: string): { url: string } | string;
  /** Which settings of pynenc name such a server; null if all of them have their defaults. */
  settingsOrigin(settings: EffectiveSettings): string | null;
}

const KINDS: Readonly<Record<ServerKind, KindOfServer>> = {
  redis: { scheme: /^\s*rediss?:/i, parse: parseRedisUrl, settingsOrigin: redisSettingsOrigin },
  mongodb: { scheme: /^\s*mongodb(\+srv)?:/i, parse: parseMongoUrl, settingsOrigin: mongoSettingsOrigin },
};

const SERVER_KINDS = Object.keys(KINDS) as readonly ServerKind[];

/** Null for the address of no known kind of server. */
export function serverKindOf(url: string): ServerKind | null {
  return SERVER_KINDS.find((kind) => KINDS[kind].scheme.test(url)) ?? null;
}

/** As `KindOfServer.parse`. */
export function parseServerUrl(text: string): { url: string } | string {
  const kind = serverKindOf(text);
  return kind === null
    ? "it must begin with redis://, rediss://, mongodb:// or mongodb+srv://, as in redis://user:password@host:6379/0"
    : KINDS[kind].parse(text);
}

/** The first kind of server that pynenc's settings name, and where. */
export function configuredServer(settings: EffectiveSettings): { kind: ServerKind; origin: string } | null {
  for (const kind of SERVER_KINDS) {
    const origin = KINDS[kind].settingsOrigin(settings);
    if (origin !== null) return { kind, origin };
  }
  return null;
}
