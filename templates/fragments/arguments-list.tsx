import type { ShownArgument } from "../../src/services/invocation-detail.ts";
import { visibleLine } from "../text.ts";
import { Empty } from "./empty.tsx";
import { ShownValueView } from "./shown-value.tsx";

export interface ArgumentsListProps {
  values: readonly ShownArgument[];
  /** Stored text that is no JSON object. */
  unreadable: string | null;
  /** False when no definition is stored. */
  stored: boolean;
}

/** Arguments by name. */
export function ArgumentsList({ values, unreadable, stored }: ArgumentsListProps) {
  if (!stored) {
    return (
      <Empty title="The arguments are not stored">
        <p>The state backend holds no definition: it was purged, or another component wrote the call.</p>
      </Empty>
    );
  }
  if (unreadable !== null) return <UnreadableArguments text={unreadable} />;
  if (values.length === 0) return <p class="muted">Called without arguments.</p>;
  return (
    <dl class="arguments">
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
  const stored = { form: "text", text, truncated: false, size: text.length, note: null, reference: null } as const;
  return (
    <>
      <p class="muted">The stored arguments are not a JSON object. As they stand:</p>
      <ShownValueView value={{ stored, resolved: null, dangling: false }} />
    </>
  );
}
