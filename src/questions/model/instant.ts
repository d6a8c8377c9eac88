import type { OpenedApp } from "../../services/app/opened-app.ts";
import type { RawInput } from "../../services/input/input.ts";

/** The instant of the parameter `at`. @throws InvalidInputError if it is none, or in the future */
export async function instantIn(app: OpenedApp, at: NonNullable<RawInput[string]>): Promise<number> {
  const { pastInstant } = await import("../../services/input/time-bounds.ts");
  return pastInstant(at.at(-1) ?? "", app.now());
}
