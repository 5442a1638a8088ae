import type { CheckStatus } from '#shared/check-result.ts';
import { hourMs } from '#shared/duration.ts';
import { binCount } from './latency-bins.ts';

/** What the roll-up needs of a result. `bin` is null if its latency does not count. */
export type CountedResult = {
  monitor_id: string;
  region: string;
  kind: 'scheduled' | 'confirm';
  attempt: number;
  scheduled_at: number;
  status: CheckStatus;
  latency_ms: number | null;
  bin: number | null;
};

/**
 * What a batch adds to a row of the hourly roll-up. `bins` is null if that is one result; its bin is `bin`, null if its
 * latency does not count.
 */
export type HourCell = {
  monitorId: string;
  region: string;
  hour: number;
  ok: number;
  warn: number;
  err: number;
  latencySum: number;
  latencyMax: number;
  bin: number | null;
  bins: number[] | null;
};

/** Only first attempts of scheduled checks are rolled up. */
export function isCounted({ kind, attempt }: Pick<CountedResult, 'kind' | 'attempt'>): boolean {
  return kind === 'scheduled' && attempt === 1;
}

/** Pure: the rows that results are counted in, by their first results. Latencies are added as PostgreSQL adds them. */
export function hourCells(results: readonly CountedResult[]): HourCell[] {
  const cells = new Map<string, HourCell>();
  for (const result of results) {
    if (!isCounted(result)) continue;
    const hour = Math.floor(result.scheduled_at / hourMs) * hourMs;
    const key = `${result.monitor_id} ${result.region} ${hour}`;
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, cellOf(result, hour));
    else add(cell, result);
  }
  return [...cells.values()];
}

function cellOf(result: CountedResult, hour: number): HourCell {
  const latency = latencyOf(result);
  return {
    monitorId: result.monitor_id,
    region: result.region,
    hour,
    ok: result.status === 'ok' ? 1 : 0,
    warn: result.status === 'warn' ? 1 : 0,
    err: result.status === 'err' ? 1 : 0,
    latencySum: latency,
    latencyMax: latency,
    bin: result.bin,
    bins: null,
  };
}

function add(cell: HourCell, result: CountedResult): void {
  const latency = latencyOf(result);
  cell[result.status] += 1;
  cell.latencySum = Math.fround(cell.latencySum + latency);
  cell.latencyMax = Math.max(cell.latencyMax, latency);
  cell.bins ??= Array.from({ length: binCount }, (_, bin) => (bin === cell.bin ? 1 : 0));
  if (result.bin !== null) cell.bins[result.bin] = (cell.bins[result.bin] ?? 0) + 1;
}

/** Of single precision, as it is stored; 0 if it does not count. */
export function latencyOf({ bin, latency_ms }: CountedResult): number {
  return bin === null || latency_ms === null ? 0 : Math.fround(latency_ms);
}
