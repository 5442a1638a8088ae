import test from 'ava';
import type { NoticeStep } from '#control-plane/on-call/channels/notice.ts';
import { acknowledgeUrl, bodyAt, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

const url = sampleUrl;
const text = sampleLines.join('\n');
const json = { 'content-type': 'application/json' };

const urgencies: readonly [step: NoticeStep, severity: 'p1' | 'p2' | 'p3', priority: number, tag: string][] = [
  ['opened', 'p1', 5, 'rotating_light'],
  ['opened', 'p2', 4, 'warning'],
  ['opened', 'p3', 3, 'warning'],
  ['reminder', 'p1', 5, 'rotating_light'],
  ['acknowledged', 'p1', 3, 'bell'],
  ['resolved', 'p1', 3, 'white_check_mark'],
  ['test', 'p3', 3, 'bell'],
];
for (const [step, severity, priority, tag] of urgencies)
  test(`${step} of ${severity} is ${tag} of priority ${priority} to ntfy`, t => {
    t.like(bodyAt('ntfy', step, { severity }), { topic: 'secret-ntfy', priority, tags: [tag], click: url });
  });

test('ntfy acknowledges with a POST of the link, and sends no token that there is not', t => {
  const { headers, json: body } = requestFor('ntfy', messageAt('opened'));
  t.deepEqual(headers, { ...json, authorization: 'Bearer secret-ntfy-token' });
  t.like(body, { title: 'Checkout is down', message: text });
  t.deepEqual((body as { actions: unknown }).actions, [
    { action: 'view', label: 'View', url },
    { action: 'http', label: 'Acknowledge', url: acknowledgeUrl, method: 'POST', clear: true },
  ]);
  t.deepEqual(requestFor('ntfy', messageAt('resolved'), { config: { token: null } }).headers, json);
});
