/** Whether other machines can reach the server. If so, it requires a token, and is read-only unless actions are allowed explicitly. */
import { BlockList, isIP } from "node:net";
import { InvalidInputError } from "../errors.ts";
import { DEFAULT_PORT, type ResolvedOptions } from "./options.ts";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Names other than `localhost` count as reachable, because what they resolve to may change. @param host `ResolvedOptions.host` */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === "localhost" : LOOPBACK.check(host, family === 6 ? "ipv6" : "ipv4");
}

/** What anyone with access to the monitor can do. */
export function reachOf({ readOnly }: Pick<ResolvedOptions, "readOnly">): string {
  return readOnly.value ? "can read all data" : "can read all data, run tasks again and purge the app";
}

/** The effective options of a server: if other machines can reach it, it is read-only unless `--allow-actions` is given. @throws InvalidInputError */
export function servedOptions(options: ResolvedOptions): ResolvedOptions {
  const { host, readOnly, allowActions } = options;
  if (readOnly.value && allowActions.value && readOnly.origin.startsWith("--") === allowActions.origin.startsWith("--"))
    throw new InvalidInputError([
      { parameter: allowActions.origin, value: "true", accepted: `it contradicts ${readOnly.origin}` },
    ]);
  // If one is a flag and the other a variable, the flag wins.
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
        accepted: `anyone who can reach this port ${reachOf(options)}, because there is no token`,
      },
    ],
    "Add --token auto, put a token into PYNENC_MONITOR_TOKEN, or name a file that holds one with --token-file. " +
      `Or leave ${host.origin} out and run ssh -L ${local}:127.0.0.1:${local} user@this-machine on the other machine. ` +
      "If the network itself keeps others out, add --no-token: the monitor then runs without any protection.",
  );
}
