import test from 'ava';
import fc from 'fast-check';
import { contrastOf, type Hex, parseHex, readableOn, shadeFor } from '#control-plane/platform/design/contrast.ts';
import { pageTokens } from '#control-plane/platform/design/tokens.ts';
import { tones } from '#control-plane/platform/design/tones.ts';
import { brandOf } from '#control-plane/publishing/status-pages/render/brand.ts';
import { contrast } from '#test/support/contrast.ts';

const colours = fc.integer({ min: 0, max: 0xffffff }).map(value => `#${value.toString(16).padStart(6, '0')}` as Hex);

test('contrast is that of WCAG, and anything but a colour has none', t => {
  t.is(contrastOf('#000000', '#ffffff'), 21);
  fc.assert(
    fc.property(colours, colours, (left, right) => {
      t.true(Math.abs(contrastOf(left, right) - contrast(left, right)) < 1e-9);
    }),
  );
  t.is(contrastOf('red', '#ffffff'), 1);
  t.deepEqual(['#ABCDEF', '#abc', 'red', '#1234567'].map(parseHex), ['#abcdef', null, null, null]);
});

test('black or white can be read on every colour', t => {
  fc.assert(fc.property(colours, colour => t.true(contrastOf(readableOn(colour), colour) >= 4.5)));
});

test('a shade is the colour itself where that is good, else the nearest good one on the way', t => {
  t.is(
    shadeFor('#112233', '#000000', () => true),
    '#112233',
  );
  t.is(
    shadeFor('#112233', '#000000', () => false),
    '#000000',
  );
  t.is(
    shadeFor('#ffffff', '#000000', shade => contrastOf(shade, '#ffffff') >= 4.5),
    '#757575',
  );
});

test('whatever the brand colour is, links and buttons can be read in both themes', t => {
  fc.assert(
    fc.property(colours, colour => {
      const brand = brandOf(colour);
      t.true(contrast(brand?.onFill ?? '', brand?.fill ?? '') >= 4.5);
      for (const theme of ['light', 'dark'] as const) {
        const link = brand?.link[theme] ?? '';
        const on = (name: string) => contrast(link, pageTokens[name]?.[theme] ?? '');
        t.true(on('page') >= 4.5 && on('surface') >= 4.5, `${colour} ${link} ${theme}`);
        for (const tone of tones) t.true(on(`${tone}-tint`) >= 3, `${colour} ${link} ${tone} ${theme}`);
      }
    }),
  );
});

test('what is not a colour is no brand', t => {
  for (const text of [null, '', 'red', '#fff', '#12345g', '#123456;}*{x:y']) t.is(brandOf(text), null);
});
