/** Drawn for this program: 16 by 16 pixels, strokes in the colour of the text (`.icon` in layout.css). */
const PATHS = {
  dashboard: "M2.5 2.5h4.5v6h-4.5zM9.5 2.5h4v3h-4zM9.5 8h4v5.5h-4zM2.5 11h4.5v2.5h-4.5z",
  invocations: "M2.5 4h1M6 4h7.5M2.5 8h1M6 8h7.5M2.5 12h1M6 12h7.5",
  failures: "M8 2.5l6 11h-12zM8 6.5v3.5M8 11.5v.5",
  tasks: "M2.5 2.5h11v11h-11zM5 8l2 2l4-4",
  workflows: "M2.5 2.5h4v4h-4zM9.5 9.5h4v4h-4zM4.5 6.5v5h5",
  timeline: "M2.5 4h6M5.5 8h6M8.5 12h5",
  stats: "M2.5 2.5v11h11M5.5 11v-3M8.5 11v-6M11.5 11v-4",
  compare: "M5 2.5v11l-3-3M11 13.5v-11l3 3",
  triggers: "M9 2l-5.5 7h4l-1 5l6-7.5h-4.5z",
  runners: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.5M5 11h.5",
  broker: "M2 5h2.5v6h-2.5zM6.5 5h2.5v6h-2.5zM11 8h3.5M12.5 6l2 2l-2 2",
  log_explorer: "M4 2.5h6l3 3v8h-9zM6.5 7h4M6.5 10h4",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  search: "M7 2.5a4.5 4.5 0 1 0 .01 0M10.5 10.5l3 3",
  clock: "M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3l2 1.5",
  bell: "M3.5 11.5c1-1 1-2 1-5a3.5 3.5 0 0 1 7 0c0 3 0 4 1 5zM6.5 13.5h3",
  more: "M2.5 5h5M11.5 5h2M9.5 3v4M2.5 11h2M8.5 11h5M6.5 9v4",
} as const;

export type IconName = keyof typeof PATHS;

export function isIcon(name: string): name is IconName {
  return Object.hasOwn(PATHS, name);
}

/** Decorative: what it stands beside, or the name of its button, says what it means. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
