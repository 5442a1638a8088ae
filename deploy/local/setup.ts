import { join } from 'node:path';
import got, { type Got } from 'got';
import pg from 'pg';
import { enrollAgent } from '#control-plane/monitoring/agents/enroll.ts';
import { insertRegion } from '#control-plane/monitoring/agents/store.ts';
import { connectionOptions } from '#control-plane/platform/db/pool.ts';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { createToken } from '#control-plane/platform/projects/create-token.ts';
import { insertProject } from '#control-plane/platform/projects/store.ts';
import { hashBearer } from '#control-plane/platform/secrets/bearer.ts';
import { newSecretKey } from '#control-plane/platform/secrets/keyring.ts';
import type { LocalCertificate } from './certificate.ts';
import type { SamplePorts } from './sample-site.ts';
import { agentExists, revokeAgentByName, tokenExists } from './setup-store.ts';
import { readState, writeState } from './state-file.ts';

/** Enrols agents in shared regions, which receive the headers of all projects' monitors. */
const operatorScope = 'agents:operate';

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

/** `link_token` stands in the URL of the sample shop, and reads what that page shows. */
export type SampleAccess = ProjectAccess & { link_token: string };

/** Where the launcher reaches the control plane, and where monitors do. */
export type LocalAddresses = { baseUrl: string; watchedUrl: string };

/**
 * Content of credentials.json: what a start reuses from the one before it. `sample` is a project of its own for the
 * sample page and the sample shop.
 */
export type Credentials = ProjectAccess & {
  sample?: ProjectAccess & Partial<SampleAccess>;
  agents: Record<string, string>;
  first_monitor: boolean;
  sample_page?: boolean;
  sample_kinds?: string[];
  sample_heartbeat?: string;
  sample_ports?: SamplePorts;
  sample_certificate?: LocalCertificate;
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
export async function setUp(dataDir: string, databaseUrl: string): Promise<Credentials & { sample: SampleAccess }> {
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
    const sample = await sampleProject(sql, credentials);
    credentials.sample = sample;
    for (const region of localRegions) {
      await insertRegion(sql, { code: region, name: region, projectId: null }, Date.now());
      const secret = credentials.agents[region];
      if (secret === undefined || !(await agentExists(sql, hashBearer(secret))))
        credentials.agents[region] = await replaceAgent(sql, region);
    }
    await writeState(path, credentials);
    return { ...credentials, sample };
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

async function sampleProject(sql: Sql, credentials: Credentials): Promise<SampleAccess> {
  const { sample } = credentials;
  const isValid = sample !== undefined && (await tokenExists(sql, hashBearer(sample.token), sample.project_id));
  return withLinkToken(sql, isValid ? sample : await createProject(sql, 'Sample project', ['*']));
}

async function withLinkToken(
  sql: Sql,
  { project_id, token, link_token: stored }: ProjectAccess & { link_token?: string | undefined },
): Promise<SampleAccess> {
  const isValid = stored !== undefined && (await tokenExists(sql, hashBearer(stored), project_id));
  const link_token = isValid ? stored : await addToken(sql, project_id, 'sample shop', ['events:read', 'flows:read']);
  return { project_id, token, link_token };
}

async function createCredentials(sql: Sql): Promise<Credentials> {
  return { ...(await createProject(sql, 'My project', ['*', operatorScope])), agents: {}, first_monitor: false };
}

async function createProject(sql: Sql, name: string, scopes: string[]): Promise<ProjectAccess> {
  const { id } = await insertProject(sql, name, 'team', Date.now());
  return { project_id: id, token: await addToken(sql, id, 'npm start', scopes) };
}

async function addToken(sql: Sql, projectId: string, name: string, scopes: string[]): Promise<string> {
  return (await createToken(sql, { projectId, name, scopes, expiresAt: null }, Date.now())).token;
}

/** Enrolls the local agent of a region. An earlier one whose secret is lost is revoked. Returns the secret. */
async function replaceAgent(sql: Sql, region: string): Promise<string> {
  const name = `local-${region}`;
  await revokeAgentByName(sql, region, name);
  const agent = await enrollAgent(sql, region, name, Date.now());
  if (agent === null) throw new Error(`region ${region} does not exist`);
  return agent.secret;
}
