/** `--web`: opens the page of the question that a command asks, or prints its address where there is no browser. */
import { resolveConfiguration } from "../config/options.ts";
import type { Address, Question } from "../questions/model/question.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { identifiedObject } from "../services/find/identified-object.ts";
import { taskNamed } from "../services/find/task-name.ts";
import { foundOnTerminal } from "./commands/find.ts";
import { conflict } from "./exported.ts";
import { type Flags, flagOf, rawInput } from "./flags.ts";
import type { Output } from "./print/output.ts";
import { withTerms } from "./search-terms.ts";
import { ownSurroundings, withApp } from "./session.ts";

/** Milliseconds to wait for an answer. A monitor that reads a large store may take its time. */
const PATIENCE = 3_000;

/** A monitor with a token tells nothing to who has none. */
const UNAUTHORIZED = 401;

/** @throws InvalidInputError if the question has no page. */
export async function openPage(question: Question, typed: Flags, words: readonly string[]): Promise<void> {
  const flags = question.command?.usage.includes("[query...]") ? withTerms(typed, words) : typed;
  const address = question.addresses.find(isPage);
  const own = question.command?.web?.(words);
  if (own === undefined && address === undefined) throw conflict("--web", "", `${question.name} has no page`);
  await withApp(flags, async (app, out) => {
    const { options } = resolveConfiguration({ flags, ...ownSurroundings(flags) });
    const port = options.port.value === "auto" ? 8000 : options.port.value;
    const root = new URL(`http://${options.host.value}:${port}`);
    const path =
      (question.name === "show" ? await pathOfThing(app, words, out) : null) ??
      own ??
      (await pathOf(app, question, address as Address, flags, words));
    const url = new URL(`${options.basePath.value}${path}`.replace(/^\/{2,}/, "/"), root);
    const name = await app.addressedAs();
    if (name !== null) url.searchParams.set("app", name);
    const found = await lookAt(root);
    if (found === "monitor" && process.stdout.isTTY === true && hasBrowser()) {
      const { openBrowser } = await import("./run-server.ts");
      await openBrowser(url.href, url.href);
    }
    out.lines([url.href]);
    if (found !== "monitor") out.say(`${found} at ${root.origin}. To start a monitor: monitor serve`);
  });
}

/** The page of the one thing that the words identify; null if there is none, so that the search has to do. */
async function pathOfThing(app: OpenedApp, words: readonly string[], out: Output): Promise<string | null> {
  const found = await foundOnTerminal(app, words, out);
  const thing = identifiedObject(found);
  return found.matches.find(({ kind, id }) => kind === thing?.kind && id === thing.id)?.path ?? null;
}

function isPage({ method, forms, refreshes, answer }: Address): boolean {
  return method === "GET" && forms.includes("text/html") && refreshes !== true && answer !== null;
}

async function pathOf(
  app: OpenedApp,
  { input, command }: Question,
  address: Address,
  flags: Flags,
  words: readonly string[],
): Promise<string> {
  const [word = ""] = words;
  // Addresses take shortened ids, but of tasks only the whole key.
  const named = command?.shows === "task" ? await taskNamed(app, "<name>", word) : word;
  const path = address.path.replace(/(?:\*\*)?:\w+/, encodeURIComponent(named));
  const taken = address.input ?? input;
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(rawInput(flags, input))) {
    const flag = flagOf(input, name) ?? name;
    if (!Object.hasOwn(taken, name)) throw conflict("--web", "", `its page has no ${flag}`);
    for (const value of values ?? []) query.append(name, value === "true" ? "1" : value);
  }
  const placed = command?.usage.split(" ").slice(1) ?? [];
  for (const [at, place] of path === address.path ? placed.entries() : []) {
    const name = place.replace(/\W/g, "");
    const parameter = Object.keys(taken).find((one) => taken[one]?.argument === name) ?? name;
    const value = place.includes("...") ? words.slice(at).join(" ") : words[at];
    if (Object.hasOwn(taken, parameter) && value) query.set(parameter, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** What listens there: `monitor`, or the beginning of a sentence. */
async function lookAt(root: URL): Promise<string> {
  try {
    const answer = await fetch(new URL("/health", root), { signal: AbortSignal.timeout(PATIENCE) });
    const health: unknown = await answer.json().catch(() => null);
    const known = health !== null && typeof health === "object" && "store" in health;
    return known || answer.status === UNAUTHORIZED ? "monitor" : "Something other than a monitor answers";
  } catch (error) {
    return (error as Error).name === "TimeoutError" ? "Something listens but does not answer" : "Nothing listens";
  }
}

function hasBrowser(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform !== "linux" || (DISPLAY ?? WAYLAND_DISPLAY ?? "") !== "";
}
