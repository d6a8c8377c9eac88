import type { TriggerReads } from "../ports.ts";
import type { RedisReading } from "./reading.ts";

export function triggerReads(_reading: RedisReading): TriggerReads {
  return {} as TriggerReads;
}
