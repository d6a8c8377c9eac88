/** Hosts that the lab makes up: processes with the name and the clock of another machine. */
import { renameSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { APPS, type World } from "./world.ts";

export interface Host {
  name: string;
  /** For the processes on it. */
  env: Readonly<Record<string, string>>;
  /** Sets its clock, at once and for all its processes, so many seconds before (negative) or after the right time. */
  set(seconds: number): void;
}

/** A host whose clock is wrong by so many seconds. What its tasks do is still stamped by the clock of the lab. */
export function host(world: World, name: string, seconds: number): Host {
  const clock = join(world.folder, `clock-of-${name}`);
  const set = (wrong: number) => {
    // Replaced as a whole: a process that reads it meanwhile must not find half of it.
    writeFileSync(`${clock}.new`, String(wrong));
    renameSync(`${clock}.new`, clock);
    world.truth.note("sets the clock", { host: name, wrong });
  };
  set(seconds);
  const env = { PYTHONPATH: [join(APPS, "host"), APPS].join(delimiter), LAB_HOST: name, LAB_CLOCK: clock };
  return { name, env, set };
}
