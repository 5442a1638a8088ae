import type pg from 'pg';
import { retryAlerts, sweepAlerts, sweepCertificates } from '../monitoring/alerts/sweep.ts';
import type { VerdictHooks } from '../monitoring/verdicts/hooks.ts';
import { sweepExpiries } from '../monitoring/verdicts/sweep.ts';
import type { Metrics } from '../platform/http/metrics.ts';
import { drain } from '../platform/timers/timers.ts';
import { countAlerts } from './workflow.ts';

export type SweepServices = {
  pool: pg.Pool;
  verdictHooks: VerdictHooks;
  metrics: Metrics;
  /** True while results wait to be stored: no vote expires for want of them. */
  isBehind(): Promise<boolean>;
};

/**
 * Does what time alone brings about: votes that run out, alerts whose wait is over, certificates. All of it as of
 * `nowMs`, read when nothing has been waited for: if the process stands still in here, results that wait unread in its
 * sockets must not be missed by the time after it.
 */
export async function sweep(services: SweepServices, nowMs: number, signal: AbortSignal): Promise<void> {
  const { pool, verdictHooks, metrics, isBehind } = services;
  if (await isBehind()) return;
  const count = (counts: Parameters<typeof countAlerts>[1]) => countAlerts(metrics, counts);
  await drain(signal, () => sweepExpiries(pool, verdictHooks, nowMs));
  await drain(signal, () => sweepAlerts(pool, count, nowMs));
  await drain(signal, () => retryAlerts(pool, count, nowMs));
  await drain(signal, () => sweepCertificates(pool, count, nowMs));
  metrics.commits.mark('verdicts');
}
