import type { Actions } from "../ports.ts";
import type { RedisReading } from "./reading.ts";

export function previewActions(_reading: RedisReading): Actions {
  return {} as Actions;
}
