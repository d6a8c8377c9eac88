/** Addresses of Redis servers: from `--url`, and from pynenc's settings (storage-format.md 9.5). */
import { InvalidInputError } from "../errors.ts";
import { maskAddress } from "./masking.ts";
import type { AddressSettings, EffectiveSettings, SettingValue } from "./pynenc-sources.ts";
import { type DatabaseComponent, DEFAULT_ORIGIN } from "./setting-sources.ts";

/** A server and its database; the same as `RedisEndpoint` of the store. */
interface ServerEndpoint {
  /** `redis[s]://[user[:password]@]host:port/database`, including the password. */
  url: string;
  /** The URL without user and password: people put passwords in either place. */
  location: string;
  /** Seconds. */
  connectTimeout: number;
  /** Seconds. */
  timeout: number;
}

export interface NamedEndpoint extends ServerEndpoint {
  /** Where it is configured, for messages. */
  origin: string;
}

const URL_FORM = "redis://[user:password@]host[:port][/database], or rediss:// for an encrypted connection";

/** Minimum timeout in seconds: a batch of the monitor reads more than a command of the app does. */
const LEAST_TIMEOUT = 10;

type ServerUrl = Pick<ServerEndpoint, "url" | "location">;

/** The normalised URL, or a sentence fragment that says what is accepted. */
export function parseServerUrl(text: string): ServerUrl | string {
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

/** Like Python, keeps percent signs that encode nothing. They are escaped, so that the result can always be decoded. */
function encodedOnce(part: string): string {
  const decoded = part.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
  return encodeURIComponent(decoded);
}

/**
 * The server of each component: the given one, else the one in pynenc's settings, which default to localhost.
 *
 * @throws InvalidInputError if the settings name no valid server.
 */
export function serverEndpoints(
  settings: EffectiveSettings,
  given: { url: string; origin: string } | null,
): Record<DatabaseComponent, NamedEndpoint> {
  const endpoints = [...settings.addresses("redis")].map(([component, address]) => {
    const named = given === null ? configuredUrl(address) : givenUrl(given);
    return [component, { ...named, ...timeouts(address) }] as const;
  });
  return Object.fromEntries(endpoints) as Record<DatabaseComponent, NamedEndpoint>;
}

/** Which settings of pynenc name a Redis server; null if all of them have their defaults. */
export function redisSettingsOrigin(settings: EffectiveSettings): string | null {
  const origins = [...settings.addresses("redis").values()].flatMap((address) =>
    LOCATING_FIELDS.map((field) => settingOf(address, field)).filter(isSet),
  );
  return origins[0]?.origin ?? null;
}

const LOCATING_FIELDS = ["redis_url", "redis_host", "redis_port", "redis_db"];

function givenUrl({ url, origin }: { url: string; origin: string }): ServerUrl & { origin: string } {
  const parsed = parseServerUrl(url);
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
  const parts = [...LOCATING_FIELDS, "redis_username", "redis_password"].map((field) => settingOf(address, field));
  const origins = [...new Set(parts.filter(isSet).map(({ origin }) => origin))];
  return { ...urlOfParts(address), origin: origins.length === 0 ? DEFAULT_ORIGIN : origins.join(", ") };
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

function timeouts(address: AddressSettings): Pick<ServerEndpoint, "connectTimeout" | "timeout"> {
  const connect = Number(settingOf(address, "socket_connect_timeout").value);
  const answer = Number(settingOf(address, "socket_timeout").value);
  return { connectTimeout: connect > 0 ? connect : 5, timeout: Math.max(answer, LEAST_TIMEOUT) };
}

function settingOf(address: AddressSettings, field: string): SettingValue {
  const setting = address.get(field);
  if (!setting) throw new Error(`SETTINGS lacks ${field}`);
  return setting;
}

/** Files and containers unset a value by setting it to an empty text. */
function isSet({ value, origin }: SettingValue): boolean {
  return origin !== DEFAULT_ORIGIN && value !== "";
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && value >= least && value <= most;
}

function refused({ field, origin, value }: SettingValue, accepted: string): InvalidInputError {
  return new InvalidInputError(
    [{ parameter: `${field} (${origin})`, value: maskAddress(String(value)), accepted }],
    "Correct the setting, or name the server with --url.",
  );
}
