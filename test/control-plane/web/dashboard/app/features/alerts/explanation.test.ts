import test from 'ava';
import { clockSteps, describeFlips } from '#control-plane/web/dashboard/app/features/alerts/explanation.ts';

const at = (second: number) => new Date(1_795_000_000_000 + second * 1000).toISOString();
const clock = {
  last_good: at(0),
  failing: at(30),
  failed: at(31),
  reported: at(31),
  confirm_asked: null,
  confirmed: [{ region: 'us-east', at: at(32) }],
  quorum: at(32),
  opens: at(32),
  created: at(32),
  told: at(33),
  sent: null,
  unseen_ms: 30_000,
  ms: {},
} as unknown as Parameters<typeof clockSteps>[0];

test('the clock names each instant in its order, with the time since the one before', t => {
  const steps = clockSteps(clock);
  t.deepEqual(
    steps.map(({ name, afterMs }) => [name, afterMs]),
    [
      ['Last good check ended', null],
      ['First failed check started', 30_000],
      ['It failed', 1000],
      ['The failure was reported', 0],
      ['us-east voted down', 1000],
      ['The quorum was reached', 0],
      ['The alert opened', 0],
      ['A message was queued', 1000],
    ],
  );
});

test('a vote that would have changed the verdict is told in a sentence', t => {
  t.is(
    describeFlips([{ region: 'eu', vote: 'up', verdict: 'up' }]),
    'If eu had voted up, the monitor would have been up.',
  );
});
