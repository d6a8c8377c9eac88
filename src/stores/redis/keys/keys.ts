/** Key names (storage-format.md 9.1, 9.2): the prefix of an app, its sections, and patterns for exactly its keys. */
import type { ComponentName } from "../../ports/common.ts";

/** The part of a key after the app id. The orchestrator has two sections (storage-format.md 9.4). */
export type Section =
  | "broker"
  | "orchestrator"
  | "blocking_control"
  | "state_backend"
  | "client_data_store"
  | "trigger";

export const SECTIONS: Readonly<Record<ComponentName, readonly Section[]>> = {
  broker: ["broker"],
  orchestrator: ["orchestrator", "blocking_control"],
  state_backend: ["state_backend"],
  client_data_store: ["client_data_store"],
  trigger: ["trigger"],
};

const ROOT = "__pynenc__:";

/** Registrations of apps are outside the apps' own prefixes, under the unmodified id (storage-format.md 9.1). */
export const REGISTRY = `${ROOT}__pynenc__:apps_info:`;

/** The id as written in keys. Not reversible: `a[` and `a__OPEN_BRACKET__` share the same keys. */
function sanitizedAppId(appId: string): string {
  return appId.replaceAll("[", "__OPEN_BRACKET__").replaceAll("]", "__CLOSE_BRACKET__").replaceAll("*", "__ASTERISK__");
}

/** The most likely original of a sanitized id. */
export function unsanitizedAppId(sanitized: string): string {
  return sanitized
    .replaceAll("__OPEN_BRACKET__", "[")
    .replaceAll("__CLOSE_BRACKET__", "]")
    .replaceAll("__ASTERISK__", "*");
}

/** The sanitized id of the app that a key belongs to; null for keys of no app or of all apps. */
export function appIdIn(key: string): string | null {
  if (!key.startsWith(ROOT) || key.startsWith(REGISTRY)) return null;
  const colon = key.indexOf(":", ROOT.length);
  return colon < 0 ? null : key.slice(ROOT.length, colon);
}

/** pynenc rejects other ids; their keys would be inside another app's prefix. */
export function isPossibleAppId(appId: string): boolean {
  return appId !== "" && !appId.includes(":");
}

/** Escapes a text for use in a SCAN pattern. */
export function globEscape(text: string): string {
  return text.replace(/[\\*?[\]]/g, "\\$&");
}

/** The keys of one app. */
export class AppKeys {
  readonly #prefix: string;

  constructor(appId: string) {
    this.#prefix = `${ROOT}${sanitizedAppId(appId)}:`;
  }

  /** Builds a key. Ids may contain any characters but are never first, so no two keys collide. */
  key(section: Section, ...parts: readonly string[]): string {
    return `${this.#prefix}${section}:${parts.join(":")}`;
  }

  /** A pattern for keys that start with `head`, taken literally, directly followed by the pattern `tail`. */
  pattern(section: Section, head: string, tail = "*"): string {
    return `${globEscape(`${this.#prefix}${section}:${head}`)}${tail}`;
  }

  /** A pattern for every key of the app. */
  everything(): string {
    return `${globEscape(this.#prefix)}*`;
  }

  /** Length of the prefix of a key of this app up to and including the colon after its family; 0 if it has none. */
  endOfFamily(key: string): number {
    const section = key.indexOf(":", this.#prefix.length);
    return section < 0 ? 0 : key.indexOf(":", section + 1) + 1;
  }

  /** Length of the prefix of a key of this app up to and including the colon after its section; 0 if it has none. */
  endOfSection(key: string): number {
    return key.indexOf(":", this.#prefix.length) + 1;
  }

  /** The part of a key after the section, or null for a key of another app or section. */
  rest(section: Section, key: string): string | null {
    const head = `${this.#prefix}${section}:`;
    return key.startsWith(head) ? key.slice(head.length) : null;
  }

  /** The section of a key and the part after it; null for a key of another app. */
  split(key: string): { section: string; rest: string } | null {
    if (!key.startsWith(this.#prefix)) return null;
    const colon = key.indexOf(":", this.#prefix.length);
    if (colon < 0) return null;
    return { section: key.slice(this.#prefix.length, colon), rest: key.slice(colon + 1) };
  }
}
