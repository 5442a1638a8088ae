import test from 'ava';
import type { Message } from '#control-plane/on-call/channels/message.ts';
import { messageOf } from '#control-plane/on-call/channels/message.ts';
import {
  briefNotice,
  type ChannelNotice,
  type NoticeStep,
  noticeSteps,
} from '#control-plane/on-call/channels/notice.ts';
import { sampleAlert } from '#control-plane/on-call/channels/types/http/sample.ts';
import { acknowledgeUrl, messageAt } from '#test/support/channel-message.ts';
import { sampleNotice } from '#test/support/channel-notice.ts';

const since = '2026-11-22 09:30:00 UTC';
const resolved_at = '2026-11-22T10:00:00.000Z';
const noGroup = { group: null, members: [] };

/** A group of alerts, of which the first are named. */
function groupOf(alerts: number, unresolved: number, cause: NonNullable<ChannelNotice['group']>['cause'] = null) {
  const group = { id: 'agp_1', cause, opened_at: sampleAlert.started_at, resolved_at: null, alerts, unresolved };
  const members = Array.from({ length: Math.min(alerts, 20) }, (_, index) => {
    const title = `Shop ${index + 1} is down`;
    const alert = { ...sampleAlert, title, resolved_at: index < alerts - unresolved ? resolved_at : null };
    return { alert, monitor: { id: `mon_${index}`, name: `Shop ${index + 1}`, host: 'shop.example.com' } };
  });
  return { group: { ...group, resolved_at: unresolved === 0 ? resolved_at : null }, members };
}

const host = { type: 'host', value: 'db.example:5432', error_code: 'connect_refused' };
const titles: readonly [step: NoticeStep, changes: Partial<ChannelNotice>, title: string][] = [
  ['opened', {}, 'Checkout is down'],
  ['escalated', {}, 'Not acknowledged yet: Checkout is down'],
  ['reminder', {}, 'Reminder: Checkout is down'],
  ['updated', {}, 'Updated: Checkout is down'],
  ['acknowledged', {}, 'Acknowledged: Checkout is down'],
  ['resolved', {}, 'Resolved: Checkout'],
  ['changed', { joined: 2, recovered: 0, ...groupOf(3, 3) }, '2 more: 3 alerts'],
  ['changed', { joined: 0, recovered: 1, ...groupOf(3, 2) }, '1 recovered: 2 of 3 alerts'],
  ['changed', { joined: 2, recovered: 1, ...groupOf(3, 2) }, '2 more, 1 recovered: 2 of 3 alerts'],
  ['opened', groupOf(4, 4, host), '4 alerts at db.example:5432: the connection was refused'],
  ['opened', groupOf(4, 4, { ...host, value: '' }), '4 alerts with the same host: the connection was refused'],
  ['opened', groupOf(4, 4, { ...host, error_code: null }), '4 alerts at db.example:5432'],
  ['reminder', groupOf(4, 1), 'Reminder: 1 of 4 alerts'],
  ['resolved', groupOf(4, 0), 'Resolved: 4 alerts'],
  ['test', noGroup, 'Test: this channel works'],
  ['test', { ...noGroup, title: 'of a draft' }, 'Test: of a draft'],
  [
    'digest',
    { ...noGroup, title: 'Quiet hours are over: 1 open, 2 resolved' },
    'Quiet hours are over: 1 open, 2 resolved',
  ],
  ['notice', { ...noGroup, title: 'Region eu-west is silent' }, 'Region eu-west is silent'],
  ['notice_closed', { ...noGroup, title: 'Region eu-west is silent' }, 'Resolved: Region eu-west is silent'],
];
for (const [step, changes, title] of titles)
  test(`at the step ${step} a message is titled “${title}”`, t => {
    t.is(messageAt(step, changes).title, title);
  });

test('an alert says what failed, how badly, where, since when, and on which monitor', t => {
  const where = 'P1 · 2 of 3 regions failing (quorum 2): eu-west, us-east';
  const monitor = 'Monitor: Checkout (shop.example.com)';
  t.deepEqual(messageAt('opened').lines, ['expected 200, got 503', where, `Since ${since}`, monitor]);
  const alerted = (changes: Partial<typeof sampleAlert>) => {
    const [{ monitor: of } = { monitor: { id: '', name: '', host: '' } }] = sampleNotice('agp_1').members;
    return { members: [{ alert: { ...sampleAlert, ...changes }, monitor: of }] };
  };
  t.deepEqual(messageAt('resolved', alerted({ resolved_at })).lines, [
    where.replace('failing', 'failed'),
    `From ${since} to 2026-11-22 10:00:00 UTC`,
    monitor,
  ]);
  const single = alerted({ regions: ['eu-west'], regions_failing: ['eu-west'], quorum: 1 });
  t.is(messageAt('opened', single).lines[1], 'P1 · 1 of 1 region failing (quorum 1): eu-west');
  t.is(messageAt('opened', alerted({ kind: 'certificate' })).lines[1], 'P1 · seen in eu-west, us-east');
  t.is(messageAt('opened', alerted({ kind: 'domain' })).lines[1], 'P1');
  t.deepEqual(messageAt('acknowledged', { actor: 'ada' }).lines[0], 'By ada');
});

test('a group names its members and their state, at most twenty, and counts the rest', t => {
  const { lines } = messageAt('opened', { severity: 'p2', ...groupOf(3, 2) });
  t.deepEqual(lines, [`P2 · Since ${since}`, '• Shop 1 is down – resolved', '• Shop 2 is down', '• Shop 3 is down']);
  t.is(messageAt('resolved', groupOf(2, 0)).lines[0], `P1 · From ${since} to 2026-11-22 10:00:00 UTC`);
  const many = messageAt('reminder', groupOf(25, 25)).lines;
  t.deepEqual([many.length, many.at(-1)], [22, 'and 5 more']);
  t.is(messageAt('opened', groupOf(20, 20)).lines.at(-1), '• Shop 20 is down', 'all of twenty are named');
  const changed = { joined: 21, recovered: 2, ...groupOf(40, 38) };
  t.is(messageAt('changed', changed).lines.at(-1), 'and 3 more', 'of those that changed, not of all');
});

const tones: Readonly<Record<NoticeStep, [p1: Message['tone'], p2: Message['tone'], p3: Message['tone']]>> = {
  opened: ['down', 'part', 'slow'],
  escalated: ['down', 'part', 'slow'],
  reminder: ['down', 'part', 'slow'],
  updated: ['down', 'part', 'slow'],
  changed: ['down', 'part', 'slow'],
  acknowledged: ['note', 'note', 'note'],
  resolved: ['ok', 'ok', 'ok'],
  digest: ['note', 'note', 'note'],
  notice: ['slow', 'slow', 'slow'],
  notice_closed: ['ok', 'ok', 'ok'],
  test: ['note', 'note', 'note'],
};
for (const step of noticeSteps)
  test(`a message at the step ${step} is coloured by severity only while something is wrong`, t => {
    const shown = (['p1', 'p2', 'p3'] as const).map(severity => messageAt(step, { severity }).tone);
    t.deepEqual(shown, tones[step]);
  });

const acknowledgeable: readonly NoticeStep[] = ['opened', 'escalated', 'reminder', 'updated', 'changed'];
for (const step of noticeSteps)
  test(`whoever gets the step ${step} ${acknowledgeable.includes(step) ? 'can' : 'cannot'} acknowledge`, t => {
    t.is(messageAt(step).acknowledgeUrl, acknowledgeable.includes(step) ? acknowledgeUrl : null);
    t.is(messageAt(step, groupOf(2, 0)).acknowledgeUrl, null, 'nothing is left to acknowledge');
  });

test('a message leads to its alert, of several to the list, and replies to what began its group', t => {
  t.is(messageAt('opened').url, `https://up.example/#/alerts/${sampleAlert.id}`);
  t.is(messageAt('opened', groupOf(2, 2)).url, 'https://up.example/#/alerts');
  t.is(messageAt('digest', noGroup).url, 'https://up.example/#/alerts');
  for (const step of noticeSteps) t.is(messageAt(step).threadKey, 'agp_1', step);
});

test('a notice ends only itself: two of a project do not share what a paging service knows them by', t => {
  const about = (subject: string, step: NoticeStep) => messageAt(step, { ...noGroup, subject, title: 'x' }).threadKey;
  t.is(about('ntc_1', 'notice'), about('ntc_1', 'notice_closed'));
  t.not(about('ntc_1', 'notice'), about('ntc_2', 'notice_closed'));
  const before = sampleNotice('agp_1', noGroup);
  const links = { baseUrl: '', acknowledgeUrl: null };
  t.is(messageOf(before, 'full', links).threadKey, before.project.id, 'queued by 0.7.6');
});

test('a brief notice keeps names, counts, times, the kind of failure and the status code, and nothing else', t => {
  const diagnosis = { kind: 'blocked', provider: 'hunter2', confidence: 'likely' } as const;
  const values = { summary: 'got hunter2', expected: 'hunter2', actual: 'hunter2', diagnosis };
  const secret = { ...values, error_code: 'timeout' as const };
  const [first] = groupOf(2, 2, host).members;
  const members = first === undefined ? [] : [{ ...first, alert: { ...first.alert, labels: { key: 'hunter2' } } }];
  const told = members.map(({ alert, monitor }) => ({
    alert: { ...alert, reason: { ...alert.reason, ...secret } },
    monitor: { ...monitor, host: 'hunter2.example' },
  }));
  const full = sampleNotice('agp_1', { ...groupOf(2, 2, { ...host, value: 'hunter2' }), members: told });
  const brief = briefNotice(full);
  t.false(JSON.stringify(brief).includes('hunter2'));
  t.like(brief, { severity: 'p1', group: { alerts: 2, unresolved: 2, cause: { type: 'host', value: '' } } });
  t.like(brief.members[0]?.alert, { title: 'Shop 1 is down', reason: { status_code: 503, error_code: 'timeout' } });
  const { lines } = messageAt('opened', { members: told }, 'brief');
  t.false(
    lines.some(line => line.startsWith('Monitor:') || line.includes('hunter2')),
    lines.join(),
  );
});
