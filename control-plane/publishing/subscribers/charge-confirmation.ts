import type { Sql } from '../../platform/db/sql.ts';
import { chargeRequest } from '../../platform/http/limits/rate-limit.ts';

/** Emails that ask addresses to confirm which a project's tokens name: of channels, and of subscribers. */
const confirmationRate = { perMinute: 2, burst: 100 };

/** Charges the project with such an email. Throws `rate_limited`. */
export function confirmationCharge(front: Sql): (projectId: string) => Promise<void> {
  return projectId => chargeRequest(front, `channel-confirmation ${projectId}`, confirmationRate);
}
