import test from 'ava';
import fc from 'fast-check';
import { parseSelector, SelectorError } from '#control-plane/platform/selectors/parse.ts';
import { matches } from '#control-plane/platform/selectors/selector.ts';
import { judgeSelector } from '#test/oracles/selector.ts';
import { almostSelectors, labels, selectors } from '#test/support/selectors.ts';

const long = (length: number, letter = 'a') => letter.repeat(length);
const many = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`).join(',');

const valid: [text: string, terms: [key: string, operator: string, values: string[]][]][] = [
  ['*', []],
  [' * ', []],
  ['env', [['env', 'exists', []]]],
  ['! env', [['env', 'not_exists', []]]],
  ['env=prod', [['env', 'in', ['prod']]]],
  ['env == "a \\"b\\""', [['env', 'in', ['a "b"']]]],
  ['env != ""', [['env', 'not_in', ['']]]],
  [
    'env in (a, b),team notin ( c )',
    [
      ['env', 'in', ['a', 'b']],
      ['team', 'not_in', ['c']],
    ],
  ],
  ['in in (in)', [['in', 'in', ['in']]]],
  [
    'in,notin',
    [
      ['in', 'exists', []],
      ['notin', 'exists', []],
    ],
  ],
  [
    '@kind=http,!@id',
    [
      ['@kind', 'in', ['http']],
      ['@id', 'not_exists', []],
    ],
  ],
  ['u=https://a.example:80/+b', [['u', 'in', ['https://a.example:80/+b']]]],
  ['x="\\ud800"', [['x', 'in', ['\ufffd']]]],
  [long(63), [[long(63), 'exists', []]]],
  [`x=${long(200)}`, [['x', 'in', [long(200)]]]],
  [`x="${'\\u0061'.repeat(140)}"`, [['x', 'in', [long(140)]]]],
];
for (const [text, terms] of valid)
  test(`${JSON.stringify(text.slice(0, 60))} is a selector`, t => {
    const expected = terms.map(([key, operator, values]) => ({ key, operator, values }));
    t.deepEqual(parseSelector(text).terms as unknown, expected);
  });

test('20 terms of 50 values are the most', t => {
  t.is(parseSelector(many(20)).terms.length, 20);
  t.is(parseSelector(`x in (${many(50)})`).terms[0]?.values.length, 50);
});

const wrong: [text: string, message: string][] = [
  ['', 'column 1: expected a label or one of @id, @name, @kind'],
  ['  ', 'column 3: expected a label or one of @id, @name, @kind'],
  ['Env', 'column 1: expected a label or one of @id, @name, @kind'],
  ['env,', 'column 5: expected a label or one of @id, @name, @kind'],
  ['env, *', 'column 6: expected a label or one of @id, @name, @kind'],
  ['*, env', 'column 2: * must stand alone'],
  ['env prod', 'column 5: expected a comma or the end'],
  ['env=', 'column 5: expected a value'],
  ['env=ü', 'column 5: expected a value'],
  ['env="a', 'column 5: expected a value'],
  ['env="\\x"', 'column 5: expected a JSON string'],
  ['env="\\u0000"', 'column 5: a value must not contain control characters'],
  ['env="\\u0085"', 'column 5: a value must not contain control characters'],
  ['env in(a)', 'column 5: expected a comma or the end'],
  ['env in a', 'column 8: expected ( after a blank'],
  ['env in ()', 'column 9: expected a value'],
  ['env in (a b)', 'column 11: expected a comma or )'],
  ['env in (a', 'column 10: expected a comma or )'],
  ['@ids', 'column 1: expected one of @id, @name, @kind'],
  ['env\n', 'column 4: expected a comma or the end'],
  [long(64), 'column 1: the key of a label has at most 63 characters'],
  [`x=${long(201)}`, 'column 3: a value has at most 200 characters'],
  [many(21), 'column 71: a selector has at most 20 terms'],
  [`x in (${many(51)})`, 'column 197: a term has at most 50 values'],
];
for (const [text, message] of wrong)
  test(`${JSON.stringify(text.slice(0, 60))} is refused at its column`, t => {
    t.is(t.throws(() => parseSelector(text), { instanceOf: SelectorError })?.message, message);
  });

const subject = fc.record({
  id: fc.constantFrom('mon_1', 'mon_2'),
  name: fc.constantFrom('Shop', 'back end', ''),
  kind: fc.constant('http'),
  labels,
});

test('random selectors match what an independent evaluator says', t => {
  fc.assert(
    fc.property(selectors, subject, (text, monitor) => {
      t.is(judge(text, monitor), judgeSelector(text, monitor), text);
      t.not(judge(text, monitor), null, text);
    }),
    { numRuns: 2000 },
  );
});

test('texts of the same tokens are selectors exactly if an independent reader takes them', t => {
  fc.assert(
    fc.property(almostSelectors, subject, (text, monitor) => {
      t.is(judge(text, monitor), judgeSelector(text, monitor), text);
    }),
    { numRuns: 5000 },
  );
});

function judge(text: string, monitor: Parameters<typeof matches>[1]): boolean | null {
  try {
    return matches(parseSelector(text), monitor);
  } catch (error) {
    if (error instanceof SelectorError) return null;
    throw error;
  }
}
