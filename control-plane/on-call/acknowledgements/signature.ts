import { createHmac, timingSafeEqual } from 'node:crypto';
import { minuteMs } from '#shared/duration.ts';

/** How far a service's clock may be from ours. */
export const clockMs = 5 * minuteMs;

/** Whether Slack signed the body with the secret, within five minutes of our clock. */
export function isSignedBySlack(
  secret: string,
  { timestamp, signature }: { timestamp: string; signature: string },
  body: Buffer,
  nowMs: number,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs - Number(timestamp) * 1000) > clockMs) return false;
  const expected = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex');
  return isEqual(`v0=${expected}`, signature);
}

/** Whether PagerDuty signed the body with the secret. While a secret is rotated there are two signatures. */
export function isSignedByPagerduty(secret: string, signatures: string, body: Buffer): boolean {
  const expected = `v1=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return signatures
    .slice(0, 1000)
    .split(',')
    .some(signature => isEqual(expected, signature.trim()));
}

function isEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
