/** The kind of store of each component of an app, derived from the class in its settings. */
import { InvalidInputError } from "../errors.ts";
import type { EffectiveSettings } from "./pynenc-sources.ts";
import { DATABASE_COMPONENTS, type DatabaseComponent, type StoreKind } from "./setting-sources.ts";

/**
 * Class names of pynenc and its plugins start with the kind of store (storage-format.md 12.3). `memory` keeps nothing
 * that another process could read.
 */
const KINDS = [
  ["sqlite", /^sqlite/i],
  ["redis", /^redis/i],
  ["memory", /^mem/i],
  ["rabbitmq", /^rabbit_?mq/i],
  ["mongodb", /^mongo/i],
  ["rustvello", /^rust/i],
] as const;

type ComponentKind = (typeof KINDS)[number][0];

interface ComponentClass {
  component: DatabaseComponent;
  /** `broker_cls`. */
  field: string;
  /** As configured: `RedisBroker`. */
  name: string;
  origin: string;
  /** Null for a class that the app defines itself. */
  kind: ComponentKind | null;
}

export const SUPPORTED_STORES: readonly StoreKind[] = ["sqlite", "redis", "mongodb"];

export function componentClasses(settings: EffectiveSettings): ComponentClass[] {
  return DATABASE_COMPONENTS.map((component) => {
    const field = `${component}_cls`;
    const setting = settings.get(field);
    if (!setting) throw new Error(`SETTINGS lacks ${field}`);
    const name = String(setting.value);
    const kind = KINDS.find(([, begins]) => begins.test(name))?.[0] ?? null;
    return { component, field, name, origin: setting.origin, kind };
  });
}

/** The kinds of store that an app's classes name. */
interface NamedKinds {
  /** The class that determines the kind of store of the components that name none. */
  leading: ComponentClass & { kind: StoreKind };
  /** The components of other kinds. */
  beside: ReadonlyMap<DatabaseComponent, StoreKind>;
}

/**
 * Null if the classes name no kind of store. The state backend leads, because it registers the app.
 *
 * @throws InvalidInputError for a kind of store that cannot be opened.
 */
export function namedStore(classes: readonly ComponentClass[]): NamedKinds | null {
  const refused = classes.filter(isUnsupported);
  if (refused.length > 0) {
    throw new InvalidInputError(
      refused.map(({ field, origin, name }) => ({
        ...{ parameter: `${field} (${origin})`, value: name },
        accepted: `supported: ${SUPPORTED_STORES.join(", ")}`,
      })),
      "Apps that use other stores cannot be opened yet. To open one store anyway, name it with --db or --url.",
    );
  }
  const named = classes.filter(isOnStore);
  const leading = named.find(({ component }) => component === "state_backend") ?? named[0];
  if (leading === undefined) return null;
  const others = named.filter(({ kind }) => kind !== leading.kind);
  return { leading, beside: new Map(others.map(({ component, kind }) => [component, kind])) };
}

function isOnStore(found: ComponentClass): found is ComponentClass & { kind: StoreKind } {
  return (SUPPORTED_STORES as readonly (string | null)[]).includes(found.kind);
}

/** RabbitMQ stores only queues. */
function isUnsupported({ component, kind }: ComponentClass): boolean {
  return kind === "rustvello" || (kind === "rabbitmq" && component !== "broker");
}
