/** Reads OTLP/JSON by the protocol's own definition (test/fixtures/otlp): what it does not know is an error, not ignored. */
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import protobuf from "protobufjs";
import { expect } from "vitest";

const root = protobuf.loadSync(fileURLToPath(new URL("../fixtures/otlp/trace.proto", import.meta.url)));
const TracesData = root.lookupType("opentelemetry.proto.trace.v1.TracesData");

type Attributes = Record<string, string | number | string[]>;

export interface ReadSpan {
  trace: string;
  id: string;
  parent: string | null;
  name: string;
  kind: string;
  /** Nanoseconds. */
  start: bigint;
  end: bigint;
  attributes: Attributes;
  events: { name: string; at: bigint; attributes: Attributes }[];
  links: { trace: string; id: string; attributes: Attributes }[];
  status: { code: string; message: string } | null;
}

/** The spans of all lines, through the binary form and back. */
export function readSpans(lines: string): ReadSpan[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const given = withBase64Ids(JSON.parse(line));
      const message = TracesData.fromObject(given as Record<string, unknown>);
      const data = TracesData.toObject(TracesData.decode(TracesData.encode(message).finish()), {
        longs: String,
        bytes: String,
      });
      // Anything that was lost on the way is not of the protocol.
      if (!isDeepStrictEqual(data, given)) expect(data).toEqual(given);
      const named = TracesData.toObject(message, { longs: String, enums: String, defaults: true, bytes: String });
      return named.resourceSpans.flatMap((one: Raw) => one.scopeSpans.flatMap((scope: Raw) => scope.spans.map(span)));
    });
}

/** The service of each line. */
export function servicesOf(lines: string): string[] {
  return lines
    .trim()
    .split("\n")
    .flatMap((line) => JSON.parse(line).resourceSpans.map((one: Raw) => attributes(one.resource.attributes)))
    .map((resource) => resource["service.name"]);
}

// biome-ignore lint/suspicious/noExplicitAny: what protobufjs hands out
type Raw = any;

const ID_BYTES: Readonly<Record<string, number>> = { traceId: 16, spanId: 8, parentSpanId: 8 };

/** OTLP/JSON writes ids as hex where other JSON of protocol buffers has base64. */
function withBase64Ids(value: unknown, key = ""): unknown {
  const length = ID_BYTES[key];
  if (length !== undefined) {
    // One of thousands: an error takes less time than an assertion.
    if (!new RegExp(`^(?!0+$)[0-9a-f]{${length * 2}}$`).test(String(value)))
      throw new Error(`not an id: ${key} ${value}`);
    return Buffer.from(String(value), "hex").toString("base64");
  }
  if (Array.isArray(value)) return value.map((one) => withBase64Ids(one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withBase64Ids(member, name)]));
}

function span(raw: Raw): ReadSpan {
  return {
    trace: hex(raw.traceId),
    id: hex(raw.spanId),
    parent: raw.parentSpanId === "" ? null : hex(raw.parentSpanId),
    name: raw.name,
    kind: raw.kind,
    start: BigInt(raw.startTimeUnixNano),
    end: BigInt(raw.endTimeUnixNano),
    attributes: attributes(raw.attributes),
    events: raw.events.map((event: Raw) => ({
      name: event.name,
      at: BigInt(event.timeUnixNano),
      attributes: attributes(event.attributes),
    })),
    links: raw.links.map((link: Raw) => ({
      trace: hex(link.traceId),
      id: hex(link.spanId),
      attributes: attributes(link.attributes),
    })),
    status: raw.status,
  };
}

function hex(base64: string): string {
  return Buffer.from(base64, "base64").toString("hex");
}

function attributes(list: Raw[]): Attributes {
  const keys = list.map((one) => one.key);
  if (new Set(keys).size < keys.length) throw new Error(`an attribute is there twice: ${keys.join()}`);
  return Object.fromEntries(
    list.map(({ key, value }) => {
      if (value.arrayValue != null) return [key, value.arrayValue.values.map((one: Raw) => one.stringValue)];
      return [key, value.intValue !== undefined ? Number(value.intValue) : value.stringValue];
    }),
  );
}
