import test from 'ava';
import type { ChannelNotice, NoticeStep } from '#control-plane/on-call/channels/notice.ts';
import { acknowledgeUrl, bodyAt } from '#test/support/channel-message.ts';
import { sampleUrl } from '#test/support/sample-texts.ts';

const url = sampleUrl;

test('Teams gets an Adaptive Card in the colour of what it says', t => {
  const card = (step: NoticeStep, changes: Partial<ChannelNotice> = {}) =>
    (bodyAt('teams', step, changes).attachments as [{ content: { body: { color?: string }[]; actions: unknown } }])[0]
      .content;
  t.deepEqual(card('opened').actions, [
    { type: 'Action.OpenUrl', title: 'View', url },
    { type: 'Action.OpenUrl', title: 'Acknowledge', url: acknowledgeUrl },
  ]);
  t.deepEqual(card('resolved').actions, [{ type: 'Action.OpenUrl', title: 'View', url }]);
  const colors = [card('opened'), card('opened', { severity: 'p2' }), card('resolved'), card('acknowledged')];
  t.deepEqual(
    colors.map(({ body }) => body[0]?.color),
    ['Attention', 'Warning', 'Good', 'Accent'],
  );
});
