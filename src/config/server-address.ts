/** What the addresses of servers have in common, whatever their kind: where pynenc's settings name them, and how they are refused. */
import { InvalidInputError } from "../errors.ts";
import { maskAddress } from "./masking.ts";
import type { AddressSettings, EffectiveSettings, SettingValue } from "./pynenc-sources.ts";
import { type DatabaseComponent, DEFAULT_ORIGIN, type ServerKind } from "./setting-sources.ts";

/** A server and a database on it; the same as `ServerEndpoint` of the stores. */
export interface ServerEndpoint {
  /** Including the password. */
  url: string;
  /** The address without user, password and options: people put passwords in either of the first two. */
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

/** The server of each component. */
export type EndpointsBy<Endpoint> = Readonly<Record<DatabaseComponent, Endpoint>>;

/** An address that an option names, or null if pynenc's settings do. */
export type GivenAddress = { url: string; origin: string } | null;

/** Minimum timeout in seconds: a batch of the monitor reads more than a command of the app does. */
const LEAST_TIMEOUT = 10;

const DEFAULT_TIMEOUT = 5;

/** The server of each component. @param named by its settings of this kind of store. */
export function endpointsBy<Endpoint>(
  settings: EffectiveSettings,
  kind: ServerKind,
  named: (address: AddressSettings) => Endpoint,
): EndpointsBy<Endpoint & Pick<ServerEndpoint, "connectTimeout" | "timeout">> {
  const endpoints = [...settings.addresses(kind)].map(([component, address]) => {
    return [component, { ...named(address), ...timeouts(address) }] as const;
  });
  return Object.fromEntries(endpoints) as EndpointsBy<Endpoint & Pick<ServerEndpoint, "connectTimeout" | "timeout">>;
}

/** Which of these settings of pynenc names a server; null if all of them have their defaults. */
export function settingsOrigin(
  settings: EffectiveSettings,
  kind: ServerKind,
  fields: readonly string[],
): string | null {
  const origins = [...settings.addresses(kind).values()].flatMap((address) =>
    fields.map((field) => settingOf(address, field)).filter(isSet),
  );
  return origins[0]?.origin ?? null;
}

/** The origins of those of these settings that are set, or that all of them have their defaults. */
export function originOf(address: AddressSettings, fields: readonly string[]): string {
  const parts = fields.map((field) => settingOf(address, field));
  const origins = [...new Set(parts.filter(isSet).map(({ origin }) => origin))];
  return origins.length === 0 ? DEFAULT_ORIGIN : origins.join(", ");
}

function timeouts(address: AddressSettings): Pick<ServerEndpoint, "connectTimeout" | "timeout"> {
  const connect = Number(settingOf(address, "socket_connect_timeout").value);
  const answer = Number(settingOf(address, "socket_timeout").value);
  return { connectTimeout: connect > 0 ? connect : DEFAULT_TIMEOUT, timeout: Math.max(answer, LEAST_TIMEOUT) };
}

export function settingOf(address: AddressSettings, field: string): SettingValue {
  const setting = address.get(field);
  if (!setting) throw new Error(`SETTINGS lacks ${field}`);
  return setting;
}

/** Files and containers unset a value by setting it to an empty text. */
function isSet({ value, origin }: SettingValue): boolean {
  return origin !== DEFAULT_ORIGIN && value !== "";
}

/** Like Python, keeps percent signs that encode nothing. They are escaped, so that the result can always be decoded. */
export function encodedOnce(part: string): string {
  const decoded = part.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
  return encodeURIComponent(decoded);
}

export function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && value >= least && value <= most;
}

export function refused({ field, origin, value }: SettingValue, accepted: string): InvalidInputError {
  return new InvalidInputError(
    [{ parameter: `${field} (${origin})`, value: maskAddress(String(value)), accepted }],
    "Correct the setting, or name the server with --url.",
  );
}
