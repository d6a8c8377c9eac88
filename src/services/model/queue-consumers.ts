/** Who takes messages from a queue, and whether the app declares it. */
import type { QueueHealth } from "../../api/health.ts";
import { DEFAULT_ORIGIN } from "../../config/setting-sources.ts";
import { InvalidInputError } from "../../errors.ts";
import { isUsable } from "../../pynenc/setting-checks.ts";
import { SETTINGS } from "../../pynenc/settings.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";

/** @throws InvalidInputError if a queue is named but the only queue of the store has no name. */
export function assertNamedQueues(named: boolean, queue: string): void {
  if (named) return;
  const accepted = "the queue of this store has no name (pynenc before 0.4)";
  throw new InvalidInputError([{ parameter: "queue", value: queue, accepted }]);
}

export type Consumers = NonNullable<Awaited<ReturnType<AppReads["orchestrator"]["consumers"]>>>;

export type Consumption = Pick<QueueHealth, "active_consumers" | "declared" | "health">;

/**
 * Whether a runner with these `runner.queues` takes from a queue: it names the queue or, if that is declared, none. Null if its queues are not known, or
 * whether the queue is declared. The only queue of a store before 0.4 has no name.
 */
export function takesFrom(
  app: Pick<OpenedApp, "settings">,
  name: string | null,
): (queues: readonly string[] | null) => boolean | null {
  if (name === null) return () => true;
  const declared = declaration(app)(name);
  return (queues) => (queues === null ? null : queues.length === 0 ? declared : queues.includes(name));
}

/** Runners that consume a queue. @param consumers null if not known. */
export function consumption(app: OpenedApp, consumers: Consumers | null): (name: string | null) => Consumption {
  const isDeclared = declaration(app);
  return (name) => {
    const takes = takesFrom(app, name);
    const active_consumers = (consumers ?? []).reduce(
      (sum, { queues, runners }) => sum + (takes(queues) === true ? runners : 0),
      0,
    );
    const declared = name === null ? null : isDeclared(name);
    const mayBeConsumed = consumers === null || consumers.some(({ queues }) => takes(queues) === null);
    if (active_consumers === 0 && mayBeConsumed) return { active_consumers, declared, health: "unknown" };
    if (declared === false) return { active_consumers, declared, health: "not_configured" };
    return { active_consumers, declared, health: active_consumers > 0 ? "consuming" : "not_consumed" };
  };
}

/** Whether broker.queues names a queue; null if that setting was not found. */
export function declaration(app: Pick<OpenedApp, "settings">): (name: string) => boolean | null {
  const { names, found } = declaredQueues(app);
  const declared = new Set(names);
  return (name) => declared.has(name) || (found ? false : null);
}

/**
 * The value of broker.queues, and whether it was found at all: an app with its own queues does not use the default. A value that pynenc rejects
 * counts as not found.
 */
export function declaredQueues({ settings }: Pick<OpenedApp, "settings">): {
  names: readonly string[];
  found: boolean;
} {
  const setting = settings.get("broker.queues");
  const definition = SETTINGS.find(({ section, field }) => section === "broker" && field === "queues");
  if (setting === undefined || definition === undefined) return { names: [], found: false };
  if (!isUsable(definition, setting)) return { names: definition.default as readonly string[], found: false };
  return { names: setting.value as readonly string[], found: setting.origin !== DEFAULT_ORIGIN };
}
