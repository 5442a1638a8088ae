import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { newWebhookSecret } from '../../publishing/subscribers/subscriber.ts';
import type { ChannelPost } from './channel.ts';
import { type ChannelServices, completeConfig, keepAddresses } from './configure.ts';
import { sealChannelSecret, sealConfig } from './secrets/sealed.ts';
import { insertChannel, newChannelId } from './store.ts';
import { channelTypes } from './types/registry.ts';

/**
 * Creates a channel. Returns its id, and the secret that signs what a webhook gets. Throws `name_taken` and
 * `validation_failed`.
 */
export async function createChannel(
  sql: Sql,
  services: ChannelServices,
  projectId: string,
  { type, name, detail, enabled, config: given }: ChannelPost,
  nowMs: number,
): Promise<{ id: string; secret: string | null }> {
  const { keyring, reachable } = services;
  const id = newChannelId(nowMs);
  const config = completeConfig(type, given as Readonly<Record<string, unknown>>, null, reachable);
  const { isSigned, mailboxes } = channelTypes[type];
  const secret = isSigned === true ? newWebhookSecret() : null;
  const addressIds = await keepAddresses(sql, services, projectId, mailboxes?.(config) ?? [], nowMs);
  const inserted = await insertChannel(
    sql,
    {
      ...{ id, project_id: projectId, name, type, address_ids: addressIds, detail, enabled },
      sealedConfig: sealConfig(id, config, keyring),
      sealedSecret: secret === null ? null : sealChannelSecret(id, secret, keyring),
    },
    nowMs,
  );
  if (!inserted) throw new Problem('name_taken');
  return { id, secret };
}
