import type { Assignment } from '#shared/protocol/messages.ts';
import { offsetMs } from '#shared/slots.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { readAuth, withAuthorization } from '../monitors/auth/auth.ts';
import { oauth2Of } from '../monitors/auth/oauth2.ts';
import { wireEgressOf } from '../monitors/egress/egress.ts';
import { withEgressSecrets } from '../monitors/egress/stored.ts';
import { checkOf } from '../monitors/kinds/rules.ts';
import { effectiveTimeoutMs } from '../monitors/monitor.ts';
import type { MonitorRow } from '../monitors/row.ts';
import { ownSettings } from '../monitors/row.ts';
import { valueContext } from '../monitors/secrets/project-secrets-store.ts';
import { openSecrets } from '../monitors/secrets/secrets.ts';
import { namesOf, type SecretValues, withValues } from '../monitors/secrets/uses.ts';

/** A monitor's row with the secrets of the project that it names, sealed in base64; null for none. */
export type AssignedRow = MonitorRow & { secrets?: Readonly<Record<string, { id: string; sealed: string }>> | null };

/** The assignment of a monitor to a region's agent, with headers and body in clear. Throws if it names no secret. */
export function toAssignment(row: AssignedRow, region: string, keyring: Keyring): Assignment {
  const sealed = openSecrets(row, keyring);
  const named = {
    url: row.url,
    ...ownSettings(row, sealed),
    egress: withEgressSecrets(row.egress, sealed),
    auth: readAuth(row.auth, sealed),
  };
  const values = valuesFor(row, namesOf(named, row.secret_fields), keyring);
  const settings = withValues(named, row.secret_fields, values);
  const { headers, body, grpc, auth } = settings;
  const egress = wireEgressOf(settings.egress);
  const check = checkOf(settings);
  const oauth2 = oauth2Of(auth);
  const intervalMs = row.interval_seconds * 1000;
  return {
    monitor_id: row.id,
    config_version: row.config_version,
    lane: row.project_id,
    url: row.url,
    method: row.method,
    headers: grpc == null ? withAuthorization(headers, auth) : withAuthorization(grpc.metadata, auth, 'authorization'),
    body,
    interval_ms: intervalMs,
    timeout_ms: effectiveTimeoutMs(row),
    offset_ms: offsetMs(row.id, intervalMs, region, row.regions),
    follow_redirects: row.follow_redirects,
    ...(row.http_version === null ? {} : { http_version: row.http_version }),
    assertions: row.assertions,
    ...(oauth2 === null ? {} : { auth: oauth2 }),
    ...(check === null ? {} : { check }),
    ...(egress === null ? {} : { egress }),
    ...(values.size === 0 ? {} : { secrets: [...values.values()] }),
  };
}

/** Nothing goes out with the name of a secret in place of its value. */
function valuesFor({ id, secrets }: AssignedRow, names: readonly string[], keyring: Keyring): SecretValues {
  return new Map(
    names.map(name => {
      const secret = secrets?.[name];
      if (secret === undefined) throw new Error(`monitor ${id} names a secret that is not there: ${name}`);
      return [name, keyring.open(Buffer.from(secret.sealed, 'base64'), valueContext(secret.id))];
    }),
  );
}
