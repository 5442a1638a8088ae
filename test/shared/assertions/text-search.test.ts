import test from 'ava';
import fc from 'fast-check';
import { newBudget } from '#shared/assertions/budget.ts';
import { includesText } from '#shared/assertions/text-search.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const of = (letters: string, length: object) =>
  fc.array(fc.constantFrom(...letters), length).map(characters => characters.join(''));

for (const letters of ['a', 'ab', 'abc', 'aé€', 'ab😀'])
  test(`of the characters ${letters} a text includes what String.includes finds`, t => {
    const text = of(letters, { minLength: 100, maxLength: 600 });
    fc.assert(
      fc.property(text, of(letters, { maxLength: 40 }), fc.nat(), (whole, needle, at) => {
        const part = whole.slice(at % whole.length, (at % whole.length) + 40);
        for (const sought of [needle, part, part + needle, `${part.slice(1)}a`])
          t.is(includesText(whole, sought), whole.includes(sought), sought);
      }),
    );
  });

const almost: [what: string, text: string, needle: string][] = [
  ['at the very end', `${'a'.repeat(5000)}b`, `${'a'.repeat(4000)}b`],
  ['nowhere', 'a'.repeat(5000), `${'a'.repeat(4000)}b`],
  ['nowhere, after a common start', 'ab'.repeat(2500), `${'ab'.repeat(1000)}b`],
  ['in the middle', `${'ab'.repeat(2500)}c${'ab'.repeat(2500)}`, `${'ab'.repeat(1000)}c${'ab'.repeat(500)}`],
  ['in a shorter text', 'a'.repeat(20), 'a'.repeat(21)],
  ['in the same text', 'abcdefghij', 'abcdefghij'],
];
for (const [what, text, needle] of almost)
  test(`a needle that almost matches often is found ${what}`, t => {
    t.is(includesText(text, needle), text.includes(needle));
  });

const mib = 'a'.repeat(1_048_576);
for (const [what, needle] of [
  ['a mismatch at its second character', `ab${'a'.repeat(8190)}`],
  ['a mismatch at its end', `${'a'.repeat(8190)}b`],
  ['a mismatch in its middle', `${'a'.repeat(4000)}b${'a'.repeat(4000)}`],
] as const)
  test(`8,192 characters with ${what} are sought in less than a second`, async t => {
    const ms = await leastThreadMs(1000, () => t.false(includesText(mib, needle)));
    t.true(ms < 1000, `${ms} ms`);
  });

test('a search costs the budget in proportion to the text, and more where the needle almost matches', t => {
  const costOf = (text: string, needle: string) => {
    const budget = newBudget();
    const { steps } = budget;
    includesText(text, needle, budget);
    return steps - budget.steps;
  };
  const half = mib.slice(0, mib.length / 2);
  t.is(costOf(mib, 'b'.repeat(100)), 2 * costOf(half, 'b'.repeat(100)));
  t.true(costOf(mib, `${'a'.repeat(99)}b`) > 4 * costOf(mib, 'b'.repeat(100)));
  t.true(50 * costOf(mib, 'b'.repeat(100)) < newBudget().steps, 'fifty ordinary needles in a MiB are all sought');
});
