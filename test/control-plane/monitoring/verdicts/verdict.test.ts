import test from 'ava';
import fc from 'fast-check';
import { verdictOf } from '#control-plane/monitoring/verdicts/verdict.ts';
import type { VoteValue } from '#shared/vocabulary.ts';

const vote = fc.constantFrom<VoteValue>('up', 'warn', 'down', 'unknown');
const observation = fc
  .array(vote, { minLength: 1, maxLength: 32 })
  .chain(votes => fc.record({ votes: fc.constant(votes), quorum: fc.integer({ min: 1, max: votes.length }) }));

for (const [votes, quorum, verdict] of [
  [['up', 'up', 'up'], 2, 'up'],
  [['up', 'up', 'down'], 2, 'up'],
  [['up', 'down', 'down'], 2, 'down'],
  [[], 1, 'undetermined'],
  [['up', 'unknown', 'unknown'], 2, 'undetermined'],
  [['up', 'up', 'unknown'], 2, 'up'],
  [['up', 'down', 'unknown'], 2, 'undetermined'],
  [['down', 'unknown', 'unknown'], 2, 'undetermined'],
  [['down', 'down', 'unknown'], 2, 'down'],
  [['up', 'warn', 'down'], 2, 'degraded'],
  [['warn', 'warn', 'up'], 2, 'degraded'],
  [['warn', 'up', 'up'], 2, 'up'],
  [['unknown', 'unknown', 'unknown'], 2, 'undetermined'],
  [['warn'], 1, 'degraded'],
  [['down', 'up', 'up', 'up'], 1, 'down'],
] as const) {
  test(`${votes.join(' ')} with quorum ${quorum} is ${verdict}`, t => {
    t.is(verdictOf(votes, quorum), verdict);
  });
}

test('the order of votes does not matter', t => {
  fc.assert(
    fc.property(observation, ({ votes, quorum }) => verdictOf(votes, quorum) === verdictOf(votes.toReversed(), quorum)),
  );
  t.pass();
});

test('no data is never up and never down', t => {
  fc.assert(
    fc.property(observation, ({ votes, quorum }) => {
      const silent = votes.map((): VoteValue => 'unknown');
      return verdictOf(silent, quorum) === 'undetermined';
    }),
  );
  t.pass();
});

test('a vote that is lost never brings a monitor down, and never brings it up from down', t => {
  fc.assert(
    fc.property(observation, fc.nat(), ({ votes, quorum }, index) => {
      const lost = votes.with(index % votes.length, 'unknown');
      const [before, after] = [verdictOf(votes, quorum), verdictOf(lost, quorum)];
      if (after === 'down') return before === 'down';
      return !(before === 'down' && (after === 'up' || after === 'degraded'));
    }),
  );
  t.pass();
});

test('up is said only when the missing votes could not make a quorum', t => {
  fc.assert(
    fc.property(observation, ({ votes, quorum }) => {
      const verdict = verdictOf(votes, quorum);
      const worst = votes.map(value => (value === 'unknown' ? 'down' : value));
      return (verdict !== 'up' && verdict !== 'degraded') || verdictOf(worst, quorum) !== 'down';
    }),
  );
  t.pass();
});

/** Every way in which the unknown votes can turn out. */
function completionsOf(votes: readonly VoteValue[]): VoteValue[][] {
  return votes.reduce<VoteValue[][]>(
    (completions, vote) =>
      completions.flatMap(completion =>
        (vote === 'unknown' ? (['up', 'warn', 'down'] as const) : [vote]).map(value => [...completion, value]),
      ),
    [[]],
  );
}

test('for any n and k every completion of the missing votes agrees on the verdict, or it is undetermined', t => {
  const few = fc
    .array(vote, { minLength: 1, maxLength: 6 })
    .chain(votes => fc.tuple(fc.constant(votes), fc.integer({ min: 1, max: votes.length })));
  fc.assert(
    fc.property(few, ([votes, quorum]) => {
      const isDown = completionsOf(votes).map(
        completion => completion.filter(value => value === 'down').length >= quorum,
      );
      const notPlainlyUp = votes.filter(value => value === 'warn' || value === 'down').length >= quorum;
      const good = notPlainlyUp ? 'degraded' : 'up';
      const expected = isDown.every(Boolean) ? 'down' : isDown.some(Boolean) ? 'undetermined' : good;
      t.is(verdictOf(votes, quorum), expected);
    }),
    { numRuns: 500 },
  );
});
