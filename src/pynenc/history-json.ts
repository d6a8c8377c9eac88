import { pythonString } from "./python-dump.ts";

/**
 * One entry of an invocation's status history as pynenc stores it (storage-format.md 3.4). Times are ISO 8601 with six digits and `+00:00`. Built by
 * string concatenation because the bulk writer creates millions of them.
 *
 * @param owner runner that owns the invocation after the change, or null.
 * @param actor runner that made the change.
 * @param registeredBy the calling invocation, on `registered` entries of children.
 */
export function historyJson(
  invocationId: string,
  status: string,
  owner: string | null,
  actor: string,
  statusTime: string,
  writtenTime: string,
  registeredBy: string | null,
): string {
  const ownerText = owner === null ? "null" : pythonString(owner);
  const registeredByText = registeredBy === null ? "null" : pythonString(registeredBy);
  return (
    `{"invocation_id": ${pythonString(invocationId)}, "_timestamp": "${writtenTime}", "status_record": {"status": "${status}", "runner_id": ` +
    `${ownerText}, "timestamp": "${statusTime}"}, "runner_context_id": ${pythonString(actor)}, "registered_by_inv_id": ${registeredByText}}`
  );
}
