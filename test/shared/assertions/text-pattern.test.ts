import test from 'ava';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { newBudget } from '#shared/assertions/budget.ts';
import { isPattern, matchesPattern, matchPattern, type PatternOutcome } from '#shared/assertions/text-pattern.ts';
import { leastThreadMs, timesAsLong } from '#test/support/thread-time.ts';

const hostile = [
  '(?i)(?:[\\pL]{1,50})\\d',
  '(?i)(?:[\\pL]{1,25}){2}\\d',
  '(a*)*$\\d',
  '(\\w+\\s?)+$\\d',
  '((([ab]*)*)*)*[^ab]',
  '(?:[a-z]?){500}[0-9]',
  '[a-q][^u-z]{13,200}[0-9]',
  '(x+x+)+[^x]',
];

for (const pattern of hostile)
  test(`the pattern ${pattern} on a long text is soon decided, also on a thousand of them`, async t => {
    t.true(isPattern(pattern));
    for (const text of ['a'.repeat(20_000), 'ab '.repeat(8000), 'x'.repeat(20_000)]) {
      const texts = Array.from({ length: 1000 }, () => text);
      const ms = await leastThreadMs(1200, () => {
        matchesPattern(pattern, text);
        matchPattern(pattern, texts, newBudget());
      });
      t.true(ms < 1200, `${ms} ms for both`);
    }
  });

const long = 'hay '.repeat(25_000);
const longCases: [pattern: string, text: string, outcome: PatternOutcome][] = [
  ['needle', `${long}needle`, 'match'],
  ['needle$', `${long}needle`, 'match'],
  ['^(hay )+needle$', `${long}needle`, 'match'],
  ['needle', long, 'no_match'],
  ['needle$', `${long}needle `, 'no_match'],
  // Beyond what one assertion may search.
  ['[a-z]?needle', `${long.repeat(10)}needle`, 'not_examined'],
  ['[a-z]?needle', long.repeat(10), 'not_examined'],
  ['ha[a-z]', `${long.repeat(10)}needle`, 'match'],
  ['^hay(?s).*', `${long.repeat(10)}needle`, 'match'],
  // What only the cut makes an end is none.
  ['[h]ay ?h?a?y?$', `${long.repeat(10)}needle`, 'not_examined'],
  ['(?:[hay ]+)\\b\\z', `${long.repeat(10)}needle`, 'not_examined'],
];
for (const [pattern, text, outcome] of longCases)
  test(`${pattern} on ${text.length} characters that end in ${text.slice(-7)}: ${outcome}`, t => {
    t.is(matchPattern(pattern, [text], newBudget()), outcome);
  });

test('wherever a text is cut, the outcome is that of the whole text or not_examined', t => {
  const patterns = fc.constantFrom(
    'b$',
    'a+$',
    '\\bb',
    'a\\b',
    '^a*b?$',
    'ab\\z',
    '😀$',
    '.$',
    'a\\Bb',
    '(?m)a$',
    'b.*',
    '\\pL',
  );
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '😀', '\n'), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(patterns, text, fc.nat(7), (pattern, end, odd) => {
      // About three million steps are left for the text, wherever that cuts it.
      const whole = `${' '.repeat(odd)}${end.repeat(60_000)}`;
      const outcome = matchPattern(pattern, [whole], newBudget());
      const expected = RE2JS.compile(pattern).matcher(whole).find() ? 'match' : 'no_match';
      t.true(outcome === expected || outcome === 'not_examined', `${pattern}: ${outcome}`);
    }),
    { numRuns: 60 },
  );
});

test('the texts after one that is not searched to its end are not examined either, a match before it counts', t => {
  const texts = [`${long.repeat(10)}`, 'x needle'];
  t.is(matchPattern('[a-z]? needle', texts, newBudget()), 'not_examined');
  t.is(matchPattern('[a-z]? needle', texts.toReversed(), newBudget()), 'match');
});

test('a back reference or an unclosed group is not a valid pattern', t => {
  t.false(isPattern('(a)\\1'));
  t.false(isPattern('(a'));
  t.true(isPattern('^a+$'));
});

test('an everyday pattern is accepted, even with many consecutive repetitions', t => {
  const everyday = [
    '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{1,9}(?:Z|[+-]\\d{2}:\\d{2})$',
    '^(?:\\d{1,3}\\.){3}\\d{1,3}$',
    '(?i)^\\p{Lu}\\p{L}{1,40} \\p{L}{1,40}$',
    'a{1000}',
    '[{}()]{2}\\{1000\\}\\x{41}{3}',
    '"version":\\s*"(?P<major>\\d+)\\.(?:\\d+)"',
  ];
  for (const pattern of everyday) t.true(isPattern(pattern), pattern);
});

test('a pattern that grows beyond 2000 parts, or has more than 20 Unicode classes, is refused', t => {
  const costly = [
    '(\\pL{1000}|\\pN{999})b{2}',
    `(?:${'a'.repeat(1000)}){1000}`,
    '(?:(?:a{20}){20}){6}',
    'a{1000}'.repeat(3),
    `(?i)[${'\\pL'.repeat(21)}]`,
    '(?:[)]b{500}){5}',
    '(?:\\)b{500}){5}',
    `(?:\\Q${'a'.repeat(300)}\\E[[:alpha:])]){9}`,
    `(?:${'a'.repeat(900)})\\Q\\E{400}`,
    `(?:${'a'.repeat(900)})(?i){400}`,
    `(?:${'a'.repeat(900)})*(?i){400}`,
  ];
  for (const pattern of costly) t.false(isPattern(pattern), pattern);
});

test('fifty of the most expensive patterns are validated in about 200 ms', async t => {
  const worst: ((index: number) => string)[] = [
    index => `(?:(a)(b)|c){${270 + (index % 10)}}${index}`,
    index => `a{1000}b{${900 + index}}`,
    index => `(?i)[${'\\pL'.repeat(9)}]{900}${index}`,
    index => `(?i)${'\\pL'.repeat(18)}${index}`,
    index => `(?i)[^${'\\PL\\pN'.repeat(9)}]${index}`,
    index => `(?:a?){600}${index}`,
    index => `(a){0,480}(b){0,${400 + index}}`,
  ];
  for (const make of worst) {
    // Others each time: compiled ones are kept.
    let end = '';
    const ms = await leastThreadMs(1000, () => {
      for (let index = 0; index < 50; index++) t.true(isPattern(make(index) + end), make(index) + end);
      end += 'z';
    });
    t.true(ms < 1000, `${make(0)}: ${ms} ms`);
  }
});

test('every accepted pattern is small when compiled, whatever its parts', t => {
  const parts = ['a', 'b|', '(', '(?:', '(?i)', ')', '*', '?', '{20}', '{0,9}', '{3,}', '[)]', '[^]a(]', '[[:alpha:]]'];
  const odd = ['\\)', '\\{', '\\Q(', '\\E', '\\x{41}', '\\pL', '^', '{', '}', ']', '(?P<n>', '\\\\', '[\\]'];
  const pattern = fc
    .array(fc.constantFrom(...parts, ...parts, ...odd), { maxLength: 40 })
    .map(chosen => `${chosen.join('')}${')'.repeat(chosen.filter(part => /^\((?!\?i)/.test(part)).length)}`);
  const nested = fc.letrec<{ tree: string }>(tie => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom('a', '[)]', '\\w', '(?i)', '\\Q)\\E', 'b?'),
      fc.tuple(tie('tree'), tie('tree')).map(([left, right]) => left + right),
      fc.tuple(tie('tree'), tie('tree')).map(([left, right]) => `(${left}|${right})`),
      fc.tuple(tie('tree'), fc.integer({ min: 0, max: 40 })).map(([part, count]) => `(?:${part}){${count}}`),
      fc.tuple(tie('tree'), fc.integer({ min: 0, max: 40 })).map(([part, count]) => `(${part})*(?i){0,${count}}`),
    ),
  })).tree;
  const small = (text: string) => !isPattern(text) || RE2JS.compile(text).programSize() <= 6000;
  fc.assert(fc.property(fc.oneof(pattern, nested), small), { numRuns: 3000 });
  t.pass();
});

test('an unclosed pattern is refused immediately', async t => {
  const ms = await leastThreadMs(500, () => {
    for (const part of ['\\a', '[:a:]', '[', '\\Q', '(?:', '[:', '\\p{', '{1'])
      t.false(isPattern(`[${part.repeat(200)}`) && isPattern(`(${part.repeat(200)}`), part);
  });
  t.true(ms < 500, `${ms} ms`);
});

test('a pattern is compiled once, and not at all when there is nothing to match', async t => {
  let run = 0;
  const match = (texts: readonly string[]) => {
    for (let index = 0; index < 50; index++) matchPattern(`a{1000}b{${700 + index}}${run}`, texts, newBudget());
  };
  const matchOthers = (texts: readonly string[]) => {
    run += 1;
    match(texts);
  };
  const nothing = await timesAsLong(
    1 / 4,
    () => matchOthers(['b']),
    () => matchOthers([]),
  );
  t.true(nothing < 1 / 4, `${nothing} of the time`);
  const again = await timesAsLong(
    1 / 2,
    () => matchOthers(['b']),
    () => match(['b']),
  );
  t.true(again < 1 / 2, `${again} of the time`);
});

test('many different patterns keep a bounded number of them', t => {
  for (let index = 0; index < 2000; index++) t.true(matchesPattern(`^${index}$`, String(index)));
  t.true(matchesPattern('^0$', '0'));
  t.is(matchPattern('(', ['('], newBudget()), 'invalid');
});
