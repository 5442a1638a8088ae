import test from 'ava';
import fc from 'fast-check';
import {
  cut,
  cutLines,
  escapeMarkdown,
  plainLine,
  type Unit,
  withoutMarkup,
} from '#control-plane/delivery/transports/text.ts';

const family = '👩‍👩‍👧‍👦';
const references = (part: string) => part.replaceAll('&', '&amp;');

const cuts: readonly [text: string, max: number, unit: Unit, cut: string][] = [
  ['', 5, 'characters', ''],
  ['abcde', 5, 'characters', 'abcde'],
  ['abcdef', 5, 'characters', 'abcd…'],
  ['a', 1, 'characters', 'a'],
  ['ab', 1, 'characters', '…'],
  ['éééé', 8, 'bytes', 'éééé'],
  ['ééééé', 8, 'bytes', 'éé…'],
  ['abcdefgh', 8, 'bytes', 'abcdefgh'],
  ['abcdefghi', 8, 'bytes', 'abcde…'],
  [`${family}${family}`, 12, 'characters', `${family}…`],
  [family, 10, 'characters', '…'],
  ['e\u0301e\u0301e\u0301', 4, 'characters', 'e\u0301…'],
  ['\ud83d', 5, 'characters', '\ufffd'],
];
for (const [text, max, unit, expected] of cuts)
  test(`${JSON.stringify(text)} within ${max} ${unit} is ${JSON.stringify(expected)}`, t => {
    t.is(cut(text, max, unit), expected);
  });

test('what escaping makes of a character is never cut, and counts as much as it takes', t => {
  t.is(cut('&&', 10, 'characters', references), '&amp;&amp;');
  t.is(cut('&&&', 10, 'characters', references), '&amp;…');
  t.is(cut('a&b', 6, 'characters', references), 'a…');
});

test('a text far longer than its limit is not read to its end', t => {
  let written = 0;
  const counting = (part: string) => {
    written += part.length;
    return part;
  };
  cut('x'.repeat(1_000_000), 100, 'characters', counting);
  t.true(written <= 102, `${written}`);
});

test('lines follow each other until one does not fit, and nothing follows a line that was cut', t => {
  const lines = ['first line', 'second line', 'third'];
  t.is(cutLines(lines, 100), 'first line\nsecond line\nthird');
  t.is(cutLines(lines, 28), 'first line\nsecond line', 'less than eight characters are left');
  t.is(cutLines(lines, 20), 'first line\nsecond l…');
  t.is(cutLines(lines, 7), '', 'too little for anything');
  t.is(cutLines([], 100), '');
  t.is(cutLines(['a', 'b'], 100, { join: '<br>' }), 'a<br>b');
  t.is(cutLines(['waits…', 'goes on'], 100), 'waits…\ngoes on', 'an ellipsis of its own ends nothing');
  t.is(cutLines(['<b>', '&'], 100, { write: references }), '<b>\n&amp;');
});

const lines: readonly [text: string, plain: string][] = [
  ['as it is', 'as it is'],
  ['  around  ', 'around'],
  ['two\nlines', 'two lines'],
  ['two\r\n\r\nlines', 'two lines'],
  ['a\u0000b\u001b[31mc', 'a b [31mc'],
  ['\u202egnp.exe', 'gnp.exe'],
  ['a\u2066b\u2069c', 'a b c'],
  ['a\u2028b\u2029c', 'a b c'],
  ['\u007f\u0085', ''],
  ['lone \ud800', 'lone \ufffd'],
  [`${family} ünï`, `${family} ünï`],
];
for (const [text, plain] of lines)
  test(`${JSON.stringify(text)} on one line is ${JSON.stringify(plain)}`, t => {
    t.is(plainLine(text), plain);
    t.is(plainLine(plain), plain, 'which stays as it is');
  });

test('Markdown has nothing to format, link or mention in an escaped text, which reads as before', t => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'\\`*_{}[]()#+-.!|<>~:@a b'), maxLength: 20 }), text => {
      const escaped = escapeMarkdown(text);
      const bare = escaped.replace(/\\[\\`*_{}[\]()#+\-.!|<>~:]/g, '');
      return !/[\\`*_{}[\]()#+\-.!|<>~:]|@(?!\u200b)/.test(bare) && escaped.replace(/\\(.)|\u200b/g, '$1') === text;
    }),
    { numRuns: 200 },
  );
  t.pass();
});

test('however a text is cut, what is left of it is its beginning, whole characters within the limit', t => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'é', '&', family, '\ud83d\ude00', ' '), maxLength: 40 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 3, max: 80 }), fc.constantFrom('characters', 'bytes'), (text, max, unit) => {
      const written = cut(text, max, unit as Unit, references);
      const size = unit === 'bytes' ? Buffer.byteLength(written) : written.length;
      const kept = written.replace(/…$/, '').replaceAll('&amp;', '&');
      return size <= max && text.startsWith(kept) && written.isWellFormed() && (kept === text || written.endsWith('…'));
    }),
    { numRuns: 300 },
  );
  t.pass();
});

const marked: readonly [text: string, shown: string][] = [
  ['@all @**ada**', '@\u2060all @\u2060∗∗ada∗∗'],
  ['[x](https://evil.example)', '[x]\u2060(https://evil.example)'],
  ['<https://evil.example|x>', '<\u2060https://evil.example|x>'],
  ['#general :fire: $$x$$', '#\u2060general :\u2060fire: $\u2060$x$\u2060$'],
  ['a~~b~~c `d` _e_', 'a∼∼b∼∼c ˋdˋ ＿e＿'],
  ['> quote', '› quote'],
  ['09:30:00 a_b 2 < 3', '09:30:00 a_b 2 < 3'],
];
for (const [text, shown] of marked)
  test(`${text} is shown as it is written where Markdown knows no escapes`, t => t.is(withoutMarkup(text), shown));
