import test from 'ava';
import fc from 'fast-check';
import { lifetimeOf, type Rules } from '#control-plane/monitoring/monitors/state/state.ts';
import { advance, nextExpiry, observe, type Standing } from '#control-plane/monitoring/verdicts/timeline.ts';
import { toObservation } from '#control-plane/monitoring/verdicts/vote.ts';
import { dayMs } from '#shared/duration.ts';

const rules: Rules = {
  configVersion: 1,
  regions: ['heartbeat'],
  quorum: 1,
  intervalMs: 60_000,
  timeoutMs: 30_000,
  enabled: true,
  deleted: false,
};
const start: Standing = { rules, verdict: 'pending', since: 0, earliestStart: 0, votes: {} };
const seen = (status: 'ok' | 'err', at: number, region: 'heartbeat' | 'events' = 'heartbeat') =>
  toObservation(
    {
      region,
      status,
      failureSource: status === 'err' ? 'target' : null,
      attempt: 1,
      startedAt: at,
      completedAt: at,
      receivedAt: at,
    },
    lifetimeOf(region, rules),
  );

test('a monitor that no agent checks waits for its first vote without end', t => {
  t.is(nextExpiry(start), null);
  t.is(advance(start, 400 * dayMs).standing.verdict, 'pending');
});

test('a voter’s single failure is down at once, and no vote of it ever runs out', t => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('ok' as const, 'err' as const), fc.integer({ min: 1, max: dayMs }))),
      events => {
        let standing = start;
        let at = 0;
        for (const [status, gap] of events) {
          at += gap;
          standing = observe(standing, seen(status, at)).standing;
          if (standing.verdict !== (status === 'ok' ? 'up' : 'down')) return false;
          if (nextExpiry(standing) !== null) return false;
        }
        return advance(standing, at + 400 * dayMs).changes.length === 0;
      },
    ),
  );
  t.pass();
});

test('a vote about events is down at once, and runs out after three intervals and the settling time', t => {
  const ofEvents = { ...start, rules: { ...rules, regions: ['events'] } };
  for (const status of ['ok', 'err'] as const) {
    const { standing } = observe(ofEvents, seen(status, 1000, 'events'));
    t.is(standing.verdict, status === 'ok' ? 'up' : 'down');
    t.is(nextExpiry(standing), 1000 + 3 * 60_000 + 30_000);
    t.is(advance(standing, 1000 + 3 * 60_000 + 30_000).standing.verdict, 'undetermined');
  }
});
