/** Leads from the head of a page to the preview of an action that removes data. Nothing where actions are off. @param effect one sentence. */
export function DangerLink({
  href,
  label,
  effect,
  readOnly,
}: {
  href: string;
  label: string;
  effect: string;
  readOnly: boolean;
}) {
  return readOnly ? null : (
    <a class="button danger" href={href} title={effect}>
      {label} …
    </a>
  );
}
