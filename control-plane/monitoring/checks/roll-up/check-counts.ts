import type { CheckStatus } from '#shared/check-result.ts';
import type { CountedResult } from './hour-buckets.ts';

/** Checks by status. */
export type Checks = Record<CheckStatus, number>;

/** Checks of a monitor by region, as they are stored: ok, warn, err. */
export type RegionCounts = Readonly<Record<string, readonly [number, number, number]>>;

/** Pure: the sum of both, with the regions of both. */
export function addCounts(left: RegionCounts, right: RegionCounts): RegionCounts {
  const sum: Record<string, readonly [number, number, number]> = { ...left };
  for (const [region, [ok, warn, err]] of Object.entries(right)) {
    const known = sum[region] ?? [0, 0, 0];
    sum[region] = [known[0] + ok, known[1] + warn, known[2] + err];
  }
  return sum;
}

/** Pure: what results count as. */
export function countsOf(results: readonly Pick<CountedResult, 'region' | 'status'>[]): RegionCounts {
  return results.reduce<RegionCounts>((sum, { region, status }) => {
    const one = [Number(status === 'ok'), Number(status === 'warn'), Number(status === 'err')] as const;
    return addCounts(sum, { [region]: one });
  }, {});
}

/** Pure: the same by name. */
export function named([ok, warn, err]: readonly [number, number, number]): Checks {
  return { ok, warn, err };
}
