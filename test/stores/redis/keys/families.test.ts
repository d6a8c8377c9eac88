import { describe, expect, it } from "vitest";
import { familyOf } from "../../../../src/stores/redis/keys/families.ts";
import type { Section } from "../../../../src/stores/redis/keys/keys.ts";

describe("families of keys", () => {
  it.each<[Section, string, string]>([
    ["broker", "default_queue", "default_queue"],
    ["orchestrator", "task:tasks.add", "task"],
    ["orchestrator", "task:tasks.add:arg:x:val:1:2\n:arg:", "task_arguments"],
    ["orchestrator", "task_invocations_by_time:tasks.add", "task_invocations_by_time"],
    ["orchestrator", "atomic_service_active_execution", "atomic_service_active_execution"],
    ["blocking_control", "waited_by:a", "blocking_control:waited_by"],
    ["blocking_control", "all_waited", "blocking_control:all_waited"],
    ["state_backend", "workflow:types", "workflow_types"],
    ["state_backend", "workflow:run:a", "workflow_run"],
    ["state_backend", "workflow:type_index:tasks.data", "workflow_type_index"],
    ["state_backend", "workflow:a:data:task_invocation:b:sub_invocations", "workflow_data"],
    ["state_backend", "workflow:a:sub_invocations", "workflow_sub_invocations"],
    ["client_data_store", "client_data_store:__pynenc__client_data__:00", "client_data_store"],
    ["trigger", ":trigger:run_claim:00", "run_claim"],
    ["trigger", "trigger:00", "trigger"],
    ["trigger", "condition:cron_* * * * *", "condition"],
    ["trigger", "evts_by_code:a:b", "evts_by_code"],
  ])("a key of %s, %s, is counted with its family", (section, rest, name) => {
    expect(familyOf(section, rest)).toBe(name);
  });

  it.each<[Section, string, string]>([
    ["broker", "default_queue:high", "default_queue:*"],
    ["orchestrator", "edge:tasks.add:00", "edge:*"],
    ["orchestrator", "runner_heartbeats:a", "runner_heartbeats:*"],
    ["blocking_control", "lock", "blocking_control:lock"],
    ["state_backend", "workflow:a:det:random", "workflow:*"],
    ["trigger", ":trigger:other", ":*"],
    ["trigger", "toString", "toString"],
    ["trigger", "", ""],
  ])("an unknown key of %s, %s, is named by its beginning", (section, rest, name) => {
    expect(familyOf(section, rest)).toBe(name);
  });
});
