import test from 'ava';
import { sampleAlert } from '#control-plane/on-call/channels/types/http/sample.ts';
import { bodyAt } from '#test/support/channel-message.ts';
import { sampleNotice } from '#test/support/channel-notice.ts';
import { sampleLines } from '#test/support/sample-texts.ts';

const lines = sampleLines;

test('a webhook gets the alert as the API shows it, and the group with all its members', t => {
  const { group } = sampleNotice('agp_1');
  t.deepEqual(bodyAt('webhook', 'opened'), {
    type: 'alert.opened',
    timestamp: sampleAlert.started_at,
    data: { alert: sampleAlert, group: { ...group, alert_ids: [sampleAlert.id] }, title: 'Checkout is down', lines },
  });
  t.like(bodyAt('webhook', 'notice', { group: null, members: [], title: 'Region eu-west is silent' }), {
    type: 'alert.notice',
    data: { alert: null, group: null, title: 'Region eu-west is silent' },
  });
});
