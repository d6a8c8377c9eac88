import type { OrchestratorReads } from "../ports.ts";
import type { RedisReading } from "./reading.ts";

export function orchestratorReads(_reading: RedisReading): OrchestratorReads {
  return {} as OrchestratorReads;
}
