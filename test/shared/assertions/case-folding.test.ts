import test from 'ava';
import fc from 'fast-check';
import { assertionSchema } from '#shared/assertions/assertion.ts';
import { foldCase } from '#shared/assertions/case-folding.ts';
import { evaluate } from '#shared/assertions/evaluate.ts';
import { timesAsLong } from '#test/support/thread-time.ts';

/** Whether a body contains a value, in any case. */
async function isFound(body: string, value: string): Promise<boolean> {
  const assertion = assertionSchema.parse({ type: 'body_contains', value, case_insensitive: true });
  const response = { statusCode: 200, headers: new Map(), bodyText: body, truncated: false };
  return (await evaluate([assertion], response, async () => []))[0]?.passed === true;
}

const cases: [body: string, value: string, isFound: boolean][] = [
  ['<p>ΟΔΟΣ</p>', 'ΟΔΟΣ', true],
  ['<p>ΟΔΟΣ</p>', 'οδος', true],
  ['<p>οδος</p>', 'ΟΔΟΣ', true],
  ['ΟΔΟΣ.', 'ΟΔΟΣΑ', false],
  ['ΟΔΟΣΑ', 'οδος', true],
  ['ΠΡΟΣ ΤΟ', 'προς', true],
  ['İstanbul', 'İSTANBUL', true],
  ['İstanbul', 'istanbul', false],
  ['İSTANBUL ΟΔΟΣ', 'stanbul οδος', true],
  ['i\u0307stanbul', 'İstanbul', false],
  ['ısı', 'ISI', false],
  ['Straße', 'STRAẞE', true],
  ['STRASSE', 'straße', false],
  ['Waſſer', 'WASSER', true],
  ['5 \u212a', '5 k', true],
  ['10 µm', '10 ΜM', true],
  ['ǅ', 'ǆ', true],
  ['ﬆ', 'ﬅ', true],
  ['\u1fd3', '\u0390', true],
  ['Ꭰ', 'ꭰ', true],
  ['𐐀', '𐐨', true],
  ['\ufb01', 'FI', false],
];
for (const [body, value, found] of cases)
  test(`"${body}" ${found ? 'contains' : 'does not contain'} "${value}" in any case`, async t => {
    t.is(await isFound(body, value), found);
  });

test('two characters fold to the same if and only if Unicode patterns that ignore case take them for the same', t => {
  const cased: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    if (code < 0xd800 || code > 0xdfff) if (isCased(character)) cased.push(character);
  }
  const all = cased.join('');
  const groups = new Set<string>();
  for (const character of cased) {
    const code = character.codePointAt(0)?.toString(16);
    const same = all.match(new RegExp(`\\u{${code}}`, 'giu')) ?? [];
    groups.add(same.join(''));
    t.is(new Set(same.map(foldCase)).size, 1, same.join(' '));
  }
  t.true(cased.length > 2800);
  t.is(new Set(cased.map(foldCase)).size, groups.size);
});

function isCased(character: string): boolean {
  return character.toLowerCase() !== character || character.toUpperCase() !== character;
}

test('a text is folded character by character, and keeps its length', t => {
  const unit = fc.oneof(
    fc.constantFrom('Σ', 'ς', 'İ', 'ı', 'ß', 'ẞ', 'ſ', 'K', '𐐀', ' ', '\ud800'),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 20 }), units => {
      const text = units.join('');
      t.is(foldCase(text), Array.from(text, foldCase).join(''));
      t.is(foldCase(text).length, text.length);
    }),
  );
});

test('no text takes many times as long to fold as to be looked through four times', async t => {
  for (const unit of [
    'Hello World ',
    'Grün Straße ',
    'ΟΔΟΣ οδος ',
    'Σ',
    'ς',
    'µ',
    'İ',
    'İa',
    '中文 Hello ',
    'ᲀ',
    '𐐀',
  ]) {
    const text = unit.repeat(Math.ceil(4_194_304 / unit.length));
    // A dotted İ splits the text.
    const limit = unit.startsWith('İ') ? 12 : 3;
    const times = await timesAsLong(
      limit,
      () => sumOfCodes(text),
      () => foldCase(text),
    );
    t.true(times < limit, `${unit}: ${times} times as long`);
  }
});

function sumOfCodes(text: string): number {
  let sum = 0;
  for (let pass = 0; pass < 4; pass++) for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at);
  return sum;
}
