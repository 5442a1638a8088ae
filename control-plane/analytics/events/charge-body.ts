import { requireJsonSize, sizeOfJson } from '../../platform/http/bodies/json-size.ts';
import { Problem } from '../../platform/http/problem.ts';
import { bodyBucket, jsonLimitsOf, type SentBody } from './body-limits.ts';
import type { IngestLimits } from './limits.ts';
import type { LocalLimiter } from './local-limiter.ts';

/**
 * Charges a body by its size before it is parsed, whatever is in it. Throws `rate_limited`, or `batch_too_large` for
 * one that would take long to parse.
 */
export function chargeBody(
  limiter: LocalLimiter,
  sender: Pick<SentBody, 'projectId' | 'source' | 'address'>,
  bytes: Buffer,
  project: IngestLimits,
): void {
  const limits = jsonLimitsOf(sender.source);
  const size = sizeOfJson(bytes, limits);
  const refusal = limiter.charge([bodyBucket({ ...sender, bytes: bytes.length, size }, project)], performance.now());
  if (refusal !== null)
    throw new Problem('rate_limited', {
      retryAfter: refusal.retryAfter ?? 1,
      detail: 'the bodies of your requests have more bytes or values than your limit',
    });
  requireJsonSize(size, limits, 'batch_too_large', '; send fewer events in a request');
}
