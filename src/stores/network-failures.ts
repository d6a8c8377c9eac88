/** Error messages for network failures, the same for every kind of server. */
import { StoreUnreachableError } from "../errors.ts";

/**
 * The error shown for a network failure, or null for any other error.
 *
 * @param server what was expected there: `Redis server`.
 * @param location the server's address with secrets masked.
 * @param nameOne hint on how to specify another server.
 */
export function networkError(
  error: Error,
  server: string,
  location: string,
  nameOne: string,
): StoreUnreachableError | null {
  const options = { cause: error };
  const code = causeCode(error);
  switch (code) {
    case "ECONNREFUSED":
      return new StoreUnreachableError(
        "missing",
        `No ${server} answers at ${location} (connection refused).`,
        nameOne,
        options,
      );
    case "ENOENT":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new StoreUnreachableError("missing", `${location}: there is no such host or socket.`, nameOne, options);
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "EADDRNOTAVAIL":
      return new StoreUnreachableError("missing", `${location} cannot be reached (${code}).`, nameOne, options);
    case "ECONNRESET":
    case "ERR_STREAM_WRITE_AFTER_END":
    case "EPIPE":
    case "ETIMEDOUT":
      return new StoreUnreachableError(
        "failed",
        `The connection to ${location} was lost (${code}).`,
        "The next request tries again.",
        options,
      );
    default:
      return null;
  }
}

/** The error's code, or that of its cause; if several addresses were tried, of the first one. */
export function causeCode(error: Error): string | null {
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  const own = (error as NodeJS.ErrnoException).code;
  if (typeof own === "string") return own;
  return inner instanceof Error ? causeCode(inner) : null;
}
