import type { ConditionItem } from "../../../src/api/conditions.ts";
import { visibleLine } from "../../../src/presentation/text.ts";
import { sentenceCase } from "../../../src/pynenc/sentences.ts";
import { useLinks } from "../../links.ts";
import { StatusBadge } from "../invocations/status-badge.tsx";
import { TaskName } from "../invocations/task-name.tsx";
import { Facts } from "../ui/facts.tsx";
import { ValueText } from "./value-text.tsx";

/** Members of a stored record under their own names. */
export function RecordItems({ items }: { items: readonly ConditionItem[] }) {
  if (items.length === 0) return <p class="muted">The stored record has no readable members.</p>;
  // pynenc's own monitor has every word in capitals.
  const label = ({ label }: ConditionItem) => visibleLine(sentenceCase(label.toLowerCase()));
  return <Facts rows={items.map((item) => ({ label: label(item), value: <ItemValue item={item} /> }))} />;
}

function ItemValue({ item }: { item: ConditionItem }) {
  const links = useLinks();
  if (item.render === "status_badges") {
    if (item.statuses.length === 0) return <span class="muted">any</span>;
    return (
      <span class="with-mark">
        {item.statuses.map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
      </span>
    );
  }
  if (item.key === "task_id") return <TaskName task_id_key={item.value} href={links.task(item.value)} />;
  if (item.multiline) return <ValueText text={item.value} label={item.label} inline />;
  return <code class="cell-text">{visibleLine(item.value) || "(empty)"}</code>;
}
