/**
 * Who may use a monitor that has a token (security.md 3): scripts send the token; browsers send a cookie that they get for the token or a one-time
 * code. The token itself is neither kept here nor written anywhere.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { counted, grouped } from "../pynenc/numbers.ts";
import { Tries } from "./tries.ts";

/** Lifetimes in seconds: of a browser's session, and of a one-time code. */
export const SESSION_SECONDS = 7 * 86_400;
export const CODE_SECONDS = 600;

/** Maximum number of unused codes; the oldest is dropped first. */
const CODES = 20;

/** Maximum lines a minute about wrong tokens, so that guesses from many addresses do not fill the log. */
const LINES_A_MINUTE = 20;

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
  /** Maps the digest of each code to its expiry, in milliseconds of the monotonic clock. */
  readonly #codes = new Map<string, number>();
  readonly #tries: Tries;
  readonly #warn: (words: string) => void;
  readonly #clock: () => number;
  readonly #ticks: () => number;
  /** Lines about wrong tokens in the minute that began at `since`, and wrong tokens without a line. */
  readonly #log = { since: Number.NEGATIVE_INFINITY, lines: 0, unlogged: 0 };

  /**
   * @param warn receives a line about a wrong token; never the token.
   * @param clock milliseconds since the epoch: cookies outlive the process.
   * @param ticks milliseconds of a monotonic clock: setting the time of the machine neither ends nor prolongs waits and codes.
   */
  constructor(
    token: string,
    publicMetrics: boolean,
    warn: (words: string) => void,
    clock: () => number = Date.now,
    ticks: () => number = () => performance.now(),
  ) {
    this.publicMetrics = publicMetrics;
    this.#tokenDigest = digest(token);
    this.#key = createHmac("sha256", token).update("pynenc-monitor cookies").digest();
    this.#cookie = `pynenc-monitor-${createHmac("sha256", this.#key).update("name").digest("hex").slice(0, 8)}`;
    this.#warn = warn;
    this.#clock = clock;
    this.#ticks = ticks;
    this.#tries = new Tries(ticks);
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
    if (wait > 0) {
      this.#tries.ignored(address);
      return { entered: false, wait };
    }
    if (timingSafeEqual(digest(token), this.#tokenDigest)) {
      this.#tries.right(address);
      return ENTERED;
    }
    this.#report(address, this.#tries.wrong(address));
    return { entered: false, wait: this.#tries.waitOf(address) };
  }

  #report(address: string, { wrong, ignored }: { wrong: number; ignored: number }): void {
    const log = this.#log;
    const now = this.#ticks();
    if (now - log.since >= 60_000) Object.assign(log, { since: now, lines: 0 });
    if (log.lines === LINES_A_MINUTE) {
      log.unlogged++;
      return;
    }
    log.lines++;
    const details = [
      ...(ignored === 0 ? [] : [`${grouped(ignored)} more ignored while it had to wait`]),
      ...(log.unlogged === 0 ? [] : [`${counted(log.unlogged, "earlier one")} from all addresses not logged`]),
    ];
    log.unlogged = 0;
    this.#warn(
      `Wrong token from ${address}: ${counted(wrong, "wrong try", "wrong tries")}${details.map((words) => `, ${words}`).join("")}.`,
    );
  }

  /** Uses the code up. A wrong code does not count as a try: codes cannot be guessed, and any site can make a browser send one. */
  enterWithCode(code: string): boolean {
    const key = digest(code).toString("hex");
    const until = this.#codes.get(key);
    this.#codes.delete(key);
    return until !== undefined && this.#ticks() < until;
  }

  /** A code that signs in one browser, once. */
  newCode(): string {
    const code = randomBytes(24).toString("base64url");
    for (const [key, until] of this.#codes) {
      if (until <= this.#ticks() || this.#codes.size >= CODES) this.#codes.delete(key);
    }
    this.#codes.set(digest(code).toString("hex"), this.#ticks() + CODE_SECONDS * 1_000);
    return code;
  }

  /** The header that keeps a browser signed in. @param basePath as in `ServerContext` */
  newCookie(basePath = ""): string {
    const until = String(Math.floor(this.#clock() / 1_000) + SESSION_SECONDS);
    const value = `${until}.${this.#signed(until).toString("base64url")}`;
    return `${this.#cookie}=${value}; Path=${basePath || "/"}; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Strict`;
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
