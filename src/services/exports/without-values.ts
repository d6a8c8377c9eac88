/** An app without its values. They are removed from all reads, so that no answer can contain them. */
import { argumentsMap, displayException, displayExceptionBeginning } from "../../pynenc/values.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { EXCEPTION_BYTES } from "../../stores/value-limit.ts";
import { type OpenedApp, openedApp, storeWith } from "../app/opened-app.ts";
import { rollupsHere } from "../rollups/rollup-source.ts";

/** Placeholder for a removed value. */
export const LEFT_OUT = "(left out)";

/**
 * The app without arguments, results, payloads, workflow data and exception messages. Names of arguments and classes of exceptions are kept. Searches
 * and groups of failures cannot see the values either.
 *
 * @param patience milliseconds to wait for figures over time.
 */
export function withoutValues(app: OpenedApp, patience?: number): OpenedApp {
  const store = storeWith(app.store, {
    read: (fn, signal) => app.store.read((reads) => fn(valueless(reads)), signal),
  });
  return openedApp(store, app.settings, app.now, {
    mutes: app.mutes,
    rollups: app.rollups === null ? null : rollupsHere(store, app.now, patience),
  });
}

function valueless(reads: AppReads): AppReads {
  const { state_backend: backend, client_data_store: data, trigger } = reads;
  return {
    ...reads,
    state_backend: over(backend, {
      invocationsByIds: async (...request) =>
        (await backend.invocationsByIds(...request)).map(({ whole_size: _size, ...row }) => ({
          ...row,
          serialized_arguments: namesOnly(row.serialized_arguments),
        })),
      outcomesOf: async (...request) =>
        (await backend.outcomesOf(...request)).map(({ kind, invocation_id, stored, whole_size }) => ({
          kind,
          invocation_id,
          stored: kind === "result" ? LEFT_OUT : classOnly(stored, whole_size),
        })),
      workflowData: async (...request) =>
        (await backend.workflowData(...request)).map(({ data_key }) => ({ data_key, data_value: LEFT_OUT })),
    }),
    client_data_store: over(data, {
      valuesByKeys: async (references) =>
        (await data.valuesByKeys(references, 1)).map((row) => ({ ...row, text: LEFT_OUT, size: LEFT_OUT.length })),
    }),
    trigger: over(trigger, {
      eventsByIds: async (...request) =>
        (await trigger.eventsByIds(...request)).map((event) => ({
          ...event,
          payload: event.payload && Object.fromEntries(Object.keys(event.payload).map((name) => [name, LEFT_OUT])),
        })),
      // Valid conditions contain results, arguments and payloads.
      validConditionsByIds: async (...request) => (await trigger.validConditionsByIds(...request)).map(withoutContext),
      listValidConditions: async (...request) =>
        (await trigger.listValidConditions(...request))?.map(withoutContext) ?? null,
      validConditionsOf: async (...request) =>
        (await trigger.validConditionsOf(...request))?.map(withoutContext) ?? null,
    }),
  };
}

/** A port with some methods replaced. A proxy, because methods of classes are on their prototypes. */
function over<Port extends object>(port: Port, own: Partial<Port>): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(name in own ? own : target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

function namesOnly(serialized: string): string {
  const known = argumentsMap(serialized);
  return JSON.stringify(
    known === null ? { arguments: LEFT_OUT } : Object.fromEntries([...known.keys()].map((name) => [name, LEFT_OUT])),
  );
}

function classOnly(stored: string, wholeSize: number | undefined): string {
  const shown =
    wholeSize === undefined
      ? displayException(stored, EXCEPTION_BYTES)
      : displayExceptionBeginning(stored, wholeSize, EXCEPTION_BYTES);
  return JSON.stringify({ error_name: shown.error_name, pynenc_error: shown.pynenc_error, error_data: "{}" });
}

function withoutContext<Row extends { valid_condition_json: string }>(row: Row): Row {
  return { ...row, valid_condition_json: "{}" };
}
