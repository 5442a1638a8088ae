import { newId } from '#shared/ids.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { ChannelType } from './types/registry.ts';

/** A row of `channels`. Instants in milliseconds since the epoch. */
export type ChannelRow = {
  id: string;
  project_id: string;
  name: string;
  type: ChannelType;
  sealed_config: Buffer;
  sealed_secret: Buffer | null;
  address_ids: string[];
  detail: 'full' | 'brief';
  enabled: boolean;
  failures: number;
  failing_since: number | null;
  last_sent_at: number | null;
  last_error: string | null;
  created_at: number;
  updated_at: number;
  /** Its addresses that are not confirmed. */
  unconfirmed_ids: string[];
  unconfirmed_addresses: Buffer[];
};

const columns = fragment`
  c.id, c.project_id, c.name, c.type, c.sealed_config, c.sealed_secret, c.address_ids, c.detail, c.enabled, c.failures,
  c.failing_since, c.last_sent_at, c.last_error, c.created_at, c.updated_at,
  array(
    select a.id
    from channel_addresses a
    where a.id = any(c.address_ids)
      and a.confirmed_at is null
    order by a.id
  ) as unconfirmed_ids,
  array(
    select a.sealed_address
    from channel_addresses a
    where a.id = any(c.address_ids)
      and a.confirmed_at is null
    order by a.id
  ) as unconfirmed_addresses`;

export function newChannelId(nowMs: number): string {
  return newId('chn', nowMs);
}

export type NewChannel = Pick<
  ChannelRow,
  'id' | 'project_id' | 'name' | 'type' | 'address_ids' | 'detail' | 'enabled'
> & { sealedConfig: Uint8Array; sealedSecret: Uint8Array | null };

/** False if the project has a channel of the name. */
export async function insertChannel(sql: Sql, channel: NewChannel, nowMs: number): Promise<boolean> {
  const count = await sql.run`
    insert into channels (
      id, project_id, name, type, sealed_config, sealed_secret, address_ids, detail, enabled, created_at, updated_at
    )
    values (
      ${channel.id}, ${channel.project_id}, ${channel.name}, ${channel.type}, ${channel.sealedConfig},
      ${channel.sealedSecret}, ${channel.address_ids}, ${channel.detail}, ${channel.enabled}, ${instant(nowMs)},
      ${instant(nowMs)}
    )
    on conflict (project_id, name) do nothing`;
  return count === 1;
}

export type ChannelChange = {
  name?: string | undefined;
  detail?: string | undefined;
  enabled?: boolean | undefined;
  config?: { sealed: Uint8Array; addressIds: readonly string[] } | undefined;
};

/** Changes what is given. A new configuration starts with a clean record. */
export async function updateChannel(sql: Sql, projectId: string, id: string, change: ChannelChange, nowMs: number) {
  const sealed = change.config?.sealed ?? null;
  await sql.run`
    update channels
    set name = coalesce(${change.name ?? null}, name),
      detail = coalesce(${change.detail ?? null}, detail),
      enabled = coalesce(${change.enabled ?? null}, enabled),
      sealed_config = coalesce(${sealed}, sealed_config),
      address_ids = coalesce(${change.config?.addressIds ?? null}::text[], address_ids),
      failures = case when ${sealed !== null} then 0 else failures end,
      failing_since = case when ${sealed !== null} then null else failing_since end,
      updated_at = ${instant(nowMs)}
    where project_id = ${projectId}
      and id = ${id}`;
}

/** Replaces the configuration that was read, unless it was changed since. */
export async function replaceConfig(
  sql: Sql,
  { id, sealed_config: before }: Pick<ChannelRow, 'id' | 'sealed_config'>,
  sealed: Uint8Array,
  nowMs: number,
): Promise<void> {
  await sql.run`
    update channels
    set sealed_config = ${sealed}, updated_at = ${instant(nowMs)}
    where id = ${id}
      and sealed_config = ${before}`;
}

/** Whether another channel of the project has the name. */
export async function isNameTaken(sql: Sql, projectId: string, name: string, exceptId: string): Promise<boolean> {
  const row = await sql.row`
    select 1
    from channels
    where project_id = ${projectId}
      and name = ${name}
      and id <> ${exceptId}`;
  return row !== null;
}

/** Null when the project has no such channel. */
export function findChannel(sql: Sql, projectId: string, id: string): Promise<ChannelRow | null> {
  return sql.row<ChannelRow>`
    select ${columns}
    from channels c
    where c.project_id = ${projectId}
      and c.id = ${id}`;
}

/** The names of channels by their ids, without those that the project does not have. */
export async function readChannelNames(
  sql: Sql,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.rows<{ id: string; name: string }>`
    select id, name
    from channels
    where project_id = ${projectId}
      and id = any(${ids}::text[])`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Locks the channel; false when the project has no such channel. */
export async function lockChannel(sql: Sql, projectId: string, id: string): Promise<boolean> {
  const row = await sql.row`
    select 1
    from channels
    where project_id = ${projectId}
      and id = ${id}
    for update`;
  return row !== null;
}

/** Newest first. Reads one row more than the page shows. */
export function listChannels(sql: Sql, projectId: string, page: Page): Promise<ChannelRow[]> {
  return sql.rows<ChannelRow>`
    select ${columns}
    from channels c
    where c.project_id = ${projectId}
      and ${olderThan(page, fragment`c.created_at, c.id`)}
    order by c.created_at desc, c.id desc
    limit ${page.limit + 1}`;
}

export async function deleteChannel(sql: Sql, projectId: string, id: string): Promise<void> {
  await sql.run`
    delete from channels
    where project_id = ${projectId}
      and id = ${id}`;
}
