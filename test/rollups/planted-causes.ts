/**
 * Twelve causes of failures as libraries and programs word them, in six pairs that differ little and are still different things to mend. They were
 * written down before their author had read how messages are normalised, so that they test it from outside; only what Python would not write
 * (an apostrophe in single quotes) and variable parts that are plain words were taken out afterwards.
 */

/** One cause: the type of its exception, and a message with other ids, numbers, paths and dates at every call. `pick(n)` is a number below n. */
export interface PlantedCause {
  type: string;
  message: (pick: (below: number) => number) => string;
}

type Pick = Parameters<PlantedCause["message"]>[0];

const hex = (pick: Pick, length: number) => Array.from({ length }, () => "0123456789abcdef"[pick(16)]).join("");
const uuid = (pick: Pick) => [8, 4, 4, 4, 12].map((length) => hex(pick, length)).join("-");
const two = (value: number) => String(value).padStart(2, "0");
const day = (pick: Pick) => `20${20 + pick(8)}-${two(1 + pick(12))}-${two(1 + pick(28))}`;
const clock = (pick: Pick) => `${two(pick(24))}:${two(pick(60))}:${two(pick(60))}`;
const oneOf = (pick: Pick, words: readonly string[]) => words[pick(words.length)] as string;
const word = (pick: Pick) =>
  oneOf(pick, ["alpha", "north", "Zürich", "o'neill", "weekly", "retail-eu", "東京", "B2B", "new customers"]);
const reference = (pick: Pick) =>
  oneOf(pick, [`ORD-${pick(99999)}`, uuid(pick), String(pick(1e9)), hex(pick, 8), `web_${pick(1e6)}`]);
/** As Python quotes. */
const repr = (text: string) => (text.includes("'") ? `"${text}"` : `'${text}'`);
const path = (pick: Pick) =>
  oneOf(pick, [
    `/var/data/uploads/${day(pick)}/${hex(pick, 8)}.csv`,
    `/tmp/tmp${hex(pick, 8)}`,
    `exports/${word(pick)}/part-${pick(1000)}.parquet`,
    `C:\\\\Users\\\\worker${pick(20)}\\\\report ${pick(90)}.xlsx`,
    `/srv/${uuid(pick)}/${word(pick)}.json`,
  ]);
const url = (pick: Pick) =>
  oneOf(pick, [
    `https://api.example.com/v1/users/${pick(1e6)}`,
    `https://api.example.com/v1/orders/${uuid(pick)}/lines?page=${pick(40)}`,
    `https://api.example.com/search?q=${encodeURIComponent(word(pick)).replaceAll("'", "%27")}&from=${day(pick)}`,
    `https://10.0.${pick(256)}.${pick(256)}:8443/items/${hex(pick, 12)}`,
  ]);
const position = (pick: Pick) => `line ${1 + pick(400)} column ${1 + pick(120)} (char ${pick(90_000)})`;

const pool = (pick: Pick) =>
  `HTTPSConnectionPool(host='payments.example.com', port=443): Max retries exceeded with url: /v1/charges/ch_${hex(pick, 16)}`;
const connection = (pick: Pick) => `<urllib3.connection.HTTPSConnection object at 0x7f${hex(pick, 10)}>`;

export const PLANTED_CAUSES: readonly PlantedCause[] = [
  {
    type: "requests.exceptions.ConnectionError",
    message: (pick) =>
      `${pool(pick)} (Caused by NewConnectionError('${connection(pick)}: Failed to establish a new connection: [Errno 111] Connection refused'))`,
  },
  {
    type: "requests.exceptions.ConnectionError",
    message: (pick) =>
      `${pool(pick)} (Caused by NameResolutionError("${connection(pick)}: Failed to resolve 'payments.example.com' ([Errno -2] Name or service not known)"))`,
  },
  {
    type: "psycopg2.errors.UniqueViolation",
    message: (pick) =>
      `duplicate key value violates unique constraint "orders_pkey"\nDETAIL:  Key (id)=(${pick(2) ? pick(1e8) : uuid(pick)}) already exists.\n`,
  },
  {
    type: "psycopg2.errors.UniqueViolation",
    message: (pick) =>
      `duplicate key value violates unique constraint "orders_reference_key"\nDETAIL:  Key (reference)=(${reference(pick)}) already exists.\n`,
  },
  {
    type: "httpx.HTTPStatusError",
    message: (pick) =>
      `Client error '404 Not Found' for url '${url(pick)}'\nFor more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/404`,
  },
  {
    type: "httpx.HTTPStatusError",
    message: (pick) =>
      `Client error '429 Too Many Requests' for url '${url(pick)}'\nFor more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/429`,
  },
  { type: "OSError", message: (pick) => `[Errno 28] No space left on device: ${repr(path(pick))}` },
  { type: "OSError", message: (pick) => `[Errno 24] Too many open files: ${repr(path(pick))}` },
  {
    type: "ValueError",
    message: (pick) =>
      `Order ${reference(pick)} of customer ${pick(1e6)} was already refunded on ${day(pick)} ${clock(pick)}`,
  },
  {
    type: "ValueError",
    message: (pick) =>
      `Order ${reference(pick)} of customer ${pick(1e6)} was already shipped on ${day(pick)} ${clock(pick)}`,
  },
  { type: "json.decoder.JSONDecodeError", message: (pick) => `Expecting value: ${position(pick)}` },
  { type: "json.decoder.JSONDecodeError", message: (pick) => `Unterminated string starting at: ${position(pick)}` },
];
