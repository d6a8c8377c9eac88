import { type Fact, type FactGroup, isStated } from "../../../src/presentation/facts/fact.ts";
import { Card } from "../ui/card.tsx";
import { Facts } from "../ui/facts.tsx";
import { Id } from "../ui/id.tsx";
import { FactValueView } from "./fact-value.tsx";

/** Facts about one thing. */
export function ThingFacts({ facts }: { facts: readonly Fact[] }) {
  return <Facts rows={facts.map(({ label, value }) => ({ label, value: <FactValueView value={value} /> }))} />;
}

/** A card of facts. Only what is stated. @param hide keys of facts that the page shows elsewhere. */
export function FactCard({
  title,
  groups,
  hide = [],
}: {
  title: string;
  groups: readonly FactGroup[];
  hide?: readonly string[];
}) {
  const facts = stated(groups.flatMap((group) => group.facts)).filter(({ key }) => !hide.includes(key));
  if (facts.length === 0) return null;
  return (
    <Card title={title}>
      <ThingFacts facts={facts} />
    </Card>
  );
}

/** The line under the title of a page: the id, then the facts of these keys, in their order. Only what is stated. */
export function FactLine({ id, groups, keys }: { id?: string; groups: readonly FactGroup[]; keys: readonly string[] }) {
  const facts = stated(groups.flatMap((group) => group.facts));
  return (
    <span class="fact-line">
      {id !== undefined && <Id value={id} full />}
      {keys.flatMap((key) =>
        facts
          .filter((fact) => fact.key === key)
          .map(({ label, value }) => (
            <span key={key} data-fact={key}>
              {label} <FactValueView value={value} cell copy={false} />
            </span>
          )),
      )}
    </span>
  );
}

function stated(facts: readonly Fact[]): Fact[] {
  return facts.filter(({ value }) => isStated(value));
}
