import { STATUSES, statusInfo } from "../../src/pynenc/statuses.ts";

/** The 13 statuses and `resumed`, which old histories still hold. */
const STYLED: readonly string[] = [...STATUSES.map((status) => status.name), "resumed"];

/** Class that carries the colour of a status. A word found in data never becomes a class name unless we know it. */
export function statusClass(status: string): string {
  return STYLED.includes(status) ? `status-${status}` : "status-unknown";
}

/** One rule per status that sets the custom property `--status`; badges, bars and SVG take their fill from it. */
export function statusStylesheet(): string {
  const rules = STYLED.map((name) => `.status-${name}{--status:${statusInfo(name).colour}}`);
  return `${[...rules, `.status-unknown{--status:${statusInfo("").colour}}`].join("\n")}\n`;
}
