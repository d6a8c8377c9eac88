/**
 * Who may use a monitor that has a token (security.md 3): scripts send the token, browsers a cookie that they get for the token or for a one-time
 * code. Nothing here keeps the token itself, and nothing of it is ever written anywhere.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Tries } from "./tries.ts";

/** Seconds that a browser stays signed in, and that a one-time code can be used. */
export const SESSION_SECONDS = 7 * 86_400;
export const CODE_SECONDS = 600;

/** Codes that can be used at the same time; the oldest goes first. */
const CODES = 20;

export type Entry =
  | { entered: true }
  /** `wait`: seconds in which no token of this address is looked at; null if none was wrong. */
  | { entered: false; wait: number | null };

const ENTERED: Entry = { entered: true };

type HeaderReader = Pick<Headers, "get">;

export class Access {
  /** `/health` and `/metrics` are answered to everybody. */
  readonly publicMetrics: boolean;
  readonly #tokenDigest: Buffer;
  /** Signs cookies: who has the token may make them, and nobody else can. */
  readonly #key: Buffer;
  /** Its name, because cookies do not know ports: monitors on one host must not overwrite each other's. */
  readonly #cookie: string;
  /** Digest of each code to when it ends, in milliseconds of the clock. */
  readonly #codes = new Map<string, number>();
  readonly #tries: Tries;
  readonly #clock: () => number;

  /** @param clock milliseconds since the epoch. */
  constructor(token: string, publicMetrics: boolean, clock: () => number = Date.now) {
    this.publicMetrics = publicMetrics;
    this.#tokenDigest = digest(token);
    this.#key = createHmac("sha256", token).update("pynenc-monitor cookies").digest();
    this.#cookie = `pynenc-monitor-${createHmac("sha256", this.#key).update("name").digest("hex").slice(0, 8)}`;
    this.#clock = clock;
    this.#tries = new Tries(clock);
  }

  /** Whether a request is of somebody who may see things. A wrong token counts as a try. */
  entryOf(headers: HeaderReader, address: string): Entry {
    if (this.hasSession(headers)) return ENTERED;
    const given = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
    return given === undefined ? { entered: false, wait: null } : this.enterWithToken(given, address);
  }

  hasSession(headers: HeaderReader): boolean {
    const cookies = headers.get("cookie")?.split(";") ?? [];
    const values = cookies.flatMap((cookie) => {
      const [name, value] = cookie.trim().split("=", 2);
      return name === this.#cookie && value !== undefined ? [value] : [];
    });
    return values.some((value) => this.#isOwn(value));
  }

  enterWithToken(token: string, address: string): Entry {
    const wait = this.#tries.waitOf(address);
    // Not looked at, right or wrong: else waiting would cost a guesser nothing.
    if (wait > 0) return { entered: false, wait };
    if (timingSafeEqual(digest(token), this.#tokenDigest)) {
      this.#tries.right(address);
      return ENTERED;
    }
    this.#tries.wrong(address);
    return { entered: false, wait: this.#tries.waitOf(address) };
  }

  /** The code is of no use afterwards. A wrong one is no try: nobody guesses it, and any page of any site can make a browser ask for one. */
  enterWithCode(code: string): boolean {
    const key = digest(code).toString("hex");
    const until = this.#codes.get(key);
    this.#codes.delete(key);
    return until !== undefined && this.#clock() < until;
  }

  /** A code that lets one browser in, once. */
  newCode(): string {
    const code = randomBytes(24).toString("base64url");
    for (const [key, until] of this.#codes) {
      if (until <= this.#clock() || this.#codes.size >= CODES) this.#codes.delete(key);
    }
    this.#codes.set(digest(code).toString("hex"), this.#clock() + CODE_SECONDS * 1_000);
    return code;
  }

  /** The header that keeps a browser signed in. */
  newCookie(): string {
    const until = String(Math.floor(this.#clock() / 1_000) + SESSION_SECONDS);
    const value = `${until}.${this.#signed(until).toString("base64url")}`;
    return `${this.#cookie}=${value}; Path=/; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Strict`;
  }

  #isOwn(value: string): boolean {
    const [, until = "", signature = ""] = /^(\d{1,12})\.([\w-]{43})$/.exec(value) ?? [];
    // As text: several texts stand for the same bytes in base64, and only one of them was given out.
    const wanted = Buffer.from(this.#signed(until).toString("base64url"));
    const given = Buffer.from(signature);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return false;
    return this.#clock() < Number(until) * 1_000;
  }

  #signed(until: string): Buffer {
    return createHmac("sha256", this.#key).update(`until ${until}`).digest();
  }
}

/** Of equal length whatever was given, so that a comparison takes equally long. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
