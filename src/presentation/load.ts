import type { ServerLoad } from "../api/model/common.ts";
import { bytes, count } from "./text.ts";

/** `214 commands and 0.4 MB per second in the last minute (limit 20,000 and 32 MB)`. */
export function loadWords(load: ServerLoad): string {
  const [used, usedBytes] = [count(Math.round(load.commands)), bytes(Math.round(load.bytes))];
  const most = `${count(load.most_commands)} and ${bytes(load.most_bytes)}`;
  return `${used} commands and ${usedBytes} per second in the last minute (limit ${most})`;
}
