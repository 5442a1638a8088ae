import type pg from 'pg';
import { endAllSessions } from '../../../access/sessions/store.ts';
import { pauseSending, putQueuedOnHold } from '../../../delivery/notifications/sending-store.ts';
import { forgetSessions } from '../../../monitoring/agents/directory-store.ts';
import { sqlOf } from '../../../platform/db/sql.ts';
import { markRestored } from '../../../platform/facts/store.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { endAllVisits } from '../../../publishing/status-pages/access/end-visits.ts';
import { unfinishedMark } from './copy-store.ts';

/** A session of somebody else in the database. */
export type OtherSession = { name: string; address: string; pid: number };

/** Sessions that work with the database, but for those of this command. The first tells its version if any does. */
export async function listOtherSessions(client: pg.ClientBase): Promise<OtherSession[]> {
  const { rows } = await client.query<OtherSession>(
    `select
       coalesce(nullif(application_name, ''), 'a session without a name') as name,
       coalesce(host(client_addr), 'this machine') as address,
       pid
     from pg_stat_activity
     where datname = current_database()
       and pid <> pg_backend_pid()
       and backend_type = 'client backend'
       and application_name not in ('upquorum admin', 'upquorum schema')
     order by application_name like 'upquorum _%.%' desc, application_name, pid`,
  );
  return rows;
}

/**
 * What a database contains: `table` names one of its tables, null if it has none. `configured` counts its projects,
 * agents and regions if the tables are ours, and is null otherwise.
 */
type Content = { table: string | null; configured: number | null };

/** What the database contains besides extensions and the mark of an unfinished restore. */
export async function describeContent(client: pg.ClientBase): Promise<Content> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name
     from pg_class c
     where c.relnamespace = current_schema()::regnamespace
       and c.relkind in ('r', 'p', 'v', 'm', 'f')
       and not c.relispartition
       and c.relname <> $1
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     order by c.relname`,
    [unfinishedMark],
  );
  const names = new Set(rows.map(({ name }) => name));
  const ours = ['storage_edition', 'schema_migrations', 'projects', 'agents', 'regions'].every(name => names.has(name));
  return { table: rows[0]?.name ?? null, configured: ours ? await countConfigured(client) : null };
}

async function countConfigured(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    `select (select count(*) from projects) + (select count(*) from agents) + (select count(*) from regions) as count`,
  );
  return Number(rows[0]?.count ?? 0);
}

/** No program starts on the database while it has this mark: see db/migrate.ts. */
export async function markUnfinished(client: pg.ClientBase): Promise<void> {
  await client.query(`create table if not exists ${unfinishedMark} (since timestamptz not null default now())`);
}

/**
 * Ends a restore, in its transaction: nothing is sent until somebody resumes it, and what was queued or pending at the
 * backup is held, since it may have been sent after it.
 */
export async function finishRestore(
  client: pg.Client,
  keyring: Keyring,
  { reason, heldReason }: { reason: string; heldReason: string },
): Promise<void> {
  const sql = sqlOf(client);
  await pauseSending(sql, reason, Date.now());
  await putQueuedOnHold(sql, heldReason, Date.now());
  // Their deliveries are held too: see delivery/notifications/fan-out.ts.
  await markRestored(sql);
  await forgetSessions(sql);
  await endAllSessions(sql, Date.now());
  await endAllVisits(sql, keyring, Date.now());
  await client.query(`drop table ${unfinishedMark}`);
}
