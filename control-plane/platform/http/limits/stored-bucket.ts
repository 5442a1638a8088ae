import { type Fragment, fragment } from '../../db/sql.ts';

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
