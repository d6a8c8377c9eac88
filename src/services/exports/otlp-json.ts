/** The members of OTLP/JSON that an export writes (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding"): ids as hex, times and whole numbers as text. */
import { integerMicros } from "../../pynenc/time.ts";

export type OtlpValue =
  | { stringValue: string }
  | { intValue: string }
  | { boolValue: boolean }
  | { arrayValue: { values: { stringValue: string }[] } };

export interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}

export interface OtlpLink {
  traceId: string;
  spanId: string;
  attributes: OtlpAttribute[];
}

export interface OtlpEvent {
  timeUnixNano: string;
  name: string;
  attributes: OtlpAttribute[];
}

/** Numeric `SpanKind` and `StatusCode` of the protocol. */
export const KIND = { internal: 1, consumer: 5 } as const;
export const STATUS_CODE = { ok: 1, error: 2 } as const;

export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
  events?: OtlpEvent[];
  links?: OtlpLink[];
  status?: { code: number; message?: string };
}

/** Members without a value are omitted. */
export function attributes(
  members: Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>,
): OtlpAttribute[] {
  return Object.entries(members).flatMap(([key, value]) => {
    if (value === null || value === undefined) return [];
    return { key, value: otlpValue(value) };
  });
}

/** Numbers must be integers. */
function otlpValue(value: string | number | boolean | readonly string[]): OtlpValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { intValue: String(value) };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}

/** Nanoseconds since 1970 as text; pynenc's times have microsecond precision. */
export function nanos(at: number): string {
  return `${integerMicros(at)}000`;
}
