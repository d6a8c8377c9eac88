/** The keys of rows, for `map` and for lists by key. */

export function invocationIdOf({ invocation_id }: { invocation_id: string }): string {
  return invocation_id;
}

export function taskKeyOf<Key extends string | null>({ task_id_key }: { task_id_key: Key }): Key {
  return task_id_key;
}

export function runnerIdOf({ runner_id }: { runner_id: string }): string {
  return runner_id;
}

export function triggerRunIdOf({ trigger_run_id }: { trigger_run_id: string }): string {
  return trigger_run_id;
}

export function eventIdOf({ event_id }: { event_id: string }): string {
  return event_id;
}
