import test from 'ava';
import { alertRulesSchema, defaultAlertRules } from '#control-plane/monitoring/monitors/alert-rules.ts';
import { channelPostSchema } from '#control-plane/on-call/channels/channel.ts';
import { maskConfig } from '#control-plane/on-call/channels/config.ts';
import { channelTypes as definitions } from '#control-plane/on-call/channels/types/registry.ts';
import { routePostSchema } from '#control-plane/on-call/routing/route.ts';
import { alertsByCause, describeCause, describeMembers } from '#control-plane/web/dashboard/app/data/alert-causes.ts';
import {
  backtestRows,
  describeBacktest,
  describeNotReplayable,
} from '#control-plane/web/dashboard/app/data/describe/backtest.ts';
import { foreseenSteps } from '#control-plane/web/dashboard/app/data/describe/routes.ts';
import {
  channelBody,
  channelChanges,
  draftOfChannel,
  newChannel,
  withoutSecrets,
} from '#control-plane/web/dashboard/app/data/drafts/channel-draft.ts';
import { channelTypeNames, channelTypes } from '#control-plane/web/dashboard/app/data/drafts/channel-fields.ts';
import {
  describeMatch,
  describeQuiet,
  draftOfRoute,
  moved,
  newQuietHours,
  newRoute,
  routeBody,
  routeChanges,
} from '#control-plane/web/dashboard/app/data/drafts/route-draft.ts';
import { draftOfRules, noRules, rulesBody } from '#control-plane/web/dashboard/app/data/drafts/rules-draft.ts';
import { typedNumber, typedNumberOrNull } from '#control-plane/web/dashboard/app/data/drafts/typed-number.ts';
import { readAll } from '#control-plane/web/dashboard/app/data/server/read-all.ts';
import { channelConfigs } from '#test/support/channel-configs.ts';
import { sampleAlert, sampleBacktest, sampleChannel, sampleGroup, sampleRoute } from '../samples.ts';

test('the table of fields names what the API takes, and what it keeps secret', t => {
  t.deepEqual(channelTypeNames.toSorted(), Object.keys(definitions).sort());
  for (const type of channelTypeNames) {
    const names = channelTypes[type].fields.map(({ name }) => name);
    t.deepEqual(names.toSorted(), Object.keys(definitions[type].schema.shape).sort(), type);
    const given = Object.fromEntries(names.map(name => [name, name === 'headers' ? { a: 'open' } : 'open']));
    const masked = Object.entries(maskConfig(type, given)).flatMap(([name, value]) =>
      JSON.stringify(value).includes('open') ? [] : [name],
    );
    const secret = channelTypes[type].fields.flatMap(({ name, isSecret }) => (isSecret === true ? [name] : []));
    t.deepEqual(secret.sort(), masked.sort(), type);
  }
});

test('each type of channel is typed in, stored masked, and kept when it is saved untouched', t => {
  for (const [type, config] of Object.entries(channelConfigs('https://hooks.example.com/'))) {
    const name = type as (typeof channelTypeNames)[number];
    const stored = definitions[name].schema.parse(config) as Record<string, unknown>;
    const typed = draftOfChannel(sampleChannel({ type: name, config: stored }));
    const parsed = channelPostSchema.safeParse(channelBody(typed));
    t.deepEqual(parsed.data?.config, stored, type);
    const shown = draftOfChannel(sampleChannel({ type: name, config: maskConfig(name, stored) }));
    t.deepEqual(channelChanges(shown, shown), {}, type);
    t.deepEqual(channelChanges(shown, { ...shown, name: 'Other' }), { name: 'Other' });
  }
});

test('an empty optional field is null, and a new channel has its type’s defaults', t => {
  t.deepEqual(channelBody(newChannel('telegram')).config, { bot_token: '', chat_id: '', topic_id: null });
  t.like(newChannel('ntfy'), { detail: 'brief', config: { server: 'https://ntfy.sh' } });
  const http = { ...newChannel('http'), config: { ...newChannel('http').config, headers: 'X-A: b: c\n\nX-B' } };
  t.like(channelBody(http).config, { headers: { 'X-A': 'b: c', 'X-B': '' } });
});

test('no secret that is typed stays in the tab’s storage', t => {
  const draft = { ...newChannel('ntfy'), name: 'Phone', config: { server: 's', topic: 'hunter2', token: '********' } };
  t.deepEqual(withoutSecrets(draft), { ...draft, config: { server: 's', token: '********' } });
});

test('a route that is opened and saved untouched changes nothing', t => {
  const route = sampleRoute({ quiet_hours: newQuietHours('Europe/Berlin'), remind_every_minutes: 30 });
  const draft = draftOfRoute(route);
  t.deepEqual(routeChanges(draft, draft), {});
  t.true(routePostSchema.safeParse(routeBody(draft)).success);
  t.deepEqual(routeChanges(draft, { ...draft, remind: '' }), { remind_every_minutes: null });
  t.is(routePostSchema.safeParse(routeBody(newRoute)).success, false, 'a new one needs a name and a channel');
});

test('a route is described by what it takes and when it is quiet', t => {
  const match = { selector: null, severities: [], kinds: [], notices: [] };
  t.is(describeMatch(match), 'Every alert');
  t.is(
    describeMatch({ ...match, selector: 'env=prod', severities: ['p1', 'p2'], kinds: ['down'] }),
    'env=prod · P1, P2 · down',
  );
  t.is(describeMatch({ ...match, notices: ['region.silent'] }), 'Every alert · 1 kind of notice');
  t.is(describeQuiet(newQuietHours('UTC')), 'Quiet every day 22:00–07:00 UTC, except P1');
  const quiet = { ...newQuietHours('UTC'), except_severities: [] };
  t.is(describeQuiet({ ...quiet, days: ['mo', 'tu', 'we'] }), 'Quiet Mon–Wed 22:00–07:00 UTC');
  t.is(describeQuiet({ ...quiet, days: ['mo', 'we'], to: '22:00' }), 'Quiet Mon, Wed all day UTC');
});

test('an id moves within its list, and not beyond its ends', t => {
  t.deepEqual(moved(['a', 'b', 'c'], 'a', 1), ['b', 'a', 'c']);
  t.deepEqual(moved(['a', 'b', 'c'], 'a', 9), ['b', 'c', 'a']);
  t.deepEqual(moved(['a', 'b', 'c'], 'c', -1), ['c', 'a', 'b']);
  t.deepEqual(moved(['a'], 'x', 0), ['a']);
});

test('who would be notified is told by the time from the alert on', t => {
  const at = Date.parse('2026-11-21T10:00:00Z');
  const route = {
    id: 'rte_1',
    steps: [
      { due_at: '2026-11-21T10:00:05.000Z', channel_ids: ['a'] },
      { due_at: '2026-11-21T10:15:00.000Z', channel_ids: ['b', 'c'] },
      { due_at: null, channel_ids: ['a'] },
    ],
    reminders: [{ due_at: '2026-11-21T11:15:00.000Z' }],
    held_until: null,
  };
  t.deepEqual(
    foreseenSteps(route, at, id => id.toUpperCase()),
    [
      { when: 'at once', names: ['A'] },
      { when: 'after 15 min', names: ['B', 'C'] },
      { when: 'never', names: ['A'] },
      { when: 'after 1 h 15 min', names: ['reminder, if nobody acknowledges'] },
    ],
  );
});

test('rules that are opened and saved untouched stay as they are', t => {
  const rules = {
    confirm_seconds: 60,
    recover_seconds: 30,
    flap: { changes: 4, window_seconds: 900 },
    degraded: { after_seconds: 120, severity: 'p2' as const },
    certificate: { enabled: false, thresholds: null, in_verdict: true },
  };
  t.deepEqual(rulesBody(draftOfRules(rules)), rules);
  t.deepEqual(rulesBody(noRules), { ...defaultAlertRules });
  t.deepEqual(alertRulesSchema.parse(rulesBody(draftOfRules(rules))), { ...defaultAlertRules, ...rules });
  const certificate = { enabled: true, thresholds: [{ days_left: 7, severity: 'p2' as const }], in_verdict: false };
  t.deepEqual(rulesBody(draftOfRules({ ...rules, certificate })), { ...rules, certificate });
  const usual = { ...certificate, thresholds: null };
  t.deepEqual(rulesBody(draftOfRules({ ...rules, certificate: usual })), { ...rules, certificate: usual });
});

test('a back-test is told in a sentence', t => {
  const alert = sampleBacktest().before.alerts[0];
  if (alert === undefined) return t.fail();
  const none = { new: [], gone: [], moved: [] };
  const outcome = (count: number) => ({ ...sampleBacktest().before, alerts: new Array(count).fill(alert) });
  const told = (before: number, after: number, diff = { ...none, gone: [alert] }) =>
    describeBacktest(sampleBacktest({ before: outcome(before), after: outcome(after), diff }));
  t.is(told(9, 2), 'With these settings the last 7 days would have had 2 alerts instead of 9.');
  t.is(told(2, 2, { ...none, gone: [] }), 'With these settings the last 7 days would have had the same 2 alerts.');
  t.is(told(2, 2), 'With these settings the last 7 days would also have had 2 alerts, but at other times.');
  t.is(describeBacktest(sampleBacktest({ results: 0 })), 'There are no results to evaluate yet.');
  t.is(
    describeBacktest(sampleBacktest({ after: null, diff: null })),
    'There is not enough stored data to replay the last 7 days.',
  );
  const moves = [{ before: alert, after: alert, opened_ms: 60_000, resolved_ms: -30_000 }];
  t.deepEqual(
    backtestRows({ diff: { new: [{ ...alert, resolved_at: null }], gone: [alert], moved: moves } }).map(
      ({ change, detail }) => `${change}: ${detail}`,
    ),
    ['new: down, still open', 'gone: down for 10 min', 'moved: opens 1 min later, resolves 30 s earlier'],
  );
  t.deepEqual(backtestRows({ diff: null }), []);
  t.is(
    describeNotReplayable({ pointer: '/assertions/1', reason: 'answer_not_kept' }),
    'Assertion 2: the answers it needs are not stored',
  );
  t.is(
    describeNotReplayable({ pointer: '/interval_seconds', reason: 'other_slots' }),
    'Interval seconds: another interval would have checked at other times',
  );
});

test('alerts of one group stand together at the place of the first', t => {
  const alert = (id: string, group_id: string | null) => sampleAlert({ id, group_id });
  const alerts = [alert('a', 'g1'), alert('b', null), alert('c', 'g1'), alert('d', 'g2')];
  const groups = [sampleGroup({ id: 'g1' }), sampleGroup({ id: 'g2' })];
  t.deepEqual(
    alertsByCause(alerts, groups).map(cause => [cause.group?.id ?? null, ...cause.alerts.map(({ id }) => id)]),
    [
      ['g1', 'a', 'c'],
      [null, 'b'],
      [null, 'd'],
    ],
  );
  t.is(describeCause(sampleGroup()), 'Same address 203.0.113.7, connect_refused');
  t.is(describeCause(sampleGroup({ cause: null })), 'Notified together');
  t.is(describeMembers([sampleAlert(), sampleAlert({ state: 'acknowledged' })]), '2 alerts, 1 open');
});

test('numbers are read as they are typed, and every page of a list is', async t => {
  t.deepEqual(
    [typedNumber('12'), typedNumber(' '), typedNumberOrNull(' '), typedNumberOrNull('3')],
    [12, Number.NaN, null, 3],
  );
  const pages: Record<string, { data: number[]; next: string | null }> = {
    '': { data: [1, 2], next: 'x' },
    x: { data: [3], next: null },
  };
  const list = await readAll(async ({ cursor = '' }) => {
    const { data = [], next = null } = pages[cursor] ?? {};
    return { data: { data, pagination: { has_more: next !== null, next_cursor: next } } };
  });
  t.deepEqual(list, [1, 2, 3]);
});
