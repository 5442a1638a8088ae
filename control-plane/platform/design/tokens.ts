import type { Tone } from './tones.ts';

/** One colour in both themes, as `#rrggbb`. */
export type Colour = { readonly light: string; readonly dark: string };
export type Theme = keyof Colour;
/** `fill` for shapes and bars, `ink` for words, `tint` behind words. */
type ToneColours = { readonly fill: Colour; readonly ink: Colour; readonly tint: Colour };

/** What status pages and the dashboard share. */
const colours = {
  page: { light: '#f6f7f9', dark: '#0d1013' },
  surface: { light: '#ffffff', dark: '#15191e' },
  text: { light: '#14181d', dark: '#eceff2' },
  muted: { light: '#555d67', dark: '#a3acb7' },
  line: { light: '#e1e5ea', dark: '#2a313a' },
  /** Edges of fields and buttons. */
  control: { light: '#7d8691', dark: '#727c88' },
  link: { light: '#0b57c2', dark: '#8ab6ff' },
  button: { light: '#14181d', dark: '#eceff2' },
  'on-button': { light: '#ffffff', dark: '#0d1013' },
  'button-edge': { light: '#14181d', dark: '#eceff2' },
  /** The sign on a filled shape. */
  sign: { light: '#ffffff', dark: '#0d1013' },
} as const satisfies Record<string, Colour>;

const blue: ToneColours = {
  fill: { light: '#2f6fdb', dark: '#5b93f5' },
  ink: { light: '#1d53ad', dark: '#93b8ff' },
  tint: { light: '#e9f0fd', dark: '#131f36' },
};
export const toneColours: Record<Tone, ToneColours> = {
  ok: {
    fill: { light: '#188a55', dark: '#2fb574' },
    ink: { light: '#0b6b3f', dark: '#5ed69b' },
    tint: { light: '#e6f5ec', dark: '#10251b' },
  },
  slow: {
    fill: { light: '#a87500', dark: '#d3a21b' },
    ink: { light: '#755200', dark: '#ecc553' },
    tint: { light: '#fcf3da', dark: '#2a220d' },
  },
  part: {
    fill: { light: '#d4560b', dark: '#f08236' },
    ink: { light: '#9c3c04', dark: '#ffa163' },
    tint: { light: '#fdede1', dark: '#2d1b0f' },
  },
  down: {
    fill: { light: '#cf2a33', dark: '#f0565d' },
    ink: { light: '#ad1b25', dark: '#ff9095' },
    tint: { light: '#fdeaea', dark: '#301518' },
  },
  work: blue,
  none: {
    fill: { light: '#78818c', dark: '#7d8691' },
    ink: { light: '#555d67', dark: '#a3acb7' },
    tint: { light: '#eef0f3', dark: '#1d2329' },
  },
  note: blue,
};

/** What only the dashboard needs. */
const dashboardColours = {
  /** Our mark: the same in both themes. */
  brand: { light: '#1d4ed8', dark: '#1d4ed8' },
  'on-brand': { light: '#ffffff', dark: '#ffffff' },
  accent: { light: '#1d4ed8', dark: '#8fb4ff' },
  'on-accent': { light: '#ffffff', dark: '#0b1530' },
  'accent-tint': { light: '#e4ecfd', dark: '#16213a' },
  /** A verdict that nobody can know; status pages show it as no data. */
  'unknown-ink': { light: '#6d28a8', dark: '#d3a6f7' },
  'unknown-tint': { light: '#f1e7fa', dark: '#291a36' },
  // Bars of days stand close together: brighter than the fills of single shapes, or a year looks brown.
  'bar-ok': { light: '#2f9e57', dark: '#3fae69' },
  'bar-slow': { light: '#d79412', dark: '#d99a1f' },
  'series-1': { light: '#1d4ed8', dark: '#8fb4ff' },
  'series-2': { light: '#b45309', dark: '#f2a65a' },
  'series-3': { light: '#0f766e', dark: '#5ad1c1' },
  'series-4': { light: '#a21caf', dark: '#e59af0' },
  'series-5': { light: '#4d7c0f', dark: '#b3d967' },
  'series-6': { light: '#475569', dark: '#a2acba' },
} as const satisfies Record<string, Colour>;

/** Text sizes beside 1rem, from small to large. */
export const textSizes: Readonly<Record<string, string>> = {
  'text-1': '.8125rem',
  'text-2': '.875rem',
  'text-3': '.9375rem',
  'text-4': '1.0625rem',
  'text-5': '1.125rem',
  'text-6': '1.25rem',
};

/** Spaces of n × 0.125rem: `space-4` is half a rem. */
export const spaces: Readonly<Record<string, string>> = Object.fromEntries(
  [1, 2, 3, 4, 5, 6, 8, 10, 12, 16].map(step => [`space-${step}`, `${step / 8}rem`]),
);

export const radii: Readonly<Record<string, string>> = { 'radius-1': '4px', 'radius-2': '6px', 'radius-3': '8px' };

/** Every colour of status pages by the name of its custom property: `text`, `ok-fill`. */
export const pageTokens: Readonly<Record<string, Colour>> = {
  ...colours,
  ...Object.fromEntries(
    Object.entries(toneColours).flatMap(([tone, uses]) =>
      Object.entries(uses).map(([use, colour]) => [`${tone}-${use}`, colour]),
    ),
  ),
};
export const dashboardTokens: Readonly<Record<string, Colour>> = { ...pageTokens, ...dashboardColours };

/**
 * Custom properties of one theme: status pages, which browsers without `light-dark()` visit too, choose by media query.
 */
export function declarations(tokens: Readonly<Record<string, Colour>>, theme: Theme): string {
  return Object.entries(tokens)
    .map(([name, colour]) => `--${name}:${colour[theme]}`)
    .join(';');
}

/** Custom properties that are the same in both themes. */
export function sizeDeclarations(sizes: Readonly<Record<string, string>>): string {
  return Object.entries(sizes)
    .map(([name, size]) => `--${name}:${size}`)
    .join(';');
}

/** The tokens as a style sheet that follows `color-scheme`. Colours are registered: scripts read what is in effect. */
export function tokenSheet(tokens: Readonly<Record<string, Colour>>): string {
  const properties = Object.entries(tokens).map(
    ([name, { light }]) => `@property --${name} {
  syntax: "<color>";
  inherits: true;
  initial-value: ${light};
}`,
  );
  const values = [
    ...Object.entries(tokens).map(([name, { light, dark }]) => `--${name}: light-dark(${light}, ${dark});`),
    ...Object.entries({ ...textSizes, ...spaces, ...radii }).map(([name, size]) => `--${name}: ${size};`),
  ];
  return `${properties.join('\n')}
@layer tokens {
  :root {
    color-scheme: light dark;
    ${values.join('\n    ')}
  }
}
`;
}
