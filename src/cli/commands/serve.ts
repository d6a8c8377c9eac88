import type { Flags } from "../flags.ts";

/** `monitor serve`: opens the store, listens, and ends cleanly on Ctrl-C. */
export async function serve(flags: Flags): Promise<void> {
  const { openServed } = await import("../session.ts");
  const session = await openServed(flags);
  // A server far away is asked while the rest is loaded. A failure is told by `runServer`, which asks again.
  session.workspace.open().catch(() => undefined);
  const { runServer } = await import("../run-server.ts");
  await runServer(flags, session, () => undefined);
}
