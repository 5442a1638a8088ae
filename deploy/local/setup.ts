import { join } from 'node:path';
import got, { type Got } from 'got';
import pg from 'pg';
import { enrolAgent } from '#control-plane/agents/enrol.ts';
import { insertRegion } from '#control-plane/agents/store.ts';
import { connectionOptions } from '#control-plane/db/pool.ts';
import { type Sql, sqlOf } from '#control-plane/db/sql.ts';
import { createToken } from '#control-plane/projects/create-token.ts';
import { insertProject } from '#control-plane/projects/store.ts';
import { hashBearer } from '#control-plane/secrets/bearer.ts';
import { newSecretKey } from '#control-plane/secrets/keyring.ts';
import { readState, writeState } from './state-file.ts';

/** Regions of a local installation. */
export const localRegions = ['eu-west', 'us-east', 'ap-south'] as const;

/** What scripts may read: see the README. */
export type LocalFile = { base_url: string; token: string; project_id: string; database_url: string };

/** What is kept of a start for the next one. */
export type Credentials = {
  project_id: string;
  token: string;
  agents: Record<string, string>;
  first_monitor: boolean;
  sample_page?: boolean;
};

/** The keys of development, made at the first start and kept. */
export async function keepSecretKeys(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secrets.json');
  const kept = await readState<{ secrets_keys: string }>(path);
  if (kept !== null) return kept.secrets_keys;
  const made = { secrets_keys: newSecretKey() };
  await writeState(path, made);
  return made.secrets_keys;
}

/** Project, token, regions and agents: those of the last start as far as this database still knows them, else new ones. */
export async function setUp(dataDir: string, databaseUrl: string): Promise<Credentials> {
  const path = join(dataDir, 'credentials.json');
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: connectionOptions({ worker: true, statementTimeoutMs: 10_000 }),
  });
  await client.connect();
  try {
    const sql = sqlOf(client);
    const kept = await readState<Credentials>(path);
    const credentials = kept !== null && (await isKnown(sql, kept)) ? kept : await createCredentials(sql);
    for (const region of localRegions) {
      await insertRegion(sql, { code: region, name: region, projectId: null }, Date.now());
      const secret = credentials.agents[region];
      if (secret === undefined || !(await knowsAgent(sql, secret)))
        credentials.agents[region] = await enrol(sql, region);
    }
    await writeState(path, credentials);
    return credentials;
  } finally {
    await client.end();
  }
}

/** The API with the token of this installation. */
export function localApi(baseUrl: string, token: string): Got {
  return got.extend({ prefixUrl: baseUrl, headers: { authorization: `Bearer ${token}` }, retry: { limit: 3 } });
}

/** A monitor on the control plane's own health, once a project: who deletes it does not get it back. */
export async function makeFirstMonitor(dataDir: string, baseUrl: string, credentials: Credentials): Promise<void> {
  if (credentials.first_monitor) return;
  const api = localApi(baseUrl, credentials.token);
  const monitor = {
    name: 'Upquorum control plane',
    url: `${baseUrl}/healthz`,
    interval_seconds: 30,
    regions: localRegions,
  };
  await api.post('v0/monitors', { json: monitor });
  credentials.first_monitor = true;
  await writeState(join(dataDir, 'credentials.json'), credentials);
}

async function isKnown(sql: Sql, credentials: Credentials): Promise<boolean> {
  const row = await sql.row('select 1 from tokens where hash = $1 and project_id = $2 and revoked_at is null', [
    hashBearer(credentials.token),
    credentials.project_id,
  ]);
  return row !== null;
}

async function knowsAgent(sql: Sql, secret: string): Promise<boolean> {
  return (
    (await sql.row('select 1 from agents where secret_hash = $1 and revoked_at is null', [hashBearer(secret)])) !== null
  );
}

async function createCredentials(sql: Sql): Promise<Credentials> {
  const project = await insertProject(sql, 'My project', 'team', Date.now());
  const token = await createToken(
    sql,
    { projectId: project.id, name: 'npm start', scopes: ['*', 'agents:operate'], expiresAt: null },
    Date.now(),
  );
  return { project_id: project.id, token: token.token, agents: {}, first_monitor: false };
}

/** An older agent of this name whose secret is lost gives up its place. */
async function enrol(sql: Sql, region: string): Promise<string> {
  await sql.run(
    'update agents set revoked_at = now(), online = false, changed_xid = pg_current_xact_id() where region = $1 and name = $2 and revoked_at is null',
    [region, `local-${region}`],
  );
  const agent = await enrolAgent(sql, region, `local-${region}`, Date.now());
  if (agent === null) throw new Error(`region ${region} is missing`);
  return agent.secret;
}
