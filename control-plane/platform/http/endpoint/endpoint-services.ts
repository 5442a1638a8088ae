import type { IncomingHttpHeaders } from 'node:http';
import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import type { Bulkhead } from '#shared/fairness/bulkhead.ts';
import type { RecordChange } from '../../audit/record.ts';
import type { Keyring } from '../../secrets/keyring.ts';
import type { BodyBudget } from '../bodies/body-budget.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import type { Caller } from './caller.ts';

type Bulkheads = { answers: Bulkhead; connections: Bulkhead };

export type EndpointServices = {
  baseUrl: string;
  /** `front` charges callers; the others run handlers, and show them only the caller's project. */
  pools: { front: pg.Pool; api: pg.Pool; reports: pg.Pool; people: pg.Pool };
  keyring: Keyring;
  clock: Clock;
  rateLimit: RateLimit;
  /** For all bodies at once, of which a project has its share. */
  bodies: BodyBudget;
  recordChange: RecordChange;
  /** What one project may use of the pools. */
  bulkheads: { api: Bulkheads; reports: Bulkheads; people: Bulkheads };
  /** Who makes a request with these headers, in a project or outside of all. Throws 401, or `not_a_member`. */
  authenticate(headers: IncomingHttpHeaders, where?: 'project' | 'anywhere'): Promise<Caller>;
};
