import test from 'ava';
import type { AgentSession } from '#control-plane/monitoring/agents/hooks.ts';
import { Arrivals } from '#control-plane/monitoring/assignments/arrivals.ts';

const session = {} as AgentSession;

test('the first of those that come is told apart, until they are taken', t => {
  const arrivals = new Arrivals();
  t.true(arrivals.come(session));
  t.false(arrivals.come(session));
  t.is(arrivals.size, 2);
  t.is(arrivals.take().length, 2);
  t.is(arrivals.size, 0);
  t.true(arrivals.come(session));
});

test('nobody is opened after a reading in which others came, except after the fourth', t => {
  const arrivals = new Arrivals();
  arrivals.come(session);
  const opened = [1, 2, 3, 4].map(() => {
    arrivals.begin();
    arrivals.come(session);
    return arrivals.mayOpen(0);
  });
  t.deepEqual(opened, [false, false, false, true]);
});

test('they are opened after a reading in which nobody came, and beside others always', t => {
  const arrivals = new Arrivals();
  arrivals.come(session);
  arrivals.begin();
  t.true(arrivals.mayOpen(0));
  arrivals.begin();
  arrivals.come(session);
  t.true(arrivals.mayOpen(1));
  arrivals.begin();
  arrivals.come(session);
  t.false(arrivals.mayOpen(0), 'when all are gone and come again, they are held again');
});
