/** Kinds of addresses. */
import { type Input, text } from "./parameters.ts";
import type { Address, Answer } from "./question.ts";

const HTML = ["text/html"];

type More = Pick<Address, "summary" | "answer" | "input">;

/** A page with its fragment and its JSON. */
export function page(path: string, more: More = {}): Address {
  return { method: "GET", path, forms: HTML, ...more };
}

/** The part of a page that refreshes itself. */
export function refresh(path: string, of: string): Address {
  return page(path, { summary: `The refreshed part of ${of}` });
}

/** JSON, whatever the client accepts. */
export function data(path: string, more: More = {}): Address {
  return { method: "GET", path, forms: [], ...more };
}

/** A part of a page, for browsers alone. */
export function fragment(path: string, summary: string, input: Input = {}): Address {
  return { method: "GET", path, forms: HTML, answer: null, summary, input };
}

export function file(path: string, forms: readonly string[], more: Omit<More, "answer"> = {}): Address {
  return { method: "GET", path, forms, answer: null, ...more };
}

/** Fields that every action takes besides those of its preview. */
const CONFIRMATION: Input = {
  app_id: text("the intended app; refused if the request is addressed to another one"),
};

/** GET previews an action, POST performs it. The body takes what the preview takes as a query. */
export function preview(
  path: string,
  what: string,
  { input, preview, outcome }: { input: Input; preview: Answer; outcome: Answer },
): Address[] {
  return [
    page(path, { summary: `Preview: ${what}`, answer: preview, input }),
    {
      ...page(path, { summary: what, answer: outcome, input: {} }),
      method: "POST",
      body: { ...input, ...CONFIRMATION },
    },
  ];
}
