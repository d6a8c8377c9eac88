/** What questions are written with. */
import { type Input, text } from "../../inputs/parameter.ts";
import type { Address, Answer, Question } from "./question.ts";

type Usual = "input" | "addresses" | "command";

/** Keeps the names of the parameters, the addresses and the type of the answer. */
export function question<
  const Asked extends Input = Record<never, never>,
  Found extends object = object,
  const Path extends string = never,
>(
  declared: Omit<Question<Asked, Found, Path>, Usual> & Partial<Pick<Question<Asked, Found, Path>, Usual>>,
): Question<Asked, Found, Path> {
  return { input: {} as Asked, addresses: [], command: null, ...declared };
}

const HTML = ["text/html"];

type MoreOfAddress = Pick<Address, "summary" | "answer" | "input">;

/** A page with its fragment and its JSON. */
export function page<Path extends string>(path: Path, more: MoreOfAddress = {}): Address<Path> {
  return { method: "GET", path, forms: HTML, ...more };
}

/** The part of a page that refreshes itself. */
export function refresh<Path extends string>(path: Path, of: string): Address<Path> {
  return { ...page(path, { summary: `The refreshed part of ${of}` }), refreshes: true };
}

/** JSON, whatever the client accepts. */
export function data<Path extends string>(path: Path, more: MoreOfAddress = {}): Address<Path> {
  return { method: "GET", path, forms: [], ...more };
}

/** A part of a page, for browsers alone. */
export function fragment<Path extends string>(path: Path, summary: string, input: Input = {}): Address<Path> {
  return { method: "GET", path, forms: HTML, answer: null, summary, input };
}

export function file<Path extends string>(
  path: Path,
  forms: readonly string[],
  more: Omit<MoreOfAddress, "answer"> = {},
): Address<Path> {
  return { method: "GET", path, forms, answer: null, ...more };
}

/** Fields that every action takes besides those of its preview. */
const CONFIRMATION: Input = {
  app_id: text("the intended app; refused if the request is addressed to another one"),
};

/** GET previews an action, POST performs it. The body takes what the preview takes as a query. */
export function preview<Path extends string>(
  path: Path,
  what: string,
  { input, preview, outcome }: { input: Input; preview: Answer; outcome: Answer },
): Address<Path>[] {
  return [
    page(path, { summary: `Preview: ${what}`, answer: preview, input }),
    {
      ...page(path, { summary: what, answer: outcome, input: {} }),
      method: "POST",
      body: { ...input, ...CONFIRMATION },
    },
  ];
}
