import type { Tone } from './tones.ts';

// Shapes as path data. Browsers load this file too: it must import nothing but types.

/** One element of an icon: its tag and its attributes. */
export type IconPart = readonly [tag: 'path' | 'circle' | 'rect', attributes: Readonly<Record<string, string>>];

const path = (d: string): IconPart => ['path', { d }];
const circle = (r: string): IconPart => ['circle', { cx: '10', cy: '10', r }];

/**
 * An outline of its own for each tone and the sign within it, both in a 20 × 20 view box: the meaning does not depend
 * on seeing colours.
 */
export const toneIcons: Record<Tone, { outline: IconPart; sign: IconPart }> = {
  ok: { outline: circle('9'), sign: path('m6 10.4 2.8 2.8L14.2 7.4') },
  slow: { outline: path('M10 .8 19.2 10 10 19.2.8 10z'), sign: path('M5.8 11q2.1-3 4.2-1t4.2-1') },
  part: { outline: path('M10 1.2 19.4 18.4H.6z'), sign: path('M10 7.4v4.8M10 15.3v.1') },
  down: { outline: path('M6.2 1h7.6L19 6.2v7.6L13.8 19H6.2L1 13.8V6.2z'), sign: path('m7 7 6 6m0-6-6 6') },
  work: {
    outline: ['rect', { x: '1.2', y: '1.2', width: '17.6', height: '17.6', rx: '4' }],
    sign: path('M7.6 6.4v7.2M12.4 6.4v7.2'),
  },
  none: {
    outline: ['circle', { class: 'ring', cx: '10', cy: '10', r: '8' }],
    sign: ['path', { class: 'ink', d: 'M6.2 10h7.6' }],
  },
  note: { outline: circle('9'), sign: path('M10 9.4v4.6M10 6v.1') },
};

/** The signs alone, drawn for a 10 × 10 view box, where there is no space for an outline. */
export const smallSigns: Record<Tone, string> = {
  ok: 'm1 5.5 3 3 5-6.5',
  slow: 'M.5 6q2.25-4 4.5-1t4.5-1',
  part: 'M5 1v5M5 9v.1',
  down: 'm1.5 1.5 7 7m0-7-7 7',
  work: 'M3 1v8M7 1v8',
  none: 'M1 5h8',
  note: 'M5 4.5v4.5M5 1v.1',
};

/**
 * Filled shapes of one path with the even-odd rule, in a 16 × 16 view box: beside a word, in the colour of the text.
 */
export const glyphs = {
  check: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm3.2 4.3L7 9.5 4.9 7.4 3.8 8.5 7 11.7l5.3-5.3Z',
  triangle: 'M8 1 16 15H0ZM7.1 6l.2 4.4h1.4L8.9 6Zm.9 5.4a.9.9 0 1 0 0 1.8.9.9 0 0 0 0-1.8Z',
  cross: [
    'M5 0h6l5 5v6l-5 5H5l-5-5V5Z',
    'm-.2 5.9L6.9 8l-2.1 2.1 1.1 1.1L8 9.1l2.1 2.1 1.1-1.1L9.1 8l2.1-2.1-1.1-1.1L8 6.9 5.9 4.8Z',
  ].join(''),
  question: [
    'M8 0l8 8-8 8-8-8Zm-2.4 6.2h1.5c0-.5.3-.9.9-.9.5 0 .9.3.9.8 0 .9-1.6 1-1.6 2.6h1.4c0-1.1 1.7-1.2 1.7-2.7 ',
    '0-1.2-1-1.9-2.3-1.9-1.5 0-2.4.9-2.5 2.1ZM8 9.7a.9.9 0 1 0 0 1.8.9.9 0 0 0 0-1.8Z',
  ].join(''),
  ring: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm0 2a5 5 0 1 0 0 10A5 5 0 0 0 8 3Z',
  bars: 'M2 1h4v14H2ZM10 1h4v14h-4Z',
  eye: 'M8 3c4 0 7 3.5 8 5-1 1.5-4 5-8 5S1 9.5 0 8c1-1.5 4-5 8-5Zm0 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z',
  gear: [
    'M6.5 0h3l.4 2 1.5.8 1.9-.8 1.5 2.6-1.5 1.3v1.7l1.5 1.3-1.5 2.6-1.9-.8-1.5.8-.4 2h-3l-.4-2-1.5-.8-1.9.8',
    'L1.2 9.1l1.5-1.3V6.1L1.2 4.8l1.5-2.6 1.9.8 1.5-.8ZM8 5.2A2.8 2.8 0 1 0 8 10.8 2.8 2.8 0 0 0 8 5.2Z',
  ].join(''),
} as const;
export type Glyph = keyof typeof glyphs;
