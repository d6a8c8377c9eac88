import type { Fact, FactGroup } from "../../../src/presentation/facts/fact.ts";
import { Card } from "../ui/card.tsx";
import { Facts } from "../ui/facts.tsx";
import { FactValueView } from "./fact-value.tsx";

/** Facts about one thing. */
export function ThingFacts({ facts }: { facts: readonly Fact[] }) {
  return <Facts rows={facts.map(({ label, value }) => ({ label, value: <FactValueView value={value} /> }))} />;
}

/** Each group of facts in a card, beside each other. @param hide keys of facts that the page shows elsewhere. */
export function FactCards({ groups, hide = [] }: { groups: readonly FactGroup[]; hide?: readonly string[] }) {
  return (
    <div class="columns columns-even">
      {groups.map(({ title, facts }) => (
        <Card key={title} title={title}>
          <ThingFacts facts={facts.filter(({ key }) => !hide.includes(key))} />
        </Card>
      ))}
    </div>
  );
}
