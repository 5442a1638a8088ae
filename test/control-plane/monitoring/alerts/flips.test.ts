import test from 'ava';
import fc from 'fast-check';
import { verdictOf } from '#control-plane/monitoring/verdicts/verdict.ts';
import { flipsOf } from '#control-plane/on-call/explain/explain.ts';
import { voteValues } from '#shared/vocabulary.ts';

test('the single votes that would change a verdict are those that do, and no other', t => {
  const votes = fc.array(fc.record({ vote: fc.constantFrom(...voteValues), counted: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(votes, fc.integer({ min: 1, max: 6 }), (list, most) => {
      const quorum = Math.min(most, list.length);
      const named = list.map((one, index) => ({ ...one, region: `r${index}` }));
      const verdictWith = (region: string, vote: (typeof voteValues)[number]) =>
        verdictOf(
          named.map(one => (one.region === region ? vote : one.counted ? one.vote : 'unknown')),
          quorum,
        );
      const flips = new Set(flipsOf(named, quorum).map(({ region, vote, verdict }) => `${region} ${vote} ${verdict}`));
      for (const { region } of named)
        for (const vote of ['up', 'down', 'unknown'] as const) {
          const changed = verdictWith(region, vote);
          const isFlip = changed !== verdictWith('none', 'up');
          t.is(flips.delete(`${region} ${vote} ${changed}`), isFlip, `${region} ${vote}`);
        }
      t.is(flips.size, 0);
    }),
    { numRuns: 200 },
  );
});
