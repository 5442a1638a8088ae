import { createHmac } from 'node:crypto';
import test from 'ava';
import { OutboundError } from '#control-plane/http/outbound.ts';
import {
  classifyAnswer,
  classifyOutboundFault,
  retryAfterMs,
  signWebhook,
} from '#control-plane/notifications/send-webhook.ts';

const now = Date.UTC(2026, 10, 20, 12);

test('a message is signed as standard-webhooks has it', t => {
  // The example of the specification's reference libraries.
  const signed = signWebhook(
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1_614_265_330,
    '{"test": 2432232314}',
  );
  t.is(signed, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  const own = createHmac('sha256', Buffer.from('key')).update('id.1.body').digest('base64');
  t.is(signWebhook(`whsec_${Buffer.from('key').toString('base64')}`, 'id', 1, 'body'), `v1,${own}`);
});

const answers: [status: number, type: string, gone?: boolean][] = [
  [200, 'sent'],
  [204, 'sent'],
  [301, 'failed'],
  [400, 'failed'],
  [401, 'failed'],
  [404, 'failed'],
  [410, 'refused', true],
  [429, 'failed'],
  [500, 'failed'],
  [503, 'failed'],
];
for (const [status, type, gone] of answers)
  test(`${status} means ${type}`, t =>
    t.like(classifyAnswer({ status, headers: {} }, now), gone === undefined ? { type } : { type, gone, ours: false }));

test('Retry-After counts in both of its forms', t => {
  t.is(retryAfterMs('120', now), 120_000);
  t.is(retryAfterMs('Fri, 20 Nov 2026 12:01:00 GMT', now), 60_000);
  t.is(retryAfterMs('Fri, 20 Nov 2026 11:00:00 GMT', now), 0);
  t.is(retryAfterMs('soon', now), null);
  t.is(retryAfterMs(undefined, now), null);
});

test('a forbidden address is refused, other faults of the network may pass, and a fault of ours is none of these', t => {
  t.like(classifyOutboundFault(new OutboundError('blocked_address')), { type: 'refused', gone: false });
  t.like(classifyOutboundFault(new OutboundError('timeout')), { type: 'failed' });
  t.throws(() => classifyOutboundFault(new TypeError('bug')), { instanceOf: TypeError });
});
