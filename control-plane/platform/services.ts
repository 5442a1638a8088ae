import type Router from '@koa/router';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import type { RecordChange } from './audit/record.ts';
import type { Pools } from './db/pool.ts';
import type { Edition } from './db/series/edition.ts';
import type { SeriesStore } from './db/series/series.ts';
import type { Sql } from './db/sql.ts';
import type { StoredFact } from './facts/fact.ts';
import type { BodyBudget } from './http/bodies/body-budget.ts';
import type { Endpoint } from './http/endpoint/endpoint.ts';
import type { CallerKey } from './http/limits/caller-address.ts';
import type { RateLimit } from './http/limits/rate-limit.ts';
import type { Metrics } from './http/metrics.ts';
import type { OutboundReader } from './http/outbound.ts';
import type { RequestBulkheads } from './project-limits/request-bulkheads.ts';
import type { Keyring } from './secrets/keyring.ts';
import type { Retention } from './timers/retention.ts';
import type { Timer } from './timers/timers.ts';

/** What nearly everything that happens by time works with. */
export type Services = { pools: Pools; clock: Clock; log: Logger; metrics: Metrics };

/** What a worker does by time works with. */
export type WorkerServices = Services & {
  series: SeriesStore;
  edition: Edition;
  baseUrl: string;
  /** False without an SMTP server. */
  canMail: boolean;
  auditDays: number;
  /** Name servers; none: those of the machine. */
  dnsServers: readonly string[];
  /** How registries of domains are asked. A null `bootstrapUrl`: not at all. */
  registries: { reader: OutboundReader; bootstrapUrl: string | null };
  /** What a wing opens for its timers is disposed after they have stopped. */
  opening: AsyncDisposableStack;
};

/** What knows how long things stay works with. */
export type RetentionServices = Pick<WorkerServices, 'pools' | 'series' | 'log' | 'auditDays'>;

/** What a wing makes its part of the HTTP interface from. */
export type ApiServices = Services & {
  series: SeriesStore;
  keyring: Keyring;
  baseUrl: string;
  bulkheads: RequestBulkheads;
  rateLimit: RateLimit;
  /** How long a session lasts from sign-in. */
  sessionMs: number;
  recordChange: RecordChange;
  /** What names a caller in limits. */
  callerKey: CallerKey;
  /** For bodies of forms that anybody may post. */
  forms: BodyBudget;
};

/** A wing's part of the HTTP interface: of the API, and beside it what needs no token. */
export type Served = { endpoints: readonly Endpoint[]; routes?: readonly ((router: Router) => void)[] };

/** What a wing brings to the processes. Its `wing.ts` has it, which only the roles import. */
export type Wing = {
  /** What a worker does by time. */
  timers?(services: WorkerServices): readonly Timer[];
  /** What is deleted by age. */
  retention?(services: RetentionServices): readonly Retention[];
  /** What follows a committed fact, in the transaction that marks it done. */
  onFact?(sql: Sql, fact: StoredFact, services: Pick<WorkerServices, 'clock' | 'log' | 'baseUrl'>): Promise<unknown>;
};
