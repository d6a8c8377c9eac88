/** Whether others could reach the server. It asks nobody who they are, so listening beyond this machine has to be wanted. */
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

/** What somebody who reaches the port can do. */
export function reachOf({ readOnly }: Pick<ResolvedOptions, "readOnly">): string {
  return readOnly.value ? "can read all data" : "can read all data, run tasks again and purge the app";
}

/** @throws InvalidInputError for an address beyond this machine without `--no-token`. */
export function refuseReachableHost(options: Pick<ResolvedOptions, "host" | "port" | "readOnly" | "noToken">): void {
  const { host, port, noToken } = options;
  if (noToken.value || isLoopback(host.value)) return;
  const local = port.value === "auto" ? DEFAULT_PORT : port.value;
  throw new InvalidInputError(
    [
      {
        parameter: host.origin,
        value: host.value,
        accepted: `anyone who can reach this port ${reachOf(options)}, and there is no login`,
      },
    ],
    `Instead, leave ${host.origin} out and run ssh -L ${local}:127.0.0.1:${local} user@this-machine on the other machine. ` +
      "If the network itself keeps others out, add --no-token: the monitor then runs without any protection.",
  );
}
