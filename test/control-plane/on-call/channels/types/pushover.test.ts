import test from 'ava';
import type { NoticeStep } from '#control-plane/on-call/channels/notice.ts';
import {
  acknowledgeUrl,
  calledTypeOf,
  channelContext,
  messageAt,
  requestFor,
  sentAtMs,
} from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

test('Pushover gets a message with a link that acknowledges, for the devices of the configuration', t => {
  const { url, json } = requestFor('pushover', messageAt('opened'));
  t.is(url, 'https://api.pushover.net/1/messages.json');
  t.deepEqual(json, {
    token: 'secretPushoverToken00000000000',
    user: 'secretPushoverUser000000000000',
    title: 'Checkout is down',
    message: sampleLines.join('\n'),
    priority: 1,
    timestamp: sentAtMs / 1000,
    url: acknowledgeUrl,
    url_title: 'View and acknowledge',
  });
  const phone = requestFor('pushover', messageAt('resolved'), { config: { device: 'phone,desk' } }).json;
  t.like(phone, { device: 'phone,desk', url: sampleUrl, url_title: 'View', title: 'Resolved: Checkout' });
});

test('a message without lines has its title as text, and a link that is too long is left out', t => {
  const empty = messageAt('notice', { group: null, members: [], title: 'Region eu-west is silent', lines: [] });
  t.like(requestFor('pushover', empty).json, { message: 'Region eu-west is silent' });
  const long = { ...messageAt('opened'), acknowledgeUrl: `https://up.example/ack/${'t'.repeat(512)}` };
  t.like(requestFor('pushover', long).json, { url: sampleUrl, url_title: 'View' });
});

const priorities: readonly [step: NoticeStep, severity: 'p1' | 'p2' | 'p3', priority: number][] = [
  ['opened', 'p1', 1],
  ['opened', 'p2', 0],
  ['opened', 'p3', -1],
  ['resolved', 'p1', 0],
  ['acknowledged', 'p1', 0],
];
for (const [step, severity, priority] of priorities)
  test(`${step} of ${severity} has priority ${priority} with Pushover`, t => {
    t.like(requestFor('pushover', messageAt(step, { severity })).json, { priority });
  });

test('Pushover says in words what it refuses for good, and what is over its quota is tried again', t => {
  const outcomeOf = (status: number, body: string) =>
    calledTypeOf('pushover').result({ status, headers: {}, body }, channelContext, {}).outcome;
  t.like(outcomeOf(400, '{"status":0,"user":"invalid","errors":["user identifier is invalid"]}'), {
    type: 'refused',
    error: 'the service responded with HTTP status 400: user identifier is invalid',
  });
  t.like(outcomeOf(429, '{"status":0,"errors":["application is over its quota"]}'), { type: 'failed' });
});
