import { visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { Id } from "../ui/id.tsx";

export interface ConditionWordsProps {
  condition_id: string;
  /** Null when the condition is not known any more. */
  sentence: string | null;
  /** It has a page. */
  registered: boolean;
}

/** A condition in words, linked to its page; one that is gone by its id. */
export function ConditionWords({ condition_id, sentence, registered }: ConditionWordsProps) {
  const links = useLinks();
  if (sentence === null) {
    return (
      <span class="with-mark">
        <Id value={condition_id} />
        <span class="mark mark-warn" title="No condition is registered under this id">
          not registered
        </span>
      </span>
    );
  }
  const words = <bdi>{visibleLine(sentence)}</bdi>;
  return registered ? (
    <a href={links.condition(condition_id)} title={visibleLine(condition_id)}>
      {words}
    </a>
  ) : (
    <span title={visibleLine(condition_id)}>{words}</span>
  );
}
