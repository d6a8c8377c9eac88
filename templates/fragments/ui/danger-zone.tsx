import { Card } from "./card.tsx";

export interface DangerousAction {
  /** On the button: `Purge the broker queue …`. */
  label: string;
  href: string;
  /** One sentence on what it does. */
  text: string;
}

/** Actions of a component, each leading to a page with a preview and a confirmation. Left out if changes are not allowed. */
export function DangerZone({ actions, readOnly }: { actions: readonly DangerousAction[]; readOnly: boolean }) {
  if (readOnly) return null;
  return (
    <Card title="Danger zone">
      <ul class="stack">
        {actions.map((action) => (
          <li key={action.href} class="row apart">
            <span>{action.text}</span>
            <a class="button danger" href={action.href}>
              {action.label}
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}
