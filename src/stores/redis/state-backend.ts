import type { StateBackendReads } from "../ports.ts";
import type { RedisReading } from "./reading.ts";

export function stateBackendReads(_reading: RedisReading): StateBackendReads {
  return {} as StateBackendReads;
}
