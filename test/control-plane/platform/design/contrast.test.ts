import test from 'ava';
import { dashboardTokens, pageTokens, type Theme } from '#control-plane/platform/design/tokens.ts';
import { tones } from '#control-plane/platform/design/tones.ts';
import { badgeColour } from '#control-plane/publishing/status-pages/render/badge.ts';
import { contrast } from '#test/support/contrast.ts';

type Pair = readonly [front: string, back: string, least: number];

const text = 4.5;
const shape = 3;

/** Every pair of tokens that status pages put upon each other, and the contrast it needs. */
const pagePairs: Pair[] = [
  ...['page', 'surface'].flatMap((back): Pair[] => ['text', 'muted', 'link'].map(front => [front, back, text])),
  ['on-button', 'button', text],
  ['control', 'surface', shape],
  ['control', 'page', shape],
  ...tones.flatMap((tone): Pair[] => [
    ['text', `${tone}-tint`, text],
    ['muted', `${tone}-tint`, text],
    ['link', `${tone}-tint`, shape],
    ['control', `${tone}-tint`, shape],
    [`${tone}-ink`, 'surface', text],
    ...['surface', 'page', `${tone}-tint`].map((back): Pair => [`${tone}-fill`, back, shape]),
    // The icon for missing data is an outline: its sign is not on a fill.
    ...(tone === 'none' ? [] : [['sign', `${tone}-fill`, shape] as const]),
  ]),
];

const dashboardPairs: Pair[] = [
  ...['page', 'surface', 'none-tint'].flatMap((back): Pair[] => [
    ['text', back, text],
    ['muted', back, text],
  ]),
  ...['ok', 'slow', 'down', 'none'].flatMap((tone): Pair[] => [
    [`${tone}-ink`, `${tone}-tint`, text],
    [`${tone}-ink`, 'surface', text],
  ]),
  ['unknown-ink', 'unknown-tint', text],
  ['unknown-ink', 'surface', text],
  ['accent', 'accent-tint', text],
  ['accent', 'surface', text],
  ['accent', 'page', text],
  ['on-accent', 'accent', text],
  ['control', 'surface', shape],
  ['bar-ok', 'surface', shape],
  // Amber as bright as a warning is expected to be: the bar's notch and its text say the same.
  ['bar-slow', 'surface', 2.3],
  ['down-fill', 'surface', shape],
  ...[1, 2, 3, 4, 5, 6].map((number): Pair => [`series-${number}`, 'surface', shape]),
];

const users = { 'status pages': [pageTokens, pagePairs], 'the dashboard': [dashboardTokens, dashboardPairs] } as const;

for (const [user, [tokens, pairs]] of Object.entries(users))
  for (const theme of ['light', 'dark'] as const satisfies Theme[])
    test(`colours that ${user} put upon each other have enough contrast: ${theme}`, t => {
      for (const [front, back, least] of pairs) {
        const found = contrast(tokens[front]?.[theme] ?? '', tokens[back]?.[theme] ?? '');
        t.true(found >= least, `${front} on ${back}: ${found.toFixed(2)}`);
      }
    });

test('white text on a badge has enough contrast', t => {
  for (const tone of tones) t.true(contrast('#ffffff', badgeColour(tone)) >= text, tone);
});
