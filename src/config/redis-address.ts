/** Addresses of Redis servers: from `--url`, and from pynenc's settings (storage-format.md 9.5). */
import type { AddressSettings, EffectiveSettings } from "./pynenc-sources.ts";
import {
  type EndpointsBy,
  encodedOnce,
  endpointsBy,
  type GivenAddress,
  isWithin,
  type NamedEndpoint,
  originOf,
  refused,
  type ServerEndpoint,
  settingOf,
  settingsOrigin,
} from "./server-address.ts";

const URL_FORM = "redis://[user:password@]host[:port][/database], or rediss:// for an encrypted connection";

type ServerUrl = Pick<ServerEndpoint, "url" | "location">;

/** `redis[s]://[user[:password]@]host:port/database`, or a sentence fragment that says what is accepted. */
export function parseRedisUrl(text: string): ServerUrl | string {
  const parsed = urlOf(text);
  if (parsed === null) {
    return `it must be ${URL_FORM}; the port is a number from 1 to 65535, and special characters in a password are percent-encoded`;
  }
  if (parsed.hostname === "") return `it must name a host: ${URL_FORM}`;
  const { pathname, search, hash } = parsed;
  if (!/^\/?$|^\/\d{1,9}$/.test(pathname) || search !== "" || hash !== "") {
    return "only a database number may follow the host, as in redis://host:6379/0";
  }
  return serverUrl(parsed, Number(pathname.slice(1)));
}

/**
 * Reads `redis_url` like redis-py: the host may be missing; database, user and password may be parameters; and a database that is not a number
 * is ignored. Null for unusable URLs and for sockets.
 */
function parseConfiguredUrl(text: string): ServerUrl | null {
  const parsed = urlOf(text.trim().replace(/^(rediss?:\/\/(?:[^/?#]*@)?)(?![^/?#]*@)(?=[:/?#]|$)/i, "$1localhost"));
  if (parsed === null || parsed.hostname === "") return null;
  const { searchParams, pathname } = parsed;
  const database = searchParams.get("db") ?? pathname.replaceAll("/", "");
  parsed.username ||= searchParams.get("username") ?? "";
  parsed.password ||= searchParams.get("password") ?? "";
  return serverUrl(parsed, /^\d{1,9}$/.test(database) ? Number(database) : 0);
}

/** Null if it is not the URL of a Redis server. */
function urlOf(text: string): URL | null {
  const trimmed = text.trim();
  if (!/^rediss?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) return null;
  const parsed = new URL(trimmed);
  return parsed.port === "0" ? null : parsed;
}

function serverUrl({ protocol, username, password, hostname, port }: URL, database: number): ServerUrl {
  const address = `${hostname.toLowerCase()}:${port || 6379}/${database}`;
  const secret = password === "" ? "" : `:${encodedOnce(password)}`;
  const user = username === "" && secret === "" ? "" : `${encodedOnce(username)}${secret}@`;
  return { url: `${protocol}//${user}${address}`, location: `${protocol}//${address}` };
}

/**
 * The server of each component: the given one, else the one in pynenc's settings, which default to localhost.
 *
 * @throws InvalidInputError if the settings name no valid server.
 */
export function redisEndpoints(settings: EffectiveSettings, given: GivenAddress): EndpointsBy<NamedEndpoint> {
  return endpointsBy(settings, "redis", (address) => (given === null ? configuredUrl(address) : givenUrl(given)));
}

/** Which settings of pynenc name a Redis server; null if all of them have their defaults. */
export function redisSettingsOrigin(settings: EffectiveSettings): string | null {
  return settingsOrigin(settings, "redis", LOCATING_FIELDS);
}

const LOCATING_FIELDS = ["redis_url", "redis_host", "redis_port", "redis_db"];

function givenUrl({ url, origin }: NonNullable<GivenAddress>): ServerUrl & { origin: string } {
  const parsed = parseRedisUrl(url);
  if (typeof parsed === "string") throw new Error("a URL is checked where it is read");
  return { ...parsed, origin };
}

function configuredUrl(address: AddressSettings): ServerUrl & { origin: string } {
  const whole = settingOf(address, "redis_url");
  if (whole.value !== "") {
    const parsed = parseConfiguredUrl(String(whole.value));
    if (parsed === null) throw refused(whole, `it must be ${URL_FORM}`);
    return { ...parsed, origin: whole.origin };
  }
  return {
    ...urlOfParts(address),
    origin: originOf(address, [...LOCATING_FIELDS, "redis_username", "redis_password"]),
  };
}

function urlOfParts(address: AddressSettings): ServerUrl {
  const host = settingOf(address, "redis_host");
  const name = String(host.value).trim();
  // An IPv6 address has brackets in a URL, but not in a setting.
  const shown = name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
  const port = settingOf(address, "redis_port");
  const database = settingOf(address, "redis_db");
  if (!isWithin(port.value, 1, 65_535)) throw refused(port, "it must be a port, from 1 to 65535");
  if (!isWithin(database.value, 0, 999_999_999)) throw refused(database, "it must be the number of a database, from 0");
  const text = `redis://${shown}:${String(port.value)}`;
  if (name === "" || /[\s/?#@\\]/.test(name) || !URL.canParse(text)) {
    throw refused(host, "it must be a host name or an IP address");
  }
  const parsed = new URL(text);
  parsed.username = encodeURIComponent(String(settingOf(address, "redis_username").value));
  parsed.password = encodeURIComponent(String(settingOf(address, "redis_password").value));
  return serverUrl(parsed, Number(database.value));
}
