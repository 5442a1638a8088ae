/** Line icons in a 20 × 20 view box, drawn in the colour of the text. */
const paths = {
  overview: 'M3 10.5 10 4l7 6.5M5 9v7h10V9',
  monitors: 'M2.5 11h3.2l2-6 3.6 10 2.2-6.4 1 2.4h3',
  alerts:
    'M10 3a4.5 4.5 0 0 0-4.5 4.5c0 4.5-2 5.5-2 6.5h13c0-1-2-2-2-6.5A4.5 4.5 0 0 0 10 3ZM8.3 16.5a1.9 1.9 0 0 0 3.4 0',
  incidents: 'M10 3 2.8 16h14.4ZM10 8v3.5M10 13.6v.2',
  pages: 'M3 4h14v12H3ZM3 8h14M6 11.5h8M6 13.8h5',
  regions: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM3 10h14M10 3c2.2 2 3 4.4 3 7s-.8 5-3 7c-2.2-2-3-4.4-3-7s.8-5 3-7',
  events: 'M4 4v12h12M7 12.5l3-3.5 2.5 2 3.5-5',
  settings:
    'M10 7.3a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4ZM10 2.5v2.2M10 15.3v2.2M2.5 10h2.2M15.3 10h2.2M4.7 4.7l1.6 1.6M13.7 13.7l1.6 1.6M15.3 4.7l-1.6 1.6M6.3 13.7l-1.6 1.6',
  search: 'M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM13 13l4 4',
  plus: 'M10 4v12M4 10h12',
  close: 'M5 5l10 10M15 5 5 15',
  down: 'M5 8l5 5 5-5',
  out: 'M8 4H4v12h4M9 10h8M14 7l3 3-3 3',
  user: 'M10 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM4 16.5c.6-3 3-4.5 6-4.5s5.4 1.5 6 4.5',
  menu: 'M3 6h14M3 10h14M3 14h14',
  external: 'M8 4H4v12h12v-4M11 4h5v5M16 4l-7 7',
} as const;
export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

/** The product's logo: three regions, of which two agree. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <circle cx="16" cy="9" r="4" />
      <circle cx="9" cy="21" r="4" />
      <circle cx="23" cy="21" r="4" class="faint" />
    </svg>
  );
}
