/** Whether others could reach the server: then it has to ask who they are, and changes nothing unless that is wanted. */
import { BlockList, isIP } from "node:net";
import { InvalidInputError } from "../errors.ts";
import { DEFAULT_PORT, type ResolvedOptions } from "./options.ts";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Names but `localhost` count as reachable: what they resolve to may change. @param host as `ResolvedOptions.host` */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === "localhost" : LOOPBACK.check(host, family === 6 ? "ipv6" : "ipv4");
}

/** What somebody who may use the monitor can do. */
export function reachOf({ readOnly }: Pick<ResolvedOptions, "readOnly">): string {
  return readOnly.value ? "can read all data" : "can read all data, run tasks again and purge the app";
}

/** The options of a server: one that other machines can reach is read-only unless `--allow-actions` is given. @throws InvalidInputError */
export function servedOptions(options: ResolvedOptions): ResolvedOptions {
  const { host, readOnly, allowActions } = options;
  if (readOnly.value && allowActions.value && readOnly.origin.startsWith("--") === allowActions.origin.startsWith("--"))
    throw new InvalidInputError([
      { parameter: allowActions.origin, value: "true", accepted: `${readOnly.origin} says the opposite` },
    ]);
  // Of a flag and a variable the flag is meant.
  const allowed = allowActions.value && !(readOnly.value && readOnly.origin.startsWith("--"));
  if (allowed) return { ...options, readOnly: { value: false, origin: allowActions.origin } };
  const served = isLoopback(host.value) || readOnly.value ? readOnly : { value: true, origin: host.origin };
  return { ...options, readOnly: served };
}

/** @throws InvalidInputError for an address beyond this machine without a token and without `--no-token`. @param options of `servedOptions` */
export function refuseReachableHost(
  options: Pick<ResolvedOptions, "host" | "port" | "readOnly" | "noToken" | "token" | "tokenFile">,
): void {
  const { host, port, noToken, token, tokenFile } = options;
  if (noToken.value || token.value !== "none" || tokenFile.value !== null || isLoopback(host.value)) return;
  const local = port.value === "auto" ? DEFAULT_PORT : port.value;
  throw new InvalidInputError(
    [
      {
        parameter: host.origin,
        value: host.value,
        accepted: `anyone who can reach this port ${reachOf(options)}, and no token keeps them out`,
      },
    ],
    "Add --token auto, put a token into PYNENC_MONITOR_TOKEN, or name a file that holds one with --token-file. " +
      `Or leave ${host.origin} out and run ssh -L ${local}:127.0.0.1:${local} user@this-machine on the other machine. ` +
      "If the network itself keeps others out, add --no-token: the monitor then runs without any protection.",
  );
}
