/** A latency that counts for `latency_p95`. */
export type Sample = { scheduled_at: number; latency_ms: number };

/** Samples with `scheduled_at` in (after, until] are in a window. */
export type Window = { afterMs: number; untilMs: number };

/** `p95` by nearest rank; null without samples. */
export type WindowP95 = { count: number; p95: number | null };

/** A batch has one to three results of most monitors: sorting 26,000 numbers takes 3 ms, the one pass 40. */
const sortedMax = 8;

/** The 95th percentile of each window, in the order of the windows. */
export function p95OfWindows(samples: readonly Sample[], windows: readonly Window[]): WindowP95[] {
  if (windows.length > sortedMax) return p95InOnePass(samples, windows);
  return windows.map(window => p95Of(samples, window));
}

function p95Of(samples: readonly Sample[], { afterMs, untilMs }: Window): WindowP95 {
  const latencies = new Float64Array(samples.length);
  let count = 0;
  for (const { scheduled_at: at, latency_ms } of samples)
    if (at > afterMs && at <= untilMs) latencies[count++] = latency_ms;
  const inOrder = latencies.subarray(0, count).sort();
  return { count, p95: inOrder[nearestRank(count) - 1] ?? null };
}

/** The rank of the 95th percentile, from 1. */
function nearestRank(count: number): number {
  return Math.ceil(0.95 * count);
}

/**
 * All windows of one length are answered in one pass over the samples: O((samples + windows) × log samples), for an
 * agent that hands over its spool.
 */
function p95InOnePass(samples: readonly Sample[], windows: readonly Window[]): WindowP95[] {
  const byTime = samples.toSorted((left, right) => left.scheduled_at - right.scheduled_at);
  const latencies = [...new Set(byTime.map(sample => sample.latency_ms))].sort((left, right) => left - right);
  const ranks = new Map(latencies.map((latency, rank) => [latency, rank]));
  const answers: WindowP95[] = windows.map(() => ({ count: 0, p95: null }));
  const byLength = Map.groupBy(windows.entries(), ([, { afterMs, untilMs }]) => untilMs - afterMs);
  for (const group of byLength.values()) {
    const tally = new RankTally(latencies.length);
    let [first, next] = [0, 0];
    const rankAt = (index: number) => ranks.get(byTime[index]?.latency_ms ?? 0) ?? 0;
    for (const [index, { afterMs, untilMs }] of group.sort(([, left], [, right]) => left.untilMs - right.untilMs)) {
      while (next < byTime.length && (byTime[next]?.scheduled_at ?? 0) <= untilMs) tally.add(rankAt(next++), 1);
      while (first < next && (byTime[first]?.scheduled_at ?? 0) <= afterMs) tally.add(rankAt(first++), -1);
      const count = next - first;
      const p95 = count === 0 ? null : (latencies[tally.find(nearestRank(count))] ?? null);
      answers[index] = { count, p95 };
    }
  }
  return answers;
}

/** Counts by rank in a Fenwick tree. */
class RankTally {
  readonly #sums: Int32Array;
  readonly #top: number;

  constructor(size: number) {
    this.#sums = new Int32Array(size + 1);
    this.#top = 2 ** Math.floor(Math.log2(Math.max(1, size)));
  }

  add(rank: number, count: number): void {
    for (let node = rank + 1; node < this.#sums.length; node += node & -node)
      this.#sums[node] = (this.#sums[node] ?? 0) + count;
  }

  /** The rank of the nth smallest, n from 1. */
  find(nth: number): number {
    let [node, left] = [0, nth];
    for (let step = this.#top; step > 0; step >>= 1) {
      const sum = this.#sums[node + step];
      if (sum === undefined || sum >= left) continue;
      node += step;
      left -= sum;
    }
    return node;
  }
}
