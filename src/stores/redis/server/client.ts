/** Loads the client library and classifies its errors, by class because bundling changes class names. */

type Library = typeof import("@redis/client");

let library: Library | null = null;

/** Loaded on first use, because it takes longer to load than the rest of the program. */
export async function loadClient(): Promise<Library> {
  library ??= await import("@redis/client");
  return library;
}

/** The server rejected the command. */
export function isRefusal(error: unknown): boolean {
  return library !== null && error instanceof library.ErrorReply;
}

/** The server did not answer in time. */
export function isTimeout(error: unknown): boolean {
  if (library === null) return false;
  return [library.ConnectionTimeoutError, library.SocketTimeoutError, library.TimeoutError].some(
    (one) => error instanceof one,
  );
}

/** The connection ended before the answer came. */
export function isDisconnect(error: unknown): boolean {
  if (library === null) return false;
  const { SocketClosedUnexpectedlyError, DisconnectsClientError, ClientClosedError, ClientOfflineError } = library;
  const { AbortError, ReconnectStrategyError } = library;
  return [
    ...[SocketClosedUnexpectedlyError, DisconnectsClientError, ClientClosedError, ClientOfflineError],
    ...[AbortError, ReconnectStrategyError],
  ].some((one) => error instanceof one);
}
