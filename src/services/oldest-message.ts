import { type EpochSeconds, isoOrNull } from "../pynenc/time.ts";
import type { AppReads } from "../stores/ports.ts";

/** When the oldest message was put into the queue; nulls for an empty one, and where messages cannot be looked at. */
export async function oldestMessage(
  reads: AppReads,
): Promise<{ queued_at: string | null; epoch: EpochSeconds | null }> {
  const [oldest] = await reads.broker.peekMessages({ limit: 1, offset: 0 });
  return { queued_at: isoOrNull(oldest?.queued_at), epoch: oldest?.queued_at ?? null };
}
