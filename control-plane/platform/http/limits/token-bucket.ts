import { type Fragment, fragment } from '../../db/sql.ts';

/** A token bucket: refilled steadily, never above its capacity. A bucket that nobody used yet is full. */
export type Bucket = { capacity: number; perSecond: number };

/** Rounding errors of floating point; no charge is that small. */
export const tolerance = 1e-6;

/**
 * The tokens in a stored bucket at `now`, as SQL of type float8. A clock that ran backwards refills nothing. The rows
 * have the columns `tokens` and `at`; `alias` names them in the statement.
 */
export function refilled(
  alias: Fragment,
  bucket: { capacity: Fragment; perSecond: Fragment },
  now: Fragment,
): Fragment {
  const seconds = fragment`greatest(0, extract(epoch from ${now} - ${alias}.at)::float8)`;
  return fragment`least(${bucket.capacity}, ${alias}.tokens + ${seconds} * ${bucket.perSecond})`;
}

/** Whole seconds, at least 1, after which `count` is granted if nobody else is charged; null when it is granted now. */
export function retryAfterSeconds(
  levels: readonly { tokens: number; perSecond: number }[],
  count: number,
): number | null {
  const lacking = levels.filter(({ tokens }) => tokens < count - tolerance);
  if (lacking.length === 0) return null;
  const seconds = lacking.map(({ tokens, perSecond }) => (count - tokens) / perSecond - tolerance);
  return Math.max(1, Math.ceil(Math.max(...seconds)));
}
