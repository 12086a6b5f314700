// A small set of line icons on a 16-pixel grid. They decorate text and are hidden from screen readers.
const PATHS = {
  bookmark: "M4.5 2.5h7v11L8 10.8l-3.5 2.7Z",
  fit: "M2.5 6v-3.5h3.5M10 2.5h3.5v3.5M13.5 10v3.5h-3.5M6 13.5h-3.5v-3.5",
  globe:
    "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 1 1 8 1.8ZM1.8 8h12.4M8 1.8c2.2 2 2.2 10.4 0 12.4M8 1.8c-2.2 2-2.2 10.4 0 12.4",
  home: "M2.5 3.5h11v7h-11ZM6 13.5h4M8 10.5v3",
  key: "M5.2 7.3a3 3 0 1 1 0 5.4a3 3 0 1 1 0-5.4ZM7.6 8 13.5 2.5M11 5l2 2",
  layers: "M8 2.5 14 5.6 8 8.7 2 5.6ZM2 8.3l6 3.1 6-3.1M2 11l6 3.1L14 11",
  link: "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 0 0-3.7-3.7l-.7.7M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.2 9.1a2.6 2.6 0 0 0 3.7 3.7l.7-.7",
  seal: "M8 2a3.9 3.9 0 1 1 0 7.8A3.9 3.9 0 1 1 8 2ZM5.6 9.2 4.8 14 8 12.4 11.2 14l-.8-4.8",
  shield: "M8 1.8 13 3.6v4c0 3.2-2 5.4-5 6.6-3-1.2-5-3.4-5-6.6v-4Z",
  user: "M8 2.4a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 1 1 0-5.4ZM2.8 13.6c.5-2.6 2.5-3.9 5.2-3.9s4.7 1.3 5.2 3.9",
  add: "M8 3v10M3 8h10",
  alert: "M8 2.2 14.4 13.4H1.6ZM8 6.4v3.4M8 11.6v.1",
  arrow: "M3 8h10M9 4l4 4-4 4",
  back: "M13 8H3M7 4 3 8l4 4",
  branch: "M2 8h4M6 8c2 0 2-4 4-4h3.5M6 8c2 0 2 4 4 4h3.5M11.5 2l2 2-2 2M11.5 10l2 2-2 2",
  check: "M3 8.5 6.5 12 13 4.5",
  chevron: "M4 6l4 4 4-4",
  circle: "M8 3.2a4.8 4.8 0 1 1 0 9.6a4.8 4.8 0 1 1 0-9.6Z",
  clock: "M8 2a6 6 0 1 1 0 12A6 6 0 1 1 8 2ZM8 4.8V8l2.2 1.4",
  close: "M4 4l8 8M12 4l-8 8",
  code: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  copy: "M6 5.5h7v8H6ZM3.5 10.5h-.8v-8h7v.8",
  cross: "M4.5 4.5l7 7M11.5 4.5l-7 7M8 1.6a6.4 6.4 0 1 1 0 12.8A6.4 6.4 0 1 1 8 1.6Z",
  edit: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3ZM9.2 4.5l2.3 2.3",
  eye: "M1.5 8S4 3.7 8 3.7 14.5 8 14.5 8 12 12.3 8 12.3 1.5 8 1.5 8ZM8 6a2 2 0 1 1 0 4 2 2 0 1 1 0-4Z",
  export: "M8 10V2.5M5 5.2 8 2.3l3 2.9M3 9.5v4h10v-4",
  import: "M8 2.5V10M5 7.2 8 10l3-2.8M3 9.5v4h10v-4",
  info: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 1 1 8 1.8ZM8 7.3v3.9M8 4.9V5",
  list: "M2.5 4h11M2.5 8h11M2.5 12h7",
  lock: "M4 7.2h8v6H4ZM5.6 7V5a2.4 2.4 0 0 1 4.8 0v2",
  more: "M3.4 8h.2M7.9 8h.2M12.4 8h.2",
  open: "M9 3h4v4M13 3 7.5 8.5M11.5 9v4H3V4.5h4",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  note: "M3.5 2.5h9v8l-3 3h-6ZM9.5 13.3v-2.8h2.8M5.8 5.5h4.4M5.8 8h4.4",
  pin: "M6 2.5h4M6.6 2.7v4L4.5 9.3h7L9.4 6.7v-4M8 9.5v4.2",
  play: "M5 3.2v9.6L12.6 8Z",
  qr: "M2.5 2.5h4v4h-4ZM9.5 2.5h4v4h-4ZM2.5 9.5h4v4h-4ZM9.5 9.5h1.5v1.5M13.5 9.5v1.5M9.5 13.5h1M12.5 13.5h1",
  question:
    "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 1 1 8 1.8ZM6.3 6.3a1.8 1.8 0 1 1 2.5 1.7c-.5.2-.8.6-.8 1.1M8 11.2v.1",
  refresh: "M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3",
  replay: "M3 8a5 5 0 1 0 1.5-3.6M3 2.5v3h3",
  search: "M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 1 1 0-8.4ZM10.2 10.2 13.5 13.5",
  settings: "M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 3v3M6 10v3",
  up: "M4 10l4-4 4 4",
  trash: "M3 4.5h10M6.3 4.3V2.8h3.4v1.5M4.4 4.7l.6 8.6h6l.6-8.6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  const heavy = name === "more";
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill={name === "play" ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth={heavy ? 2.2 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
