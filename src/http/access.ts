/**
 * Who may use a monitor that has a token (security.md 3): scripts send the token; browsers send a cookie that they get for the token or a one-time
 * code. The token itself is neither kept here nor written anywhere.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Tries } from "./tries.ts";

/** Lifetimes in seconds: of a browser's session, and of a one-time code. */
export const SESSION_SECONDS = 7 * 86_400;
export const CODE_SECONDS = 600;

/** Maximum number of unused codes; the oldest is dropped first. */
const CODES = 20;

export type Entry =
  | { entered: true }
  /** `wait`: seconds during which tokens from this address are ignored; null if none was wrong. */
  | { entered: false; wait: number | null };

const ENTERED: Entry = { entered: true };

type HeaderReader = Pick<Headers, "get">;

export class Access {
  /** `/health` and `/metrics` need no token. */
  readonly publicMetrics: boolean;
  readonly #tokenDigest: Buffer;
  /** Signs cookies. Derived from the token, so only someone who has the token can make them. */
  readonly #key: Buffer;
  /** Name of the cookie. Cookies are shared by all ports of a host, so each monitor needs a name of its own. */
  readonly #cookie: string;
  /** Maps the digest of each code to its expiry, in milliseconds of the clock. */
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

  /** Whether the sender of a request is signed in. A wrong token counts as a try. */
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
    // Ignored even if it is right; otherwise waiting would cost a guesser nothing.
    if (wait > 0) return { entered: false, wait };
    if (timingSafeEqual(digest(token), this.#tokenDigest)) {
      this.#tries.right(address);
      return ENTERED;
    }
    this.#tries.wrong(address);
    return { entered: false, wait: this.#tries.waitOf(address) };
  }

  /** Uses the code up. A wrong code does not count as a try: codes cannot be guessed, and any site can make a browser send one. */
  enterWithCode(code: string): boolean {
    const key = digest(code).toString("hex");
    const until = this.#codes.get(key);
    this.#codes.delete(key);
    return until !== undefined && this.#clock() < until;
  }

  /** A code that signs in one browser, once. */
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
    // Compared as text, because several base64 texts decode to the same bytes, and only one of them was issued.
    const wanted = Buffer.from(this.#signed(until).toString("base64url"));
    const given = Buffer.from(signature);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return false;
    return this.#clock() < Number(until) * 1_000;
  }

  #signed(until: string): Buffer {
    return createHmac("sha256", this.#key).update(`until ${until}`).digest();
  }
}

/** Digests have equal length, so comparisons take equal time whatever was given. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
