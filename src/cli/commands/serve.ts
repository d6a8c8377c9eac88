import { endEarlyThread, startThreadEarly } from "../../stores/sqlite/lane-threads.ts";
import type { Flags } from "../program.ts";

/** `monitor serve`: opens the store, listens, and ends cleanly on Ctrl-C. What can wait for nothing is started first. */
export async function serve(flags: Flags): Promise<void> {
  startThreadEarly();
  const { openWorkspace, READ_THREADS } = await import("../session.ts");
  const session = await openWorkspace(flags, READ_THREADS);
  if (session.workspace.store.kind !== "sqlite") endEarlyThread();
  // The reading thread looks at the store while this one loads the server. A failure is told by `runServer`, which asks again.
  session.workspace.open().catch(() => undefined);
  const { runServer } = await import("../run-server.ts");
  await runServer(flags, session, () => undefined);
}
