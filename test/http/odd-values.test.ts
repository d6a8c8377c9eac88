/** Parameters of every address with values at the limits: an answer, or a refusal that names the parameter, but never an internal error. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operations } from "../../src/questions/derived/operations.ts";
import { QUERY_FIELDS } from "../../src/services/model/invocation-query.ts";
import { addressOf } from "../support/addresses.ts";
import { cases } from "../support/cases.ts";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";
import { oddText, WORST_TEXTS } from "../support/odd-texts.ts";

const OPERATIONS = await operations();

const ADDRESSES = Object.entries(OPERATIONS).flatMap(([key, { query }]) => {
  const names = [...Object.keys(query.shape)];
  return key.startsWith("GET ") && names.length > 0 ? [[key, names] as const] : [];
});

/** A term of a search, with any field and any sign. */
const term = fc
  .tuple(
    fc.constantFrom(...Object.keys(QUERY_FIELDS), "arg.order"),
    fc.constantFrom(":", "=", ">", ">=", "<", "<="),
    oddText,
  )
  .map((parts) => parts.join(""));

/** What some addresses refuse to do without. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "GET /calls/": { call_id_key: "tasks.add:none" },
  "GET /diff": { a: "some", b: "other" },
  "GET /events/api/markers": { range: "1h" },
  "GET /invocations/rerun": { status: "failed" },
  "GET /trigger-runs/condition": { condition_id: "some" },
  "GET /trigger-runs/valid-condition": { valid_condition_id: "some" },
  "GET /why/mute": { code: "unconsumed_queue" },
  "GET /why/unmute": { code: "unconsumed_queue" },
};

const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" }));

const JSON_TYPE = "application/json";

/** What is wrong with the answer to one value; null if nothing is. */
async function complaint(target: string, name: string, value: string, accept: string): Promise<string | null> {
  const response = await monitor.get(target, { headers: { accept } });
  const text = await response.text();
  if (response.status >= 500) return `${response.status} ${target}`;
  if (response.status !== 400 || accept !== JSON_TYPE) return null;
  const { errors = [] } = JSON.parse(text) as { errors?: { parameter: string; accepted: string }[] };
  // Two times that are in the wrong order are refused under the name of the first.
  const named = errors.some(
    ({ parameter, accepted }) => accepted !== "" && (parameter === name || accepted.includes(JSON.stringify(value))),
  );
  return named ? null : `a refusal of ${target} that does not name ${name}: ${text}`;
}

describe("extreme values", () => {
  it.each(ADDRESSES)("are answered or refused by %s in every parameter", async (key, names) => {
    const path = addressOf(key.split(" ")[1] ?? "");
    for (const name of names) {
      const random = fc.sample(name === "q" ? fc.oneof(oddText, term) : oddText, cases(2));
      for (const [index, text] of [...WORST_TEXTS, ...random].entries()) {
        const target = `${path}?${new URLSearchParams({ ...NEEDED[key], [name]: text })}`;
        const accept = index % 2 === 0 ? "text/html" : JSON_TYPE;
        expect(await complaint(target, name, text.trim(), accept)).toBeNull();
      }
    }
  });

  it.each(["/invocations/", "/invocations/timeline", "/compare/"])(
    "are answered or refused by %s in any search term",
    async (path) => {
      for (const q of fc.sample(term, cases(60))) {
        expect(await complaint(`${path}?q=${encodeURIComponent(q)}`, "q", q, JSON_TYPE)).toBeNull();
      }
    },
  );
});
