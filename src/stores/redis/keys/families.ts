/** Every kind of key an app has (storage-format.md 9.2), for storage figures and purge reports. */
import type { ComponentName } from "../../ports/common.ts";
import { type AppKeys, SECTIONS, type Section } from "./keys.ts";

/** Command that counts what one key holds. */
type CountCommand = "EXISTS" | "LLEN" | "SCARD" | "ZCARD";

/** A single key whose members are counted. */
export interface Collection {
  component: ComponentName;
  name: string;
  key: string;
  count: CountCommand;
}

/** Single keys, by their name after the section. */
const COLLECTIONS: Readonly<Record<Section, Readonly<Record<string, CountCommand>>>> = {
  broker: { default_queue: "LLEN" },
  orchestrator: {
    all_invocations_by_time: "ZCARD",
    invocation_auto_purge: "ZCARD",
    runner_heartbeats: "ZCARD",
    // Since 0.2.4.
    atomic_service_executions: "ZCARD",
    atomic_service_active_execution: "EXISTS",
  },
  blocking_control: { all_waited: "ZCARD", not_waiting: "ZCARD" },
  state_backend: { history_by_timestamp: "ZCARD", "workflow:types": "SCARD" },
  client_data_store: {},
  trigger: {
    // Since 0.2.4.
    evts_by_time: "ZCARD",
    evts_codes: "SCARD",
    evts_matched: "ZCARD",
    evts_triggered: "ZCARD",
    truns_by_time: "ZCARD",
  },
};

/** Families of keys: after the section this prefix, a colon and an id, which may contain any characters. */
const FAMILIES: Readonly<Record<Section, readonly string[]>> = {
  broker: [],
  orchestrator: [
    ...["invocation_status", "invocation_retries", "invocation_to_call", "call_to_invocation", "status", "task"],
    ...["task_invocations_by_time", "runner_heartbeat", "atomic_service_execution"],
  ],
  blocking_control: ["invocation", "waited_by", "waiting_for"],
  state_backend: [
    ...["invocation", "history", "result", "exception", "runner_context"],
    ...["parent_invocation_children", "parent_event_children"],
    ...["workflow:run", "workflow:type_index", "workflow:invocations", "workflow:type_invocations"],
  ],
  client_data_store: ["client_data_store"],
  trigger: [
    ...["trigger", "condition", "condition_triggers", "task_triggers", "source_task_conditions"],
    ...["valid_condition", "cron_last_execution"],
    // Keys of claims contain their prefix twice.
    ...[":trigger:run_claim", ":trigger:execution_claim"],
    ...["evts_hash", "evts_by_code", "evts_triggered_invocations"],
    ...["trun_hash", "truns_for_event", "truns_for_invocation", "truns_sourced_by_invocation"],
    "truns_for_valid_condition",
  ],
};

/** Families recognised by a suffix after the id; they are tested first. */
const MIDDLES: readonly { section: Section; name: string; pattern: RegExp }[] = [
  { section: "orchestrator", name: "task_arguments", pattern: /^task:[^:]+:arg:[^:]+:val:/ },
  { section: "state_backend", name: "workflow_data", pattern: /^workflow:[^:]+:data:/ },
  { section: "state_backend", name: "workflow_sub_invocations", pattern: /^workflow:[^:]+:sub_invocations$/ },
];

/** All sections of all components. */
const ALL_SECTIONS: readonly Section[] = Object.values(SECTIONS).flat();

/** The collections of an app. An empty collection has no key. */
export function collectionsOf(keys: AppKeys): Collection[] {
  return ALL_SECTIONS.flatMap((section) =>
    Object.entries(COLLECTIONS[section]).map(([rest, count]) => ({
      component: componentOf(section),
      name: nameOf(section, rest),
      key: keys.key(section, rest),
      count,
    })),
  );
}

/**
 * The family a key belongs to, or the name of its collection: `invocation_status`, `task_arguments`, `workflow_data`, `run_claim`,
 * `blocking_control:waited_by`. A key that pynenc is not known to write is named by its prefix, `prefix:*`, or by its full name if it has no colon.
 *
 * @param rest the part of the key after the section.
 */
export function familyOf(section: Section, rest: string): string {
  const middle = MIDDLES.find((one) => one.section === section && one.pattern.test(rest));
  if (middle !== undefined) return middle.name;
  const known = Object.hasOwn(COLLECTIONS[section], rest)
    ? rest
    : FAMILIES[section].find((begin) => rest.startsWith(`${begin}:`));
  if (known !== undefined) return nameOf(section, known);
  const colon = rest.indexOf(":");
  return nameOf(section, rest.slice(0, colon < 0 ? undefined : colon)) + (colon < 0 ? "" : ":*");
}

export function componentOf(section: Section): ComponentName {
  return section === "blocking_control" ? "orchestrator" : section;
}

/** The section with this name, or null if pynenc has none. */
export function sectionOf(text: string): Section | null {
  return ALL_SECTIONS.find((section) => section === text) ?? null;
}

/** Both sections of the orchestrator have a family `invocation`, so one needs a prefix. */
function nameOf(section: Section, begin: string): string {
  const name = begin.replace(/^:trigger:/, "").replace(":", "_");
  return section === "blocking_control" ? `${section}:${name}` : name;
}
