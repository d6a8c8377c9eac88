export interface DangerLinkProps {
  href: string;
  label: string;
  /** One sentence. */
  effect: string;
  readOnly: boolean;
}

/** Leads from the head of a page to the preview of an action that removes data. Nothing where actions are off. */
export function DangerLink({ href, label, effect, readOnly }: DangerLinkProps) {
  return readOnly ? null : (
    <a class="button danger" href={href} title={effect}>
      {label} …
    </a>
  );
}
