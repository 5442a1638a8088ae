import test from 'ava';
import type { ChannelNotice, NoticeStep } from '#control-plane/on-call/channels/notice.ts';
import { sampleAlert } from '#control-plane/on-call/channels/types/http/sample.ts';
import { bodyAt, channelContext, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleNotice } from '#test/support/channel-notice.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

const url = sampleUrl;
const text = sampleLines.join('\n');
const json = { 'content-type': 'application/json' };

test('PagerDuty gets an event that triggers with all there is to know, and ends by its key alone', t => {
  const keys = { routing_key: 'secret-pagerduty', dedup_key: 'agp_1' };
  const opened = requestFor('pagerduty', messageAt('opened'));
  t.deepEqual([opened.url, opened.headers], ['https://events.pagerduty.com/v2/enqueue', json]);
  t.deepEqual(opened.json, {
    ...keys,
    event_action: 'trigger',
    client: 'Upquorum',
    client_url: url,
    links: [{ href: url, text: 'View the alert' }],
    payload: {
      summary: 'Checkout is down',
      source: 'shop.example.com',
      severity: 'critical',
      timestamp: sampleAlert.started_at,
      custom_details: { text },
    },
  });
  t.deepEqual(bodyAt('pagerduty', 'acknowledged'), { ...keys, event_action: 'acknowledge' });
  t.deepEqual(bodyAt('pagerduty', 'resolved'), { ...keys, event_action: 'resolve' });
  const europe = requestFor('pagerduty', messageAt('opened'), { config: { region: 'eu' } });
  t.is(europe.url, 'https://events.eu.pagerduty.com/v2/enqueue');
  const addresses = { ...channelContext.addresses, pagerduty: 'https://own.example' };
  t.is(requestFor('pagerduty', messageAt('opened'), { addresses }).url, 'https://own.example/v2/enqueue');
});

const severities: readonly [step: NoticeStep, changes: Partial<ChannelNotice>, severity: string][] = [
  ['opened', { severity: 'p1' }, 'critical'],
  ['opened', { severity: 'p2' }, 'error'],
  ['opened', { severity: 'p3' }, 'warning'],
  ['reminder', { severity: 'p2' }, 'error'],
  ['test', { severity: 'p3', group: null, members: [] }, 'info'],
];
for (const [step, changes, severity] of severities)
  test(`${step} of ${changes.severity} is ${severity} to PagerDuty`, t => {
    t.like(bodyAt('pagerduty', step, changes), { payload: { severity } });
  });

test('PagerDuty names the source by host, then monitor, then project', t => {
  const { members, project } = sampleNotice('agp_1');
  const named = (name: string, host: string) =>
    members.map(member => ({ ...member, monitor: { id: 'm', name, host } }));
  const sourceOf = (changes: Partial<ChannelNotice>) => bodyAt('pagerduty', 'opened', changes).payload;
  t.like(sourceOf({ members: named('Checkout', '') }), { source: 'Checkout' });
  t.like(sourceOf({ members: named('\u202e', '') }), { source: 'Upquorum' }, 'nothing of it can be shown');
  t.like(sourceOf({ members: [], group: null }), { source: project.name });
});
