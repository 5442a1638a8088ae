import test from 'ava';
import fc from 'fast-check';
import { searchPattern } from '#control-plane/monitoring/monitors/search-pattern.ts';
import { foldForSearch } from '#shared/search-folding.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

/** Tells what the pattern finds, without a database: its escapes are written otherwise here. */
const isFound = (part: string, text: string) =>
  new RegExp(
    searchPattern(part)
      .replaceAll(/\\[uU](\w{8}|\w{4})/g, '\\u{$1}')
      .replaceAll('u{000', 'u{'),
    'u',
  ).test(text);

const folded: [text: string, folded: string][] = [
  ['ΟΔΟΣ', 'οδοσ'],
  ['οδος', 'οδοσ'],
  ['Straße', 'strasse'],
  ['STRAẞE', 'strasse'],
  ['İı', 'ii'],
  ['ﬃ Waſſer', 'ffi wasser'],
  ['µ\u212aΩ', 'μkω'],
  ['Ǆǅ 𐐀 Ꭰꭰ', 'ǆǆ 𐐨 ꭰꭰ'],
  ['naïve 中文 🥝 \ud800', 'naïve 中文 🥝 \ud800'],
];
for (const [text, expected] of folded)
  test(`${JSON.stringify(text)} is searched as ${JSON.stringify(expected)}`, t => {
    t.is(foldForSearch(text), expected);
    t.is(foldForSearch(foldForSearch(text)), expected);
  });

test('a pattern finds a part exactly if the folded text contains the folded part', t => {
  const characters = ['s', 'S', 'ß', 'ẞ', 'ſ', 't', 'ﬆ', 'f', 'ﬀ', 'ﬃ', 'i', 'I', 'İ', 'ı', 'σ', 'Σ', 'ς', 'ΐ', 'ι'];
  const unit = fc.constantFrom(...characters, '𐐀', '𐐨', '.', '\\', '[', 'ŉ', 'n', 'é', 'É', '🥝');
  const text = (minLength: number, maxLength: number) => fc.string({ unit, minLength, maxLength });
  fc.assert(
    fc.property(text(0, 10), text(1, 5), (name, part) => {
      // Of longer runs of such letters one way to write them may be missing.
      fc.pre(foldForSearch(part).length <= 6);
      t.is(isFound(part, name), foldForSearch(name).includes(foldForSearch(part)), `${part} in ${name}`);
    }),
    { numRuns: 2000 },
  );
});

test('the pattern of any search of a hundred characters is short, and soon made', async t => {
  const ms = await leastThreadMs(1000, () => {
    for (const part of ['s'.repeat(100), 'ssff'.repeat(25), 'ﬃ'.repeat(100), '🥝'.repeat(50), 'ΐ'.repeat(100)])
      t.true(searchPattern(part).length < 50_000, `${searchPattern(part).length} characters for ${part}`);
  });
  t.true(ms < 1000, `${ms} ms`);
});
