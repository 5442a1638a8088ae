import { hourMs } from '#shared/duration.ts';
import { createRecordChange } from './audit/record.ts';
import { createSecretHash } from './audit/sealed.ts';
import type { SeriesStore } from './db/series/series.ts';
import { sqlOf } from './db/sql.ts';
import { apiBodyBudget, formBodyBudget } from './http/bodies/body-budget.ts';
import { createCallerKey, type TrustedProxies } from './http/limits/caller-address.ts';
import { createRequestBulkheads } from './project-limits/request-bulkheads.ts';
import type { Keyring } from './secrets/keyring.ts';
import { createPepper } from './secrets/pepper-store.ts';
import type { ApiServices, Services } from './services.ts';

/** The part of the configuration that the HTTP interface needs. */
type ApiSettings = {
  publicUrl: string;
  metricsToken: string | null;
  trustedProxies: TrustedProxies;
  rateLimitPerMinute: number;
  rateLimitBurst: number;
  sessionHours: number;
};

/** What all requests to a process share: its limits. */
export function createApiServices(
  settings: ApiSettings,
  { pools, series, keyring, clock, log, metrics }: Services & { series: SeriesStore; keyring: Keyring },
) {
  const front = sqlOf(pools.front);
  return {
    pools,
    series,
    keyring,
    clock,
    log,
    metrics,
    baseUrl: settings.publicUrl,
    metricsToken: settings.metricsToken,
    bulkheads: createRequestBulkheads(),
    bodies: apiBodyBudget(),
    forms: formBodyBudget(),
    callerKey: createCallerKey(keyring, settings.trustedProxies),
    recordChange: createRecordChange(createSecretHash(createPepper(front, keyring)), front),
    rateLimit: { perMinute: settings.rateLimitPerMinute, burst: settings.rateLimitBurst },
    sessionMs: settings.sessionHours * hourMs,
  } satisfies ApiServices & Record<string, unknown>;
}
