import { isDeepStrictEqual } from 'node:util';
import type { Change, Effect } from '../../platform/audit/entry.ts';
import { sealed } from '../../platform/audit/sealed.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { fieldProblem, Problem } from '../../platform/http/problem.ts';
import { applySameVersions, type MonitorServices } from '../monitors/configure.ts';
import { type StoredMonitor, toMonitor } from '../monitors/row.ts';
import { hiddenValue } from '../monitors/secrets/hidden.ts';
import { lockSecretUses, readSecretsNamed, valueContext } from '../monitors/secrets/project-secrets-store.ts';
import { referenceErrors } from '../monitors/secrets/reference-errors.ts';
import { namesOf } from '../monitors/secrets/uses.ts';
import { lockStates } from '../monitors/state/state-store.ts';
import { lockMonitors } from '../monitors/store.ts';
import { auditSecret, type SecretPatch, type SecretRow } from './secret.ts';
import { listUses, lockSecret, updateSecret } from './store.ts';

type Target = { projectId: string; id: string; expectedUpdate: number | null };

/**
 * Changes a secret; a new value is a rotation: each monitor that uses it gets a new version, and no vote is dropped.
 * Returns the entry for the audit, null if no value differs. Throws `not_found`, `changed_since` and, where a use does
 * not fit, `validation_failed`.
 */
export async function changeSecret(
  sql: Sql,
  services: MonitorServices,
  { projectId, id, expectedUpdate }: Target,
  patch: SecretPatch,
  nowMs: number,
): Promise<Change | null> {
  await lockSecretUses(sql, projectId, 'alone');
  const row = await lockSecret(sql, projectId, id);
  if (row === null) throw new Problem('not_found');
  requireUnchanged(expectedUpdate, row.updated_at);
  const { keyring } = services;
  const stored = keyring.open(row.sealed_value, valueContext(id));
  const value = patch.value === undefined || patch.value === hiddenValue ? stored : patch.value;
  const { description = row.description, hosts = row.hosts } = patch;
  const rotates = value !== stored;
  const movesHosts = !isDeepStrictEqual(hosts, row.hosts);
  if (!rotates && !movesHosts && description === row.description) return null;
  const users = rotates || movesHosts ? await lockUsers(sql, services, row) : [];
  await requireFits(sql, services, users, { name: row.name, id, hosts, stored, value, movesHosts, rotates });
  await updateSecret(sql, keyring, { id, description, hosts, value: rotates ? value : null }, nowMs);
  const rotated = rotates ? users : [];
  await applySameVersions(sql, services, rotated, nowMs);
  const also = rotated.map(monitor => rotationEffect(monitor, row.name, { before: stored, after: value }));
  const after = { ...row, description, hosts, version: row.version + (rotates ? 1 : 0) };
  return {
    action: rotates ? 'secret.rotated' : 'secret.updated',
    subject: id,
    name: row.name,
    before: auditSecret(row, stored),
    after: auditSecret(after, value),
    also,
  };
}

/** The monitors that use the secret, locked with their states in id order. */
async function lockUsers(sql: Sql, { keyring }: MonitorServices, secret: SecretRow): Promise<StoredMonitor[]> {
  const uses = await listUses(sql, secret.project_id, secret.id);
  const ids = uses.map(({ monitor_id: monitorId }) => monitorId);
  await lockStates(sql, ids);
  return (await lockMonitors(sql, secret.project_id, ids)).map(row => toMonitor(row, keyring));
}

type Asked = {
  name: string;
  id: string;
  hosts: readonly string[] | null;
  stored: string;
  value: string;
  movesHosts: boolean;
  rotates: boolean;
};

/** Throws if a monitor could not be sent with the secret as it would be. */
async function requireFits(
  sql: Sql,
  { keyring }: MonitorServices,
  users: readonly StoredMonitor[],
  { name, id, hosts, stored, value, movesHosts, rotates }: Asked,
): Promise<void> {
  const [projectId = ''] = users.map(user => user.projectId);
  const named = users.flatMap(({ settings, secretFields }) => namesOf(settings, secretFields));
  const others = [...new Set(named)].filter(other => other !== name);
  const secrets = await readSecretsNamed(sql, keyring, projectId, others);
  for (const monitor of users) {
    if (movesHosts) requireFit(monitor, new Map(secrets).set(name, { id, hosts, value: stored }), '/hosts');
    if (rotates) requireFit(monitor, new Map(secrets).set(name, { id, hosts, value }), '/value');
  }
}

function requireFit(
  { id, settings, secretFields }: StoredMonitor,
  secrets: Awaited<ReturnType<typeof readSecretsNamed>>,
  pointer: '/hosts' | '/value',
): void {
  const [error] = referenceErrors(settings, secretFields, secrets);
  if (error === undefined) return;
  const where = 'pointer' in error && error.pointer !== '' ? ` at ${error.pointer}` : '';
  throw fieldProblem(pointer, 'not_allowed', `does not fit the monitor ${id}${where}: ${error.detail}`);
}

function rotationEffect(
  { id, settings }: StoredMonitor,
  secret: string,
  values: { before: string; after: string },
): Effect {
  const shown = (value: string) => ({ secrets: { [secret]: sealed(value) } });
  const [before, after] = [shown(values.before), shown(values.after)];
  return { resource: 'monitor', subject: id, name: settings.name, before, after };
}
