export interface SwitcherProps {
  /** What is chosen, for screen readers. */
  label: string;
  choices: readonly { value: string; label: string; href: string }[];
  current: string;
}

/** A few ways of looking at the same things, one of them shown. */
export function Switcher({ label, choices, current }: SwitcherProps) {
  return (
    <nav class="status-links" aria-label={label}>
      {choices.map(({ value, label, href }) => (
        <a key={value} class="status-link" href={href} aria-current={value === current ? "page" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
