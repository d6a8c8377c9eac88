import type { Actions } from "../ports.ts";
import type { RedisReading } from "./reading.ts";

export function actionsOf(_reading: RedisReading): Actions {
  return {} as Actions;
}
