import type { Tone } from './words.ts';

/** `fill` for shapes and bars, `ink` for words, `tint` behind a headline. */
export type ToneColours = { fill: string; ink: string; tint: string };
export type Palette = {
  ground: string;
  surface: string;
  text: string;
  muted: string;
  line: string;
  control: string;
  link: string;
  button: string;
  onButton: string;
  /** The sign on a filled shape. */
  sign: string;
  tones: Record<Tone, ToneColours>;
};

const blue = { fill: '#2f6fdb', ink: '#1d53ad', tint: '#e9f0fd' };
const darkBlue = { fill: '#5b93f5', ink: '#93b8ff', tint: '#131f36' };

export const light: Palette = {
  ground: '#f6f7f9',
  surface: '#ffffff',
  text: '#14181d',
  muted: '#555d67',
  line: '#e1e5ea',
  control: '#7d8691',
  link: '#0b57c2',
  button: '#14181d',
  onButton: '#ffffff',
  sign: '#ffffff',
  tones: {
    ok: { fill: '#188a55', ink: '#0b6b3f', tint: '#e6f5ec' },
    slow: { fill: '#a87500', ink: '#755200', tint: '#fcf3da' },
    part: { fill: '#d4560b', ink: '#9c3c04', tint: '#fdede1' },
    down: { fill: '#cf2a33', ink: '#ad1b25', tint: '#fdeaea' },
    work: blue,
    none: { fill: '#78818c', ink: '#555d67', tint: '#eef0f3' },
    note: blue,
  },
};

export const dark: Palette = {
  ground: '#0d1013',
  surface: '#15191e',
  text: '#eceff2',
  muted: '#a3acb7',
  line: '#2a313a',
  control: '#727c88',
  link: '#8ab6ff',
  button: '#eceff2',
  onButton: '#0d1013',
  sign: '#0d1013',
  tones: {
    ok: { fill: '#2fb574', ink: '#5ed69b', tint: '#10251b' },
    slow: { fill: '#d3a21b', ink: '#ecc553', tint: '#2a220d' },
    part: { fill: '#f08236', ink: '#ffa163', tint: '#2d1b0f' },
    down: { fill: '#f0565d', ink: '#ff9095', tint: '#301518' },
    work: darkBlue,
    none: { fill: '#7d8691', ink: '#a3acb7', tint: '#1d2329' },
    note: darkBlue,
  },
};

/** As custom properties of the style. */
export function declarations(palette: Palette): string {
  const { tones, ...plain } = palette;
  const own = Object.entries(plain).map(([name, colour]) => `--${name}:${colour}`);
  const toned = Object.entries(tones).flatMap(([tone, colours]) =>
    Object.entries(colours).map(([use, colour]) => `--${tone}-${use}:${colour}`),
  );
  return [...own, ...toned].join(';');
}
