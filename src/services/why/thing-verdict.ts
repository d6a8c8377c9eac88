/** Building blocks of every answer about a single thing. */
import type { Evidence } from "../../api/verdicts.ts";
import type { WhyAnswer, WhyLink } from "../../api/why.ts";
import type { FoundVerdict } from "../verdicts/verdicts.ts";

/** The answer without links, which presentation adds. */
export type FoundWhy = Omit<WhyAnswer, "subject" | "verdict" | "others"> & {
  subject: Omit<WhyAnswer["subject"], "path">;
  verdict: FoundVerdict | null;
  others: FoundVerdict[];
};

/** What is known about a thing apart from its name. */
export interface ThingWhy extends Pick<FoundWhy, "verdict" | "others" | "chain" | "phases" | "critical_path"> {
  label: string;
}

/** A verdict about a single thing; an explanation by default. */
export function explanation(
  given: Pick<FoundVerdict, "code" | "sentence"> & Partial<Omit<FoundVerdict, "code" | "sentence">>,
): FoundVerdict {
  const evidence = given.evidence ?? [];
  return {
    severity: "info",
    detail: "",
    since: null,
    muted_until: null,
    count: Math.max(1, evidence.length),
    ...given,
    evidence,
  };
}

export function piece(kind: Evidence["kind"], id: string, role: string | null = null): Evidence {
  return { kind, id, role };
}

export function link(sentence: string, about: Partial<WhyLink> = {}): WhyLink {
  return { sentence, at: null, kind: null, id: null, ...about };
}

/** The first becomes the main verdict, the rest are others. The explanation comes last, or is the main verdict if there is no other. */
export function ranked(by: readonly FoundVerdict[], own: FoundVerdict | null): Pick<ThingWhy, "verdict" | "others"> {
  const all = [...by, ...(own === null ? [] : [own])];
  return { verdict: all[0] ?? null, others: all.slice(1) };
}
