import type { LayoutReads } from "../ports.ts";
import type { RedisReading } from "./reading.ts";

export function layoutReads(_reading: RedisReading): LayoutReads {
  return {} as LayoutReads;
}
