/** Line icons in a 20 × 20 view box, drawn in the colour of the text. */
const paths = {
  overview: 'M3 10.5 10 4l7 6.5M5 9v7h10V9',
  monitors: 'M2.5 11h3.2l2-6 3.6 10 2.2-6.4 1 2.4h3',
  alerts:
    'M10 3a4.5 4.5 0 0 0-4.5 4.5c0 4.5-2 5.5-2 6.5h13c0-1-2-2-2-6.5A4.5 4.5 0 0 0 10 3ZM8.3 16.5a1.9 1.9 0 0 0 3.4 0',
  incidents: 'M10 3 2.8 16h14.4ZM10 8v3.5M10 13.6v.2',
  pages: 'M3 4h14v12H3ZM3 8h14M6 11.5h8M6 13.8h5',
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
