import type { Flags } from "../flags.ts";

/** `monitor serve`: opens the store, listens, and ends cleanly on Ctrl-C. */
export async function run(flags: Flags): Promise<void> {
  const { openServed } = await import("../session.ts");
  const session = await openServed(flags);
  // Connect while the rest is loaded, to hide latency. `runServer` connects again and reports a failure.
  session.workspace.open().catch(() => undefined);
  const { runServer } = await import("../run-server.ts");
  await runServer(flags, session, () => undefined);
}
