import test from 'ava';
import type { NoticeStep } from '#control-plane/on-call/channels/notice.ts';
import { acknowledgeUrl, bodyAt, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

const url = sampleUrl;
const text = sampleLines.join('\n');

const kinds: readonly [step: NoticeStep, severity: 'p1' | 'p2' | 'p3', type: string][] = [
  ['opened', 'p1', 'failure'],
  ['opened', 'p2', 'warning'],
  ['opened', 'p3', 'warning'],
  ['reminder', 'p1', 'failure'],
  ['acknowledged', 'p1', 'info'],
  ['resolved', 'p1', 'success'],
  ['test', 'p3', 'info'],
];
for (const [step, severity, type] of kinds)
  test(`${step} of ${severity} is ${type} to Apprise`, t => {
    t.like(bodyAt('apprise', step, { severity }), { type, format: 'text', tag: 'ops' });
  });

test('Apprise gets plain text with the links, and no tag that there is not', t => {
  t.is(bodyAt('apprise', 'opened').body, `${text}\nView: ${url}\nAcknowledge: ${acknowledgeUrl}`);
  const { json: untagged } = requestFor('apprise', messageAt('resolved'), { config: { tag: null } });
  t.false('tag' in (untagged as object));
});
