import test from 'ava';
import { badgeColours } from '#control-plane/status-pages/render/badge.ts';
import { dark, light, type Palette } from '#control-plane/status-pages/render/palette.ts';
import { styleFor } from '#control-plane/status-pages/render/style.ts';

const channel = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);

/** Relative luminance and contrast of WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at =>
    channel(Number.parseInt(colour.slice(at, at + 2), 16) / 255),
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (high + 0.05) / (low + 0.05);
}

/** Every pair of colours that the style puts upon each other, and what it needs. */
function pairs(palette: Palette): [name: string, one: string, other: string, least: number][] {
  const { ground, surface, text, muted, link, button, onButton, control, sign, tones } = palette;
  const all = Object.entries(tones);
  return [
    ...[ground, surface].flatMap(under =>
      Object.entries({ text, muted, link }).map(([name, over]) => [`${name} on ${under}`, over, under, 4.5] as const),
    ),
    ['button', onButton, button, 4.5] as const,
    ['edge of a field', control, surface, 3] as const,
    ['edge of a button', control, ground, 3] as const,
    ...all.flatMap(([tone, { fill, ink, tint }]) => [
      [`text on ${tone}`, text, tint, 4.5] as const,
      [`point on ${tone}`, muted, tint, 4.5] as const,
      [`focus on ${tone}`, link, tint, 3] as const,
      [`edge on ${tone}`, control, tint, 3] as const,
      [`words in ${tone}`, ink, surface, 4.5] as const,
      ...[surface, ground, tint].map(under => [`shape of ${tone} on ${under}`, fill, under, 3] as const),
      ...(tone === 'none' ? [] : [[`sign of ${tone}`, sign, fill, 3] as const]),
    ]),
  ].map(pair => [...pair]);
}

for (const [theme, palette] of Object.entries({ light, dark }))
  test(`every pair of colours is clear enough: ${theme}`, t => {
    const weak = pairs(palette).filter(([, one, other, least]) => contrast(one, other) < least);
    t.deepEqual(
      weak.map(([name, one, other]) => `${name}: ${contrast(one, other).toFixed(2)}`),
      [],
    );
  });

test('words on a badge are clear', t => {
  for (const [tone, colour] of Object.entries(badgeColours)) t.true(contrast('#ffffff', colour) >= 4.5, tone);
});

test('the style takes its colours from the palettes alone, and a fixed theme has one', t => {
  const known = new Set(
    [light, dark].flatMap(({ tones, ...plain }) => [
      ...Object.values(plain),
      ...Object.values(tones).flatMap(Object.values<string>),
    ]),
  );
  t.deepEqual(
    [...styleFor('auto').matchAll(/#[0-9a-f]{3,8}\b/gi)].map(([colour]) => colour).filter(colour => !known.has(colour)),
    [],
  );
  t.false(styleFor('light').includes(dark.ground));
  t.notRegex(styleFor('dark'), /prefers-color-scheme/);
});

test('the style loads nothing', t => {
  t.notRegex(styleFor('auto'), /url\(|@import|image-set|</);
});
