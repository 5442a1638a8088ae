import test from 'ava';
import { monitorPostSchema, withKind } from '#control-plane/monitoring/monitors/monitor.ts';
import type { MonitorWithState } from '#control-plane/monitoring/monitors/row.ts';
import { unableRegions } from '#control-plane/monitoring/monitors/state/unable.ts';
import { viewMonitor } from '#control-plane/monitoring/monitors/view.ts';
import { makeVote } from '#test/support/monitor-state.ts';

const nowMs = 1_000_000;
const alone = { window: undefined, online: new Map<string, string[][]>() };
const settings = withKind(
  monitorPostSchema.parse({
    name: 'm',
    url: 'https://example.com/',
    interval_seconds: 60,
    regions: ['a', 'b', 'c', 'd'],
    headers: { authorization: 'Bearer swordfish' },
  }),
);
const stored: MonitorWithState = {
  monitor: {
    id: 'mon_1',
    projectId: 'proj_1',
    settings,
    secretFields: [],
    rulesVersion: 1,
    configVersion: 3,
    createdAt: 0,
    updatedAt: 1000,
  },
  verdict: 'up',
  since: 5000,
  votes: {
    a: makeVote(nowMs - 1000),
    b: makeVote(nowMs - 60_000, { vote: 'down', expires_at: nowMs }),
    c: makeVote(nowMs, { vote: 'unknown', expires_at: null, reason: 'resolver' }),
    z: makeVote(nowMs),
  },
};

test('votes are shown for the current regions, in their order, unknown once they expired or without any', t => {
  const time = (ms: number) => new Date(ms).toISOString();
  t.deepEqual(viewMonitor(stored, ['*'], nowMs, alone).votes, [
    {
      region: 'a',
      vote: 'up',
      since: time(nowMs - 1000),
      as_of: time(nowMs - 1000),
      reason: null,
      partial_addresses: null,
    },
    {
      region: 'b',
      vote: 'unknown',
      since: time(nowMs),
      as_of: time(nowMs - 60_000),
      reason: 'expired',
      partial_addresses: null,
    },
    {
      region: 'c',
      vote: 'unknown',
      since: time(nowMs),
      as_of: time(nowMs),
      reason: 'resolver',
      partial_addresses: null,
    },
    { region: 'd', vote: 'unknown', since: null, as_of: null, reason: 'no_result', partial_addresses: null },
  ]);
  t.is(viewMonitor(stored, ['*'], nowMs - 1, alone).votes[1]?.vote, 'down', 'a vote counts until it expires');
});

for (const [scopes, value] of [
  [['*'], 'Bearer swordfish'],
  [['monitors:write'], 'Bearer swordfish'],
  [['monitors:read', 'alerts:write'], '********'],
  [[], '********'],
] as const) {
  test(`a token with the scopes [${scopes}] sees the header value ${value}`, t => {
    t.is(viewMonitor(stored, scopes, nowMs, alone).headers.authorization, value);
  });
}

test('defaults are shown resolved', t => {
  t.like(viewMonitor(stored, [], nowMs, alone), {
    timeout_ms: 30_000,
    quorum: 3,
    alert_policy: { severity: 'p2', slack_channel: null, escalate_after_minutes: null },
    status: 'up',
    status_since: '1970-01-01T00:00:05.000Z',
    config_version: 3,
  });
  const withoutPolicy = { ...stored, monitor: { ...stored.monitor, settings: { ...settings, alert_policy: null } } };
  t.is(viewMonitor(withoutPolicy, [], nowMs, alone).alert_policy.severity, 'p2');
});

test('a region without an agent, or without one that can do all that is needed, is named with what is missing', t => {
  const online = new Map([
    ['a', [['tcp', 'dns']]],
    ['b', [[], ['tcp']]],
  ]);
  t.deepEqual(unableRegions(['c', 'b', 'a'], ['tcp', 'dns'], online), [
    { region: 'c', reason: 'no_agent', missing: [] },
    { region: 'b', reason: 'no_able_agent', missing: ['dns'] },
  ]);
  t.deepEqual(viewMonitor(stored, [], nowMs, { window: undefined, online }).unable_regions, [
    { region: 'c', reason: 'no_agent', missing: [] },
    { region: 'd', reason: 'no_agent', missing: [] },
  ]);
});
