/** Line icons in a 20 × 20 view box, drawn in the colour of the text. */
const paths = {
  overview: 'M3 10.5 10 4l7 6.5M5 9v7h10V9',
  monitors: 'M2.5 11h3.2l2-6 3.6 10 2.2-6.4 1 2.4h3',
  alerts:
    'M10 3a4.5 4.5 0 0 0-4.5 4.5c0 4.5-2 5.5-2 6.5h13c0-1-2-2-2-6.5A4.5 4.5 0 0 0 10 3ZM8.3 16.5a1.9 1.9 0 0 0 3.4 0',
  incidents: 'M10 3 2.8 16h14.4ZM10 8v3.5M10 13.6v.2',
  maintenance: 'M12.2 3.6a4.2 4.2 0 0 0-4.9 5.7L3 13.6 5.4 16l4.3-4.3a4.2 4.2 0 0 0 5.7-4.9L13 9.2 9.8 6Z',
  channels: 'M3 9.5 17 3.5l-4.5 13-3-5.2ZM9.5 11.3 17 3.5',
  pages: 'M3 4h14v12H3ZM3 8h14M6 11.5h8M6 13.8h5',
  regions: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM3 10h14M10 3c3 3.5 3 10.5 0 14-3-3.5-3-10.5 0-14Z',
  events: 'M3 16V9.5M8 16V4M13 16v-5M17.5 16v-8',
  settings: 'M3 6h6M13 6h4M11 4v4M3 14h3M10 14h7M8 12v4',
  search: 'M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM13 13l4 4',
  down: 'M5 8l5 5 5-5',
  user: 'M10 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM4 16.5c.6-3 3-4.5 6-4.5s5.4 1.5 6 4.5',
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
