import { join } from 'node:path';
import got, { type Got } from 'got';
import pg from 'pg';
import { enrollAgent } from '#control-plane/agents/enroll.ts';
import { insertRegion } from '#control-plane/agents/store.ts';
import { connectionOptions } from '#control-plane/db/pool.ts';
import { type Sql, sqlOf } from '#control-plane/db/sql.ts';
import { createToken } from '#control-plane/projects/create-token.ts';
import { insertProject } from '#control-plane/projects/store.ts';
import { hashBearer } from '#control-plane/secrets/bearer.ts';
import { newSecretKey } from '#control-plane/secrets/keyring.ts';
import { agentExists, revokeAgentByName, tokenExists } from './setup-store.ts';
import { readState, writeState } from './state-file.ts';

/** The regions of a local installation, one agent each. */
export const localRegions = ['eu-west', 'us-east', 'ap-south'] as const;

/** Content of local.json, for scripts: see the README. */
export type LocalFile = {
  base_url: string;
  token: string;
  project_id: string;
  sample_token: string;
  database_url: string;
};

/** A project and a token that may do everything in it. */
export type ProjectAccess = { project_id: string; token: string };

/** Where the launcher reaches the control plane, and where monitors do. */
export type LocalAddresses = { baseUrl: string; watchedUrl: string };

/**
 * Content of credentials.json: what a start reuses from the one before it. `sample` is a project of its own for the
 * sample page and the sample shop; files of an earlier version have none.
 */
export type Credentials = ProjectAccess & {
  sample?: ProjectAccess;
  agents: Record<string, string>;
  first_monitor: boolean;
  sample_page?: boolean;
};

/** The encryption keys of this installation, created by the first start. */
export async function loadSecretKeys(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secrets.json');
  const stored = await readState<{ secrets_keys: string }>(path);
  if (stored !== null) return stored.secrets_keys;
  const created = { secrets_keys: newSecretKey() };
  await writeState(path, created);
  return created.secrets_keys;
}

/**
 * Project, token, regions and agents: those of the last start as far as they exist in this database, otherwise new
 * ones.
 */
export async function setUp(dataDir: string, databaseUrl: string): Promise<Credentials> {
  const path = join(dataDir, 'credentials.json');
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: connectionOptions({ worker: true, statementTimeoutMs: 10_000 }),
  });
  await client.connect();
  try {
    const sql = sqlOf(client);
    const stored = await readState<Credentials>(path);
    const isValid = stored !== null && (await tokenExists(sql, hashBearer(stored.token), stored.project_id));
    const credentials = isValid ? stored : await createCredentials(sql);
    credentials.sample = await sampleProject(sql, credentials);
    for (const region of localRegions) {
      await insertRegion(sql, { code: region, name: region, projectId: null }, Date.now());
      const secret = credentials.agents[region];
      if (secret === undefined || !(await agentExists(sql, hashBearer(secret))))
        credentials.agents[region] = await replaceAgent(sql, region);
    }
    await writeState(path, credentials);
    return credentials;
  } finally {
    await client.end();
  }
}

/** A client of the API with the token of this installation. */
export function localApi(baseUrl: string, token: string): Got {
  return got.extend({ prefixUrl: baseUrl, headers: { authorization: `Bearer ${token}` }, retry: { limit: 3 } });
}

/** Creates a monitor of the control plane's own health, once per project: deleted, it is not created again. */
export async function createFirstMonitor(
  dataDir: string,
  { baseUrl, watchedUrl }: LocalAddresses,
  credentials: Credentials,
): Promise<void> {
  if (credentials.first_monitor) return;
  const api = localApi(baseUrl, credentials.token);
  const monitor = {
    name: 'Upquorum control plane',
    url: `${watchedUrl}/healthz`,
    interval_seconds: 30,
    regions: localRegions,
  };
  await api.post('v0/monitors', { json: monitor });
  credentials.first_monitor = true;
  await writeState(join(dataDir, 'credentials.json'), credentials);
}

/** Samples that an earlier version has put into the first project stay there. */
async function sampleProject(
  sql: Sql,
  { sample, sample_page, project_id, token }: Credentials,
): Promise<ProjectAccess> {
  if (sample === undefined && sample_page === true) return { project_id, token };
  const isValid = sample !== undefined && (await tokenExists(sql, hashBearer(sample.token), sample.project_id));
  return isValid ? sample : await createProject(sql, 'Sample project');
}

async function createCredentials(sql: Sql): Promise<Credentials> {
  return { ...(await createProject(sql, 'My project')), agents: {}, first_monitor: false };
}

async function createProject(sql: Sql, name: string): Promise<ProjectAccess> {
  const project = await insertProject(sql, name, 'team', Date.now());
  const token = await createToken(
    sql,
    { projectId: project.id, name: 'npm start', scopes: ['*', 'agents:operate'], expiresAt: null },
    Date.now(),
  );
  return { project_id: project.id, token: token.token };
}

/** Enrolls the local agent of a region. An earlier one whose secret is lost is revoked. Returns the secret. */
async function replaceAgent(sql: Sql, region: string): Promise<string> {
  const name = `local-${region}`;
  await revokeAgentByName(sql, region, name);
  const agent = await enrollAgent(sql, region, name, Date.now());
  if (agent === null) throw new Error(`region ${region} does not exist`);
  return agent.secret;
}
