/**
 * Pages that are remembered for a moment: a second reader of an unchanged store, or the same reader who comes back to a page, gets the answer that was
 * made for the first. Whether the store has changed is checked each time; what depends on the clock (ages, verdicts) is at most a second old, and every
 * page says ages in whole seconds.
 */
import type { Mute } from "../api/verdicts.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import type { Wanted } from "./negotiate.ts";

/** Seconds for which an answer is remembered, by the clock of the app and by that of the machine. */
const SECONDS = 1;

/** Bytes of all remembered answers; the oldest goes first. The largest page, a timeline, has about 1 MB. */
const MOST_BYTES = 4 * 1024 ** 2;

interface Answer {
  token: string;
  mutes: readonly Mute[];
  /** Seconds since the epoch by the clock of the app, which may be fixed. */
  now: number;
  /** Monotonic milliseconds. */
  madeAt: number;
  status: number;
  headers: [string, string][];
  body: Buffer<ArrayBuffer>;
  /** The nonce of the request it was made for, and where it is in the body. */
  nonceAt: readonly number[];
}

/** What of a request decides about its answer. */
interface Asked {
  pathname: string;
  search: string;
  wanted: Wanted;
  nonce: string;
  headers: Headers;
}

export class RememberedAnswers {
  readonly #answers = new Map<string, Answer>();
  readonly #clock: () => number;
  #bytes = 0;

  /** @param clock monotonic milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /**
   * @param variant what else than the address, the form and the app the answer depends on.
   * @param make makes the answer, if none is remembered.
   */
  async answer(
    request: Asked,
    app: Pick<OpenedApp, "app_id" | "now" | "mutes"> & { store: Pick<OpenedApp["store"], "isolated" | "version"> },
    variant: readonly string[],
    make: () => Promise<Response>,
  ): Promise<Response> {
    const token = app.store.isolated ? await app.store.version() : null;
    // A store that is not isolated shows more without a change, while its keys are searched.
    if (token === null || token.includes("~")) return make();
    const { pathname, search, wanted, nonce } = request;
    const key = [app.app_id, pathname, search, wanted, request.headers.get("if-none-match") ?? "", ...variant].join(
      "\n",
    );
    const made = { token, mutes: app.mutes.all(), now: app.now(), madeAt: this.#clock() };
    const known = this.#answers.get(key);
    if (known !== undefined && isCurrent(known, made)) return responseOf(known, nonce);
    const response = await make();
    if (response.status !== 200 && response.status !== 304) return response;
    const body = Buffer.from(await response.arrayBuffer());
    const { status, headers } = response;
    const answer = { ...made, status, headers: [...headers], body, nonceAt: placesOf(nonce, body) };
    this.#remember(key, answer);
    return responseOf(answer, nonce);
  }

  #remember(key: string, answer: Answer): void {
    this.#forget(key);
    this.#answers.set(key, answer);
    this.#bytes += answer.body.length;
    for (const [oldest, { madeAt }] of this.#answers) {
      if (this.#bytes <= MOST_BYTES && this.#clock() - madeAt < SECONDS * 1_000) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#answers.get(key)?.body.length ?? 0;
    this.#answers.delete(key);
  }
}

type Made = Pick<Answer, "token" | "mutes" | "now" | "madeAt">;

function isCurrent(known: Made, asked: Made): boolean {
  return (
    known.token === asked.token &&
    known.mutes === asked.mutes &&
    Math.abs(asked.now - known.now) < SECONDS &&
    asked.madeAt - known.madeAt < SECONDS * 1_000
  );
}

function placesOf(nonce: string, body: Buffer): number[] {
  const places: number[] = [];
  for (let at = body.indexOf(nonce); at >= 0; at = body.indexOf(nonce, at + nonce.length)) places.push(at);
  return places;
}

/** The answer for a request with its own nonce, which has the same length. */
function responseOf({ status, headers, body, nonceAt }: Answer, nonce: string): Response {
  if (status === 304) return new Response(null, { status, headers });
  const own = nonceAt.length === 0 ? body : Buffer.from(body);
  for (const at of nonceAt) own.write(nonce, at, "latin1");
  return new Response(own, { status, headers });
}
