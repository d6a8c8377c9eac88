import type { Flags } from "../program.ts";
import { openWorkspace, READ_THREADS } from "../session.ts";

/** `monitor serve`: opens the store, listens, and ends cleanly on Ctrl-C. */
export async function serve(flags: Flags): Promise<void> {
  const session = openWorkspace(flags, READ_THREADS);
  // The reading thread starts and looks at the store while this one loads the server. A failure is told by `runServer`, which asks again.
  session.workspace.open().catch(() => undefined);
  const { runServer } = await import("../run-server.ts");
  await runServer(flags, session, () => undefined);
}
