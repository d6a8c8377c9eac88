/** Examples for the OpenAPI document. Tests hold those of answers against their schemas. */
import type { z } from "zod";
import { SignInAddress } from "../../api/app.ts";
import { Health } from "../../api/health.ts";
import { Failure } from "../../api/problem.ts";
import { VerdictList } from "../../api/verdicts.ts";

const INVOCATION = "c991e525-6f0b-4a9e-9f0e-0d5c7a3ecf9b";

/** By name of a parameter, in a path or a query. */
export const PARAMETER_EXAMPLES: Readonly<Record<string, unknown>> = {
  app: "shop",
  id: INVOCATION,
  app_id: "shop",
  event_id: "c0baec27-3325-4d0f-8485-a0cb205c8e46",
  workflow_id: INVOCATION,
  task_id_key: "shop.orders.place",
  task_id: "shop.orders.place",
  type_key: "shop.orders.place",
  call_id_key: "shop.orders.place:e2ab160d425ea799f5bdbe699b94a481ba0c8badfbcb2640fcb31b4ab45f9432",
  runner_id: "MultiThreadRunner@host-4711",
  run_id: "2f1d6f0c-52a1-4b39-8a51-3cf5f2f1a001",
  name: "app.css",
  q: "status:failed error:Timeout run>5s",
  from: "2h",
  to: "2026-07-04T11:00:00",
  range: "1h",
  queue: "mail",
};

/** Where one parameter means something else. */
export const OPERATION_EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "GET /search": { q: "c991e525...cf9b" },
  "GET /tasks/": { name: "orders" },
  "GET /trigger-runs/:id": { id: "56782980f24c1fc0982b078cd8dc9b104c8043cdc81d74cc20861ef869333eb3" },
  "GET /triggers/:id": { id: "21c101fd1b2a03b07ce3113d82900e106a5ca1577379f268b0a718049028b14b" },
};

const AT = "2026-07-04T10:14:58.120000+00:00";

/** Answers, each with its schema. */
export const ANSWER_EXAMPLES: readonly (readonly [z.ZodType, unknown])[] = [
  [Health, { status: "ok", app: "shop", store: "ok", version: "0.2.0" }],
  [SignInAddress, { url: "http://monitor.internal:8000/login?code=q3J0bXh5d2F6ZWRjcnZ0Z2J5aG51", valid_seconds: 600 }],
  [
    Failure,
    {
      type: "about:blank",
      title: "Bad request",
      status: 400,
      detail: 'status: "fialed" is not accepted; use one of registered, pending, running, success, failed',
      errors: [
        { parameter: "status", value: "fialed", accepted: "use one of registered, pending, running, success, failed" },
      ],
    },
  ],
  [
    VerdictList,
    {
      app_id: "shop",
      location: "/srv/shop/pynenc.db",
      as_of: AT,
      verdicts: [
        {
          code: "unconsumed_queue",
          severity: "error",
          sentence: "6 messages waiting and no active runner",
          detail: "Nothing runs until a runner is started.",
          since: "2026-07-04T10:02:11.004000+00:00",
          evidence: [{ kind: "queue", id: "mail", role: "queue" }],
          count: 1,
          next: [{ label: "Show queue", path: "/broker/", command: "monitor queue" }],
          muted_until: null,
        },
      ],
      keys: ['["unconsumed_queue","mail"]'],
      not_looked_at: [],
    },
  ],
];

/** @returns undefined where there is none */
export function answerExample(schema: z.ZodType): unknown {
  return ANSWER_EXAMPLES.find(([of]) => of === schema)?.[1];
}
