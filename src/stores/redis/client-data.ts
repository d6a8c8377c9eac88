import type { ClientDataReads } from "../ports.ts";
import type { RedisReading } from "./reading.ts";

export function clientDataReads(_reading: RedisReading): ClientDataReads {
  return {} as ClientDataReads;
}
