import type { Mute } from "../../api/verdicts.ts";
import type { Column } from "./table.ts";
import { time } from "./zone.ts";

export const MUTE_COLUMNS: readonly Column<Mute>[] = [
  { title: "VERDICT", cell: ({ code }) => code },
  { title: "ABOUT", cell: ({ id }) => id ?? "everything" },
  { title: "UNTIL", cell: ({ until }) => time(until) },
];
