/** Addresses of MongoDB servers: from `--url`, and from pynenc's settings (storage-format.md 11.1). */
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
  settingOf,
  settingsOrigin,
} from "./server-address.ts";

export interface NamedMongoEndpoint extends NamedEndpoint {
  /** `mongo_db`: pynenc's plugin does not use the one in a URL. */
  database: string;
}

const URL_FORM =
  "mongodb://[user:password@]host[:port][,host…][/database that knows the user][?options], or mongodb+srv:// with one name";

const FORM = /^(mongodb(?:\+srv)?):\/\/(?:([^/?#]*)@)?([^@/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;

const DEFAULT_PORT = 27_017;

/** What may follow the question mark: it says which members are connected to, how, and which of them answers. Python's driver has more. */
const OPTIONS = [
  ...["authSource", "authMechanism", "authMechanismProperties", "replicaSet", "directConnection", "loadBalanced"],
  ...["readPreference", "readPreferenceTags", "maxStalenessSeconds", "readConcernLevel", "w", "journal", "wtimeoutMS"],
  ...["tls", "ssl", "tlsInsecure", "tlsAllowInvalidCertificates", "tlsAllowInvalidHostnames", "tlsCAFile"],
  ...["tlsCertificateKeyFile", "tlsCertificateKeyFilePassword", "srvMaxHosts", "srvServiceName"],
];

interface MongoUrl {
  url: string;
  /** Scheme and hosts. */
  hosts: string;
  /** Options that are not passed on. */
  others: string[];
}

/** A URL that the driver accepts, or a sentence fragment that says what is accepted. */
export function parseMongoUrl(text: string): string | { url: string } {
  const parsed = parsedUrl(text);
  if (parsed === null) {
    return `it must be ${URL_FORM}; ports are numbers from 1 to 65535, and special characters in a password are percent-encoded`;
  }
  const [other] = parsed.others;
  return other === undefined ? { url: parsed.url } : `it has the option ${other}; accepted are ${OPTIONS.join(", ")}`;
}

function parsedUrl(text: string): MongoUrl | null {
  const [, scheme, login, authority = "", authSource = "", query = ""] = FORM.exec(text.trim()) ?? [];
  if (scheme === undefined) return null;
  const hosts = authority.split(",").map(normalHost);
  const isList = /\+srv$/i.test(scheme);
  if (hosts.includes(null) || (isList && (hosts.length !== 1 || /:\d+$/.test(authority)))) return null;
  const named = isList ? authority.toLowerCase() : hosts.join(",");
  const options = query.split("&").filter((option) => option !== "");
  const known = options.filter((option) => OPTIONS.some((name) => isNamed(option, name)));
  const user = login === undefined ? "" : `${loginOf(login)}@`;
  const path = authSource === "" ? "" : encodedOnce(authSource);
  const place = `${scheme.toLowerCase()}://`;
  return {
    url: `${place}${user}${named}/${path}${known.length === 0 ? "" : `?${known.join("&")}`}`,
    hosts: `${place}${named}`,
    others: options.filter((option) => !known.includes(option)).map((option) => option.replace(/=.*$/s, "")),
  };
}

/** Everything after the first colon is the password. */
function loginOf(login: string): string {
  const [user = "", ...password] = login.split(":");
  return [encodedOnce(user), ...(password.length === 0 ? [] : [encodedOnce(password.join(":"))])].join(":");
}

/** `host:port` in lower case; null for what is no host. */
function normalHost(text: string): string | null {
  const [, host, port = String(DEFAULT_PORT)] = /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
  return host !== undefined && isWithin(Number(port), 1, 65_535) ? `${host.toLowerCase()}:${Number(port)}` : null;
}

function isNamed(option: string, name: string): boolean {
  return option.toLowerCase().startsWith(`${name.toLowerCase()}=`);
}

/**
 * The server of each component: the given one, else the one in pynenc's settings, which default to localhost. The database is `mongo_db` in either case.
 *
 * @throws InvalidInputError if the settings name no valid server.
 */
export function mongoEndpoints(settings: EffectiveSettings, given: GivenAddress): EndpointsBy<NamedMongoEndpoint> {
  return endpointsBy(settings, "mongodb", (address) => {
    const { url, hosts, origin } = given === null ? configuredUrl(address) : givenUrl(given);
    const database = databaseOf(address);
    return { url, location: `${hosts}/${database}`, database, origin };
  });
}

/** Which settings of pynenc name a MongoDB server; null if all of them have their defaults. */
export function mongoSettingsOrigin(settings: EffectiveSettings): string | null {
  return settingsOrigin(settings, "mongodb", LOCATING_FIELDS);
}

const LOCATING_FIELDS = ["mongo_url", "mongo_host", "mongo_port", "mongo_db"];

type LocatedUrl = Pick<MongoUrl, "url" | "hosts"> & { origin: string };

function givenUrl({ url, origin }: NonNullable<GivenAddress>): LocatedUrl {
  const parsed = parsedUrl(url);
  if (parsed === null) throw new Error("a URL is checked where it is read");
  return { ...parsed, origin };
}

function configuredUrl(address: AddressSettings): LocatedUrl {
  const whole = settingOf(address, "mongo_url");
  if (whole.value !== "") {
    const parsed = parsedUrl(String(whole.value));
    if (parsed === null) throw refused(whole, `it must be ${URL_FORM}`);
    return { ...parsed, origin: originOf(address, ["mongo_url", "mongo_db"]) };
  }
  const fields = [...LOCATING_FIELDS, "mongo_username", "mongo_password", "mongo_auth_source"];
  return { ...urlOfParts(address), origin: originOf(address, fields) };
}

function urlOfParts(address: AddressSettings): Pick<MongoUrl, "url" | "hosts"> {
  const text = (field: string) => String(settingOf(address, field).value);
  const host = settingOf(address, "mongo_host");
  const port = settingOf(address, "mongo_port");
  if (!isWithin(port.value, 1, 65_535)) throw refused(port, "it must be a port, from 1 to 65535");
  const [user, password, source] = [text("mongo_username"), text("mongo_password"), text("mongo_auth_source")];
  const login = user === "" ? "" : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  const options = source === "" ? "" : `?authSource=${encodeURIComponent(source)}`;
  // Several hosts may be listed; the port is that of those without one. An IPv6 address has brackets in a URL, but not in a setting.
  const hosts = String(host.value)
    .split(",")
    .map((name) => (name.split(":").length > 2 && !name.trim().startsWith("[") ? `[${name.trim()}]` : name.trim()))
    .map((name) => (/^(\[.*\]|[^:]*)$/.test(name) ? `${name}:${Number(port.value)}` : name));
  const parsed = /[@/?#]/.test(hosts.join()) ? null : parsedUrl(`mongodb://${login}${hosts.join(",")}/${options}`);
  if (parsed === null) throw refused(host, "it must be a host name or an IP address");
  return parsed;
}

/** The server refuses other names. */
function databaseOf(address: AddressSettings): string {
  const setting = settingOf(address, "mongo_db");
  const name = String(setting.value);
  if (!/^[^/\\. "$*<>:|?\0]{1,63}$/.test(name)) throw refused(setting, "it must be the name of a database");
  return name;
}
