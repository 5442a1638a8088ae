import pg from 'pg';
import { sealSecrets } from '#control-plane/monitoring/monitors/secrets/secrets.ts';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import { newId } from '#shared/ids.ts';
import { testSecretKey } from '../../support/control-plane.ts';

/** Copies of one monitor of a project. */
export type Copies = { templateId: string; projectId: string; count: number };

const batchSize = 5000;

/**
 * Writes copies of monitors as if each had been created and were up, with new ids and names; their own secrets are
 * sealed for them. Nothing notices until the next reading. Returns their ids.
 */
export async function writeCopies(databaseUrl: string, { templateId, projectId, count }: Copies): Promise<string[]> {
  const keyring = createKeyring([testSecretKey]);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("set app.role = 'worker'");
    const texts = {
      monitors: await copyText(client, 'monitors', '$2::text[], $3::text[], $4::bytea[]', {
        id: 'n.id',
        name: 'n.name',
        sealed_headers: 'n.sealed',
        project_id: '$5::text',
        url: `'https://service-' || substr(n.id, 20) || '.example.com/health'`,
        changed_xid: 'pg_current_xact_id()',
      }),
      monitor_versions: await copyText(client, 'monitor_versions', '$2::text[]', ofMonitor),
      monitor_states: await copyText(client, 'monitor_states', '$2::text[]', ofMonitor),
    };
    const written: string[] = [];
    for (let first = 0; first < count; first += batchSize) {
      const ids = Array.from({ length: Math.min(batchSize, count - first) }, () => newId('mon'));
      const sealed = ids.map(id => sealSecrets(id, { headers: {}, body: null }, keyring).headers);
      const names = ids.map((_, index) => `Monitor ${first + index + 1}`);
      const bytes = sealed.map(each => Buffer.from(each));
      await client.query(texts.monitors, [templateId, ids, names, bytes, projectId]);
      await client.query(texts.monitor_versions, [templateId, ids, projectId]);
      await client.query(texts.monitor_states, [templateId, ids, projectId]);
      written.push(...ids);
    }
    return written;
  } finally {
    await client.end();
  }
}

const ofMonitor = { monitor_id: 'n.id', project_id: '$3::text' };

/** A statement that copies the template's row of a table once for each of the arrays, with these columns instead. */
async function copyText(client: pg.Client, table: string, arrays: string, own: Record<string, string>) {
  const { rows } = await client.query<{ name: string }>(
    'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped',
    [table],
  );
  const names = rows.map(({ name }) => name);
  const key = table === 'monitors' ? 'id' : 'monitor_id';
  return `insert into ${table} (${names.join()})
    select ${names.map(name => own[name] ?? `t.${name}`).join()}
    from ${table} t
    cross join unnest(${arrays}) as n (id${table === 'monitors' ? ', name, sealed' : ''})
    where t.${key} = $1`;
}

/** Makes every monitor up, with votes that do not expire, so that the sweep has nothing to do. */
export async function settleStates(databaseUrl: string, regions: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("set app.role = 'worker'");
    const now = Date.now();
    const vote = { vote: 'up', since: now, as_of: now, expires_at: null, failing_since: null, judged_at: now };
    await client.query(`update monitor_states set verdict = 'up', since = now(), sweep_at = null, votes = $1`, [
      JSON.stringify(Object.fromEntries(regions.map(region => [region, vote]))),
    ]);
    await client.query(`insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
      select monitor_id, since, project_id, verdict, '{}', config_version from monitor_states
      on conflict do nothing`);
    await client.query('vacuum analyze monitors');
    await client.query('vacuum analyze monitor_states');
    await client.query('analyze monitor_versions');
  } finally {
    await client.end();
  }
}
