import type { EventDetail } from "../../../src/api/events.ts";
import type { ShownArgument, ShownValue } from "../../../src/api/model/values.ts";
import { count, visibleLine } from "../../../src/presentation/text.ts";
import { Empty } from "../ui/empty.tsx";
import { ShownValueView } from "./shown-value.tsx";

export interface ArgumentsListProps {
  values: readonly ShownArgument[];
  /** Stored text that is no JSON object. */
  unreadable: string | null;
  /** False when no definition is stored. */
  stored: boolean;
  /** Bytes of all of them, where they are too large to read in full. */
  tooLarge?: number | null;
}

/** Arguments by name. */
export function ArgumentsList({ values, unreadable, stored, tooLarge = null }: ArgumentsListProps) {
  if (!stored) {
    return (
      <Empty title="The arguments are not stored">
        The state backend has no definition of this invocation: it may have been purged.
      </Empty>
    );
  }
  if (unreadable !== null && tooLarge === null) return <UnreadableArguments text={unreadable} />;
  if (tooLarge !== null) {
    return (
      <>
        <p class="muted">
          Together {count(tooLarge)} bytes, too large to read in full: the last one shown is cut, and whether there are
          the rest is not known.
        </p>
        {unreadable === null ? <Values values={values} /> : <ShownValueView value={asStored(unreadable)} />}
      </>
    );
  }
  if (values.length === 0) return <p class="muted">Called without arguments.</p>;
  return <Values values={values} />;
}

function Values({ values }: Pick<ArgumentsListProps, "values">) {
  return (
    <dl class="facts arguments">
      {values.map(({ name, value }) => (
        <div key={name}>
          <dt>
            <bdi class="mono">{visibleLine(name) || "(empty name)"}</bdi>
          </dt>
          <dd>
            <ShownValueView value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function UnreadableArguments({ text }: { text: string }) {
  return (
    <>
      <p class="muted">The stored arguments are not a JSON object. Raw text:</p>
      <ShownValueView value={asStored(text)} />
    </>
  );
}

function asStored(text: string): ShownValue {
  const stored = { form: "text", text, truncated: false, size: text.length, note: null, reference: null } as const;
  return { stored, resolved: null, dangling: false };
}

/** What an event carried. */
export function Payload({
  event: { payload, payload_too_large: bytes },
}: {
  event: Pick<EventDetail, "payload" | "payload_too_large">;
}) {
  if (bytes !== null) return <p class="muted">The payload has {count(bytes)} bytes: too large to show.</p>;
  if (payload.length === 0) return <p class="muted">Emitted without a payload.</p>;
  return <ArgumentsList values={payload} unreadable={null} stored />;
}
