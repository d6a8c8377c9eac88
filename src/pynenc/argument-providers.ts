/** Where the arguments of a triggered call come from (storage-format.md 5.4). */

import type { StoredMap } from "./json-records.ts";
import { objectOrNull, parsedJson } from "./plain-json.ts";
import { argumentsMap } from "./values.ts";

export interface ArgumentProvider {
  /** Class name as stored; null if the trigger has none, `unreadable` if the text is not a provider. */
  type: string | null;
  /** Lower case and without a full stop, to follow "Arguments:". */
  sentence: string;
  /** Fixed arguments with their stored strings. */
  arguments: StoredMap;
}

/** Limit of providers described within a composite one. */
const MAX_PARTS = 20;

/** Reads `argument_provider_json`. Never throws. @param json null if the trigger has no provider */
export function describeArgumentProvider(json: string | null): ArgumentProvider {
  if (json === null) return { type: null, sentence: "none", arguments: {} };
  return described(json, true);
}

function described(json: string, outer: boolean): ArgumentProvider {
  const provider = objectOrNull(parsedJson(json));
  const type = provider?.condition_type;
  if (provider === null || typeof type !== "string") return plain("unreadable", "unreadable argument provider");
  const data = objectOrNull(provider.data) ?? {};
  switch (type) {
    case "StaticArgumentProvider": {
      const fixed = fixedArguments(data.arguments);
      const names = Object.keys(fixed);
      const sentence = names.length === 0 ? "none" : "fixed arguments";
      return { type, sentence, arguments: fixed };
    }
    case "ContextTypeArgumentProvider":
      return plain(type, `from ${contextWords(data.context_type)}, by ${callable(data.callback)}`);
    case "DirectArgumentProvider":
      return plain(type, `from everything that met the conditions, by ${callable(data.callback)}`);
    case "CompositeArgumentProvider":
      return outer ? composite(type, data.providers) : plain(type, "several providers");
    default:
      return plain(type, `by a provider of the unknown type ${type}`);
  }
}

function composite(type: string, providers: unknown): ArgumentProvider {
  const texts = Array.isArray(providers) ? providers.filter((text) => typeof text === "string") : [];
  const parts = texts.slice(0, MAX_PARTS).map((text) => described(text, false));
  const more = texts.length > parts.length ? ` and ${texts.length - parts.length} more` : "";
  const sentence = `combined from ${parts.length === 0 ? "nothing" : parts.map((p) => p.sentence).join("; ")}${more}`;
  return { type, sentence, arguments: Object.assign({}, ...parts.map((part) => part.arguments)) as StoredMap };
}

function plain(type: string, sentence: string): ArgumentProvider {
  return { type, sentence, arguments: {} };
}

const CONTEXT_WORDS: Readonly<Record<string, string>> = {
  EventContext: "the event",
  StatusContext: "the status change",
  ResultContext: "the result",
  ExceptionContext: "the exception",
  CronContext: "the scheduled time",
};

function contextWords(type: unknown): string {
  return typeof type === "string" ? (CONTEXT_WORDS[type] ?? type) : "what met the condition";
}

/** The callback is stored as text inside the provider's JSON. */
function callable(value: unknown): string {
  const named = objectOrNull(typeof value === "string" ? parsedJson(value) : value);
  if (typeof named?.module !== "string" || typeof named.function !== "string") return "an unknown function";
  return `${named.module}.${named.function}`;
}

function fixedArguments(value: unknown): StoredMap {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? {});
  return Object.fromEntries(argumentsMap(text) ?? []);
}
