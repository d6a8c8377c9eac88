/** Facts about a thing, as data. Pages, panels and bundles draw it (templates/fragments/facts/), commands print it (src/cli/print/facts.ts). */
import type { FoundKind } from "../../api/find.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { RunnerName } from "../../api/model/runner-names.ts";
import type { ShownArgument, ShownValue } from "../../api/model/values.ts";
import type { Links } from "../links.ts";
import { thingHref } from "../thing-links.ts";

/** Where a value leads: the page of a thing, or a filtered list. */
export type Target =
  | { kind: FoundKind; id: string }
  | { invocations: Parameters<Links["invocations"]>[0] }
  | { trigger_runs: Parameters<Links["triggerRuns"]>[0] }
  | { queue: Parameters<Links["queue"]>[0] }
  | { service_runs: Parameters<Links["atomicTimeline"]>[0] };

export type Tone = "good" | "info" | "warn" | "bad";

/** A status with its source, as rows of a list have it. */
export type StatusOf = Pick<InvocationRow, "status" | "status_source" | "task_id_key">;

export type InvocationRef = StatusOf & Pick<InvocationRow, "invocation_id">;

/** A value by its kind. Text is as stored: the code that shows it makes it visible. Instants are ISO 8601, lengths are in seconds (`ago`: how long ago, for the terminal, as pages count ages themselves; `due`: the instant is to come); null is not known. */
export type FactValue =
  | null
  | string
  | {
      text: string;
      look?: "muted" | "code" | "failed" | "details" | "event_code" | "sentence";
      /** Whether there is something is not known, unlike where there is nothing. */
      unknown?: true;
      hint?: string;
      to?: Target | null;
      /** Texts that pages mark in it. */
      marked?: readonly string[];
    }
  | { mark: string; tone?: Tone; hint?: string; to?: Target }
  | { time: string | null; of_day?: true; ago?: number; due?: true }
  | { seconds: number | null; at_least?: boolean | undefined }
  | { count: number | null; capped?: boolean; to?: Target }
  | { id: string; to?: Target | null; full?: true }
  | { task: string; to?: Target | null }
  | { call: string }
  | { runner: RunnerName; short?: true }
  | { status: string }
  | { status_of: StatusOf }
  | { invocation: InvocationRef }
  | { values: readonly ShownArgument[]; none: string }
  | { stored: ShownValue }
  /** Several values in one line, such as a value with remarks. */
  | { parts: readonly FactValue[] }
  /** Values one below the other. `more`: how many are left out; `all`: a page with all of them; `joint`: a word between two values. */
  | { list: readonly FactValue[]; more?: number; all?: Target; joint?: string };

export interface Fact {
  /** The name of the fact within its list: mostly the member of the answer that it says. */
  key: string;
  label: string;
  value: FactValue;
}

/** Facts under a heading. */
export interface FactGroup {
  title: string;
  facts: readonly Fact[];
}

/** Drops entries that are false or null, which means that they do not apply. */
export function group(title: string, ...facts: readonly (Fact | false | null)[]): FactGroup {
  return { title, facts: facts.filter((fact) => fact !== false && fact !== null) };
}

export function fact(key: string, label: string, value: FactValue): Fact {
  return { key, label, value };
}

/** Says that there is nothing, and why. Short lists leave it out. */
export function absent(text: string, hint?: string): FactValue {
  return { text, look: "muted", ...(hint === undefined ? {} : { hint }) };
}

/** Says that it is not known whether there is something, and why. Short lists leave it out. */
export function unknown(text: "not known" | "not stored", hint?: string): FactValue {
  return { text, look: "muted", unknown: true, ...(hint === undefined ? {} : { hint }) };
}

/** Whether a page states a value: it leaves out what there is nothing of, but says what is not known. */
export function isStated(value: FactValue): boolean {
  return !isAbsent(value) || (value !== null && typeof value === "object" && "unknown" in value);
}

/** Whether a value only says that there is nothing. */
export function isAbsent(value: FactValue): boolean {
  if (value === null || value === "") return true;
  if (typeof value === "string") return false;
  if ("text" in value) return value.look === "muted" || value.text === "";
  if ("time" in value) return value.time === null;
  if ("seconds" in value) return value.seconds === null;
  if ("count" in value) return value.count === null;
  return "parts" in value && value.parts.every(isAbsent);
}

/** The facts of all groups that say something: for panels and the terminal. */
export function shortFacts(groups: readonly FactGroup[]): Fact[] {
  return groups.flatMap(({ facts }) => facts).filter(({ value }) => !isAbsent(value));
}

/** An id with a link to the thing that it names. */
export function idOf(kind: FoundKind, id: string, linked = true): FactValue {
  return { id, to: linked ? { kind, id } : null };
}

/** As `idOf`; nothing for null. */
export function idOrNothing(kind: FoundKind, id: string | null): FactValue {
  return id === null ? null : idOf(kind, id);
}

/** What became of an event. */
export function eventOutcome({ triggered, matched }: { triggered: boolean; matched: boolean }): FactValue {
  if (triggered) return "started work";
  return matched ? "met a condition" : absent("met no condition");
}

export function targetHref(links: Links, target: Target): string {
  if ("invocations" in target) return links.invocations(target.invocations);
  if ("trigger_runs" in target) return links.triggerRuns(target.trigger_runs);
  if ("queue" in target) return links.queue(target.queue);
  if ("service_runs" in target) return links.atomicTimeline(target.service_runs);
  return thingHref(links, target);
}
