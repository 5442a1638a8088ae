import { createHmac } from 'node:crypto';
import test from 'ava';
import { classifyOutboundError, outcomeOfReceiver, retryAfterMs } from '#control-plane/delivery/transports/answer.ts';
import { signWebhook } from '#control-plane/delivery/transports/webhook/webhook.ts';
import { OutboundError } from '#control-plane/platform/http/outbound.ts';

const now = Date.UTC(2026, 10, 20, 12);

test('a message is signed as standard-webhooks specifies', t => {
  // The example of the specification's reference libraries.
  const signed = signWebhook(
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1_614_265_330,
    '{"test": 2432232314}',
  );
  t.is(signed, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  const expected = createHmac('sha256', Buffer.from('key')).update('id.1.body').digest('base64');
  t.is(signWebhook(`whsec_${Buffer.from('key').toString('base64')}`, 'id', 1, 'body'), `v1,${expected}`);
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
  test(`HTTP status ${status} means ${type}`, t =>
    t.like(
      outcomeOfReceiver({ status, headers: {} }, now),
      gone === undefined ? { type } : { type, gone, ours: false },
    ));

test('the error names the status', t => {
  t.like(outcomeOfReceiver({ status: 503, headers: { 'retry-after': '7' } }, now), {
    error: 'the receiver responded with HTTP status 503',
    retryAfterMs: 7000,
  });
});

test('Retry-After is read in seconds and as a date', t => {
  t.is(retryAfterMs('120', now), 120_000);
  t.is(retryAfterMs('Fri, 20 Nov 2026 12:01:00 GMT', now), 60_000);
  t.is(retryAfterMs('Fri, 20 Nov 2026 11:00:00 GMT', now), 0);
  t.is(retryAfterMs('soon', now), null);
  t.is(retryAfterMs(undefined, now), null);
});

test('a blocked address is permanent, other network errors are retried, and a bug is rethrown', t => {
  t.like(classifyOutboundError(new OutboundError('blocked_address')), { type: 'refused', gone: false });
  t.like(classifyOutboundError(new OutboundError('timeout')), { type: 'failed', ours: false });
  t.like(classifyOutboundError(new OutboundError('timeout'), true), { type: 'failed', ours: true });
  t.throws(() => classifyOutboundError(new TypeError('bug')), { instanceOf: TypeError });
});
