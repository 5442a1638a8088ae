/** Bins of the hourly latency histogram: bin i holds latencies up to 2^(i/3) ms, the last one everything above. */
export const binCount = 48;
export const binsPerDoubling = 3;

/** The counts of an hour are smallints: a bin that is full stays so, and the hour’s percentiles with it. */
export const binMax = 32_767;

/** Zero-based bin of a latency in milliseconds. */
export function binOf(latencyMs: number): number {
  if (latencyMs <= 1) return 0;
  return Math.min(binCount - 1, Math.ceil(Math.log2(latencyMs) * binsPerDoubling));
}

function upperMs(bin: number): number {
  return 2 ** (bin / binsPerDoubling);
}

/**
 * Latency at a quantile, interpolated by rank within its bin, so off by at most 26 %; null without samples.
 * `maxMs`, the largest latency seen, caps the result.
 */
export function quantile(bins: readonly number[], q: number, maxMs: number): number | null {
  let total = 0;
  for (let bin = 0; bin < bins.length; bin++) total += bins[bin] ?? 0;
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(q * total));
  let below = 0;
  for (let bin = 0; bin < bins.length; bin++) {
    const count = bins[bin] ?? 0;
    if (below + count < rank) {
      below += count;
      continue;
    }
    const lower = bin === 0 ? 0 : upperMs(bin - 1);
    const estimate = lower + ((rank - below) / count) * (upperMs(bin) - lower);
    return Math.min(maxMs, Math.round(estimate * 10) / 10);
  }
  return maxMs;
}
