import type { IncomingHttpHeaders } from 'node:http';
import { sqlOf } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/endpoint.ts';
import { chargeRequest } from '../../platform/http/limits/rate-limit.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { ApiServices } from '../../platform/services.ts';
import type { DashboardServices } from './routes.ts';

/** Sign-ins to the dashboard from one address. */
const signInRate = { perMinute: 10, burst: 20 };
/** Refused sign-ins that are recorded: nobody may fill the audit from many addresses. */
const refusalRate = { perMinute: 60, burst: 300 };

/** What the dashboard's page, its sign-in and its sessions work with. */
export function dashboardServices(
  services: ApiServices & { authenticate(headers: IncomingHttpHeaders): Promise<Caller> },
): DashboardServices {
  const { pools, keyring, clock, baseUrl, callerKey, forms, recordChange, sessionMs } = services;
  const sql = sqlOf(pools.front);
  return {
    sql,
    keyring,
    clock,
    secure: baseUrl.startsWith('https:'),
    authenticate: authorization => services.authenticate({ authorization }),
    callerKey,
    sessionMs,
    forms,
    pool: pools.front,
    recordChange,
    mayRecordRefusal: () => isWithin(chargeRequest(sql, 'refused sign-ins', refusalRate)),
    charge: caller => chargeRequest(sql, `sign-in ${caller}`, signInRate),
  };
}

/** False if the rate is exceeded. */
async function isWithin(charge: Promise<unknown>): Promise<boolean> {
  try {
    await charge;
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'rate_limited') return false;
    throw error;
  }
}
