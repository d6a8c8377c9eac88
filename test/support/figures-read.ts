/** Figures over time are read within a time that suits a request: a test that is about them lets all be read first, however busy the machine is. */
import type { OpenedApp } from "../../src/services/app/opened-app.ts";

export async function figuresRead({ rollups, now }: OpenedApp): Promise<void> {
  await rollups?.trends({ from: now() - 1, to: now(), patience: 120_000, whole: true }, 1, []);
}
