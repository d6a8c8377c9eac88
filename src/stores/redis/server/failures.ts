/** Error messages for failures of a Redis server. Secrets in addresses are masked. */
import { MonitorError, RefusedError, StoreUnreachableError } from "../../../errors.ts";
import { causeCode, networkError } from "../../network-failures.ts";
import { isDisconnect, isRefusal, isTimeout } from "./client.ts";

const NAME_ONE = "Name the server: --url redis://host:6379/0";

/** Turns errors of the client or the server into the error shown to users; anything else is rethrown as a defect. */
export function redisError(error: unknown, location: string): unknown {
  if (error instanceof MonitorError || !(error instanceof Error)) return error;
  const options = { cause: error };
  const unreachable = (reason: StoreUnreachableError["reason"], message: string, hint: string | null = null) =>
    new StoreUnreachableError(reason, message, hint, options);
  const lost = networkError(error, "Redis server", location, NAME_ONE);
  if (lost !== null) return lost;
  const code = causeCode(error);
  if (code !== null && /^(ERR_SSL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) {
    return unreachable(
      "failed",
      `Could not establish a trusted encrypted connection to ${location} (${code}).`,
      "Use redis:// for a plain connection and rediss:// for an encrypted one. NODE_EXTRA_CA_CERTS names a file with more CA certificates.",
    );
  }
  return serverError(error, location, unreachable) ?? lostError(error, location, unreachable) ?? error;
}

/** Whether the server rejected the command, so that it had no effect. After any other failure it may have had one. */
export function isRejection(error: unknown): boolean {
  if (error instanceof RefusedError) return true;
  return error instanceof StoreUnreachableError && isRefusal(error.cause);
}

type Unreachable = (
  reason: StoreUnreachableError["reason"],
  message: string,
  hint?: string | null,
) => StoreUnreachableError;

/** Error replies of the server begin with a word in capitals. */
function serverError(error: Error, location: string, unreachable: Unreachable): MonitorError | null {
  const [word = ""] = error.message.split(" ", 1);
  switch (word) {
    case "NOAUTH":
    case "WRONGPASS":
      return unreachable(
        "no-permission",
        `${location} requires a user name and password, or rejected the given ones.`,
        "Give them in the URL, redis://user:password@host:6379/0, preferably through PYNENC_MONITOR_URL.",
      );
    case "NOPERM":
      return unreachable(
        "no-permission",
        `${location} does not give this user the permissions it needs: ${error.message}`,
      );
    case "LOADING":
      return unreachable("busy", `${location} is loading its data.`, "Try again in a moment.");
    case "BUSY":
      return unreachable("busy", `${location} is busy with a script.`, "Try again in a moment.");
    case "READONLY":
      return new RefusedError(`Nothing was changed: ${location} is a replica and accepts no writes.`, null, 409);
    case "MOVED":
    case "ASK":
    case "CROSSSLOT":
      return unreachable(
        "failed",
        `${location} is a cluster, which neither pynenc's plugin nor this monitor supports.`,
        "Name a server that holds all of the data.",
      );
    case "ERR":
    case "EXECABORT":
    case "MISCONF":
    case "MASTERDOWN":
    case "NOREPLICAS":
    case "OOM":
    case "WRONGTYPE":
      return unreachable("failed", `${location} answered: ${error.message}`);
    default:
      return null;
  }
}

function lostError(error: Error, location: string, unreachable: Unreachable): MonitorError | null {
  if (isTimeout(error)) return unreachable("timeout", `${location} did not answer in time.`, "Try again in a moment.");
  if (isDisconnect(error))
    return unreachable("failed", `The connection to ${location} was lost.`, "The next request tries again.");
  return null;
}
