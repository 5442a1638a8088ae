import type { Assignment } from '#shared/protocol/messages.ts';
import { offsetMs } from '#shared/slots.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { withAuthorization, withAuthSecret } from '../monitors/auth/auth.ts';
import { wireEgressOf } from '../monitors/egress/egress.ts';
import { withPrivateKey } from '../monitors/egress/stored.ts';
import { checkOf } from '../monitors/kinds/rules.ts';
import { effectiveTimeoutMs } from '../monitors/monitor.ts';
import type { MonitorRow } from '../monitors/row.ts';
import { ownSettings } from '../monitors/row.ts';
import { openSecrets } from '../monitors/secrets/secrets.ts';

/** The assignment of a monitor to a region's agent, with headers and body in clear. */
export function toAssignment(row: MonitorRow, region: string, keyring: Keyring): Assignment {
  const secrets = openSecrets(row, keyring);
  const { headers, body, ...kind } = ownSettings(row, secrets);
  const egress = wireEgressOf(withPrivateKey(row.egress, secrets.privateKey ?? null));
  const auth = withAuthSecret(row.auth, secrets.authSecret ?? '');
  const check = checkOf({ url: row.url, ...kind });
  const intervalMs = row.interval_seconds * 1000;
  return {
    monitor_id: row.id,
    config_version: row.config_version,
    lane: row.project_id,
    url: row.url,
    method: row.method,
    headers:
      kind.grpc == null
        ? withAuthorization(headers, auth)
        : withAuthorization(kind.grpc.metadata, auth, 'authorization'),
    body,
    interval_ms: intervalMs,
    timeout_ms: effectiveTimeoutMs(row),
    offset_ms: offsetMs(row.id, intervalMs, region, row.regions),
    follow_redirects: row.follow_redirects,
    assertions: row.assertions,
    ...(check === null ? {} : { check }),
    ...(egress === null ? {} : { egress }),
  };
}
