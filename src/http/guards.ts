/** Decides which requests are allowed, before any route runs (security.md 2). Pure, so that every combination of headers can be tested. */
import { isHostAllowed } from "host-validation-middleware";
import { TooLargeError } from "../errors.ts";

export interface GuardOptions {
  /**
   * Names accepted in the Host header besides loopback names and IP addresses: the bound host and those of `--allowed-host`. Not frozen: the package
   * that checks them would remember every accepted header.
   */
  allowedHosts: readonly string[];
  /** Only the names of `--allowed-host`: they may belong to a proxy that adds TLS, while we speak plain HTTP. */
  proxiedHosts: readonly string[];
  readOnly: boolean;
}

export interface Refusal {
  status: 400 | 403 | 413;
  title: string;
  detail: string;
  /** The request is not addressed to this monitor, so the page of another site may read the answer: it must reveal nothing. */
  misaddressed?: true;
}

/** A name or an address with a port (RFC 9110 7.2); several headers arrive joined by commas. */
const HOST = /^(?:\[[\da-f:.]+\]|[a-z\d_][a-z\d_.-]*)(?::\d{1,5})?$/i;

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];

/** Far more than any form of an action needs; a route may set its own limit. */
export const MAX_BODY_BYTES = 1_048_576;

/** Changes the active app although it is a GET, so that plain links can do it (behaviour.md 2.5). */
const STATE_CHANGING_GET = "/switch-app/";

/** The body that a route accepts. */
export interface BodyRules {
  /** Its POST changes nothing, so it is allowed in read-only mode too. The origin is still checked. */
  reads?: true;
  /** Maximum bytes of the body, instead of `MAX_BODY_BYTES`. */
  bodyLimit?: number;
}

/** Why the request is refused, or null if it may pass. */
export function refusalOf(
  request: { method: string; pathname: string; headers: Pick<Headers, "get"> },
  options: GuardOptions,
  { reads, bodyLimit = MAX_BODY_BYTES }: BodyRules = {},
): Refusal | null {
  const { method, pathname, headers } = request;
  const host = headers.get("host") ?? "";
  const misaddressed = hostRefusal(host, options.allowedHosts);
  if (misaddressed !== null) return { ...misaddressed, misaddressed: true };
  if (SAFE_METHODS.includes(method)) {
    const foreign = pathname.startsWith(STATE_CHANGING_GET) ? foreignHeader(headers, host, options) : null;
    return foreign === null ? null : crossOrigin(`Another site may not switch the app. ${foreign}`);
  }
  if (Number(headers.get("content-length") ?? 0) > bodyLimit) {
    return { status: 413, title: "Too large", detail: new TooLargeError(bodyLimit).message };
  }
  const foreign = foreignHeader(headers, host, options) ?? missingSource(headers, host);
  if (foreign !== null) return crossOrigin(foreign);
  if (options.readOnly && !reads) {
    return {
      status: 403,
      title: "Read-only",
      detail:
        "This monitor is read-only: it was started with --read-only, or other machines can reach it and --allow-actions is missing.",
    };
  }
  return null;
}

function hostRefusal(host: string, allowed: readonly string[]): Refusal | null {
  // Without a host there is nothing to check; browsers always send one.
  if (host === "") return { status: 400, title: "No Host header", detail: "The request has no Host header." };
  // `isHostAllowed` expects a well-formed header: it takes `localhost:80@evil.example` for localhost.
  if (!HOST.test(host)) return { status: 400, title: "Malformed Host header", detail: "The Host header is malformed." };
  if (isHostAllowed(host, allowed)) return null;
  const name = host.replace(/:\d+$/, "");
  return {
    status: 403,
    title: "Unknown host name",
    detail: `This monitor does not answer to the name ${JSON.stringify(name)}. If it is yours, start it with --allowed-host ${name}`,
  };
}

function crossOrigin(detail: string): Refusal {
  return { status: 403, title: "Cross-origin request", detail };
}

/**
 * Names the header that shows that a request comes from another site, which includes other ports of this machine. Every header that is present must
 * name this monitor.
 */
function foreignHeader(headers: Pick<Headers, "get">, host: string, options: GuardOptions): string | null {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return `The browser says the request is ${site}.`;
  const own = ownOrigins(host, options.proxiedHosts);
  const origin = headers.get("origin");
  if (origin !== null && !own.includes(origin.toLowerCase())) return "The Origin header names another site.";
  const referer = headers.get("referer");
  if (referer !== null && !own.includes(originOf(referer))) return "The Referer header names another site.";
  return null;
}

/**
 * A change needs one of Origin and Referer (behaviour.md 2.4). A script sends
 * `Origin: http://<host>` itself.
 */
function missingSource(headers: Pick<Headers, "get">, host: string): string | null {
  if (headers.get("origin") !== null || headers.get("referer") !== null) return null;
  return `A request that changes something needs an Origin or Referer header; from a script send "Origin: http://${host}".`;
}

function ownOrigins(host: string, proxiedHosts: readonly string[]): string[] {
  const name = host.replace(/:\d+$/, "");
  const proxied = proxiedHosts.some((given) => given === name || (given.startsWith(".") && name.endsWith(given)));
  return proxied ? [`http://${host}`, `https://${host}`] : [`http://${host}`];
}

function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return "";
  }
}
