import { isDeepStrictEqual } from 'node:util';
import type { Change, Effect } from '../../platform/audit/entry.ts';
import { sealed } from '../../platform/audit/sealed.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { fieldProblem, Problem } from '../../platform/http/problem.ts';
import { applyVersion, type MonitorServices } from '../monitors/configure.ts';
import { type StoredMonitor, toMonitor } from '../monitors/row.ts';
import { hiddenValue } from '../monitors/secrets/hidden.ts';
import { lockSecretUses, readSecretsNamed, valueContext } from '../monitors/secrets/project-secrets-store.ts';
import { referenceErrors } from '../monitors/secrets/reference-errors.ts';
import { namesOf } from '../monitors/secrets/uses.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import { lockStates } from '../monitors/state/state-store.ts';
import { lockMonitor, writeNewVersion } from '../monitors/store.ts';
import { auditSecret, type SecretPatch, type SecretRow } from './secret.ts';
import { listUses, lockSecret, updateSecret } from './store.ts';

type Target = { projectId: string; id: string; expectedUpdate: number | null };

/** A monitor that uses the secret, locked. */
type User = { monitor: StoredMonitor; state: MonitorState };

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
  for (const { monitor } of users) {
    if (movesHosts) await requireFit(sql, services, monitor, [row.name, { id, hosts, value: stored }], '/hosts');
    if (rotates) await requireFit(sql, services, monitor, [row.name, { id, hosts, value }], '/value');
  }
  await updateSecret(sql, keyring, { id, description, hosts, value: rotates ? value : null }, nowMs);
  const also: Effect[] = [];
  for (const { monitor, state } of rotates ? users : []) {
    const next = { ...monitor, configVersion: monitor.configVersion + 1, updatedAt: nowMs };
    await writeNewVersion(sql, next);
    const change = { newVersion: true, dropsVotes: false, resetsStart: false };
    await applyVersion(sql, services, { monitor: next, deleted: false, change, state }, nowMs);
    also.push(rotationEffect(monitor, row.name, { before: stored, after: value }));
  }
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

/** The monitors that use the secret, with their states, both locked in id order. */
async function lockUsers(sql: Sql, { keyring }: MonitorServices, secret: SecretRow): Promise<User[]> {
  const uses = await listUses(sql, secret.project_id, secret.id);
  const states = await lockStates(
    sql,
    uses.map(({ monitor_id: monitorId }) => monitorId),
  );
  const users: User[] = [];
  for (const state of states) {
    const row = await lockMonitor(sql, secret.project_id, state.monitorId);
    if (row !== null) users.push({ monitor: toMonitor(row, keyring), state });
  }
  return users;
}

/** Throws if the monitor could not be sent with the secret as it would be. */
async function requireFit(
  sql: Sql,
  { keyring }: MonitorServices,
  { id, projectId, settings, secretFields }: StoredMonitor,
  [name, changed]: readonly [string, { id: string; hosts: readonly string[] | null; value: string }],
  pointer: '/hosts' | '/value',
): Promise<void> {
  const names = namesOf(settings, secretFields).filter(other => other !== name);
  const secrets = await readSecretsNamed(sql, keyring, projectId, names);
  const [error] = referenceErrors(settings, secretFields, secrets.set(name, changed));
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
