import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import { parseBody } from '../../platform/http/bodies/parse-body.ts';
import { hasChanges } from '../../platform/http/endpoint/has-changes.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { Problem } from '../../platform/http/problem.ts';
import { deleteUnusedAddresses } from './addresses/address-store.ts';
import type { ChannelPatch } from './channel.ts';
import { type ChannelServices, completeConfig, keepAddresses } from './configure.ts';
import { openConfig, sealConfig } from './secrets/sealed.ts';
import { type ChannelChange, findChannel, isNameTaken, lockChannel, updateChannel } from './store.ts';
import { type ChannelType, channelTypes } from './types/registry.ts';

/**
 * Changes the fields that are given another value; `config` is replaced as a whole. False if nothing changed. Throws
 * `not_found`, `name_taken` and `validation_failed`.
 */
export async function changeChannel(
  sql: Sql,
  services: ChannelServices,
  { projectId, id, expectedUpdate }: { projectId: string; id: string; expectedUpdate: number | null },
  { config: given, ...patch }: ChannelPatch,
  nowMs: number,
): Promise<boolean> {
  const { keyring, reachable } = services;
  await lockChannel(sql, projectId, id);
  const present = await findChannel(sql, projectId, id);
  if (present === null) throw new Problem('not_found');
  requireUnchanged(expectedUpdate, present.updated_at);
  const stored = openConfig(present, keyring);
  const config = given === undefined ? stored : await readConfig(present.type, given, stored, reachable);
  if (!hasChanges({ ...patch, config }, { ...present, config: stored })) return false;
  if (patch.name !== undefined && (await isNameTaken(sql, projectId, patch.name, id))) throw new Problem('name_taken');
  const change: ChannelChange = { ...patch };
  if (given !== undefined) {
    const mailboxes = channelTypes[present.type].mailboxes?.(config) ?? [];
    const addressIds = await keepAddresses(sql, services, projectId, mailboxes, nowMs);
    change.config = { sealed: sealConfig(id, config, keyring), addressIds };
  }
  await updateChannel(sql, projectId, id, change, nowMs);
  await deleteUnusedAddresses(sql, projectId);
  return true;
}

async function readConfig(
  type: ChannelType,
  given: unknown,
  stored: Readonly<Record<string, unknown>>,
  reachable: ChannelServices['reachable'],
): Promise<Readonly<Record<string, unknown>>> {
  const { config } = await parseBody(z.object({ config: channelTypes[type].schema }), { config: given });
  return completeConfig(type, config, stored, reachable);
}
