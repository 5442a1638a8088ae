import type pg from 'pg';
import type { EnvReader } from '#shared/env.ts';
import type { Logger } from '#shared/log.ts';
import { insertAgent, insertRegion } from '../../monitoring/agents/store.ts';
import { insertEntry } from '../../platform/audit/store.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { insertProject, insertToken } from '../../platform/projects/store.ts';
import { hashBearer, isBearer } from '../../platform/secrets/bearer.ts';
import { isSetUp, lockUnlessSetUp } from './first-setup-store.ts';

/** A project, its token and agents, which a new installation creates by itself. Secrets are hashed already. */
export type FirstSetup = Readonly<{
  project: string;
  tokenHash: Buffer;
  agents: readonly Readonly<{ region: string; secretHash: Buffer }>[];
}>;

const projectLengthMax = 200;
const scopes = ['*', 'agents:operate'];

/** Reads FIRST_PROJECT, FIRST_TOKEN and FIRST_AGENTS. A fault repeats no secret. */
export function readFirstSetup(reader: EnvReader): FirstSetup | null {
  const project = reader.optional('FIRST_PROJECT');
  const token = reader.optional('FIRST_TOKEN');
  const entries = reader.list('FIRST_AGENTS');
  if (project === null && token === null && entries.length === 0) return null;
  if (project === null || token === null) {
    reader.fault('FIRST_PROJECT and FIRST_TOKEN must be set together, also for FIRST_AGENTS');
    return null;
  }
  if (project.length > projectLengthMax) reader.fault(`FIRST_PROJECT must have at most ${projectLengthMax} characters`);
  if (!isBearer('upq', token))
    reader.fault('FIRST_TOKEN is not a well-formed token: create one with `npm run new-secret -- token`');
  const agents = entries.flatMap((entry, index) => {
    const [, region, secret] = /^([a-z0-9][a-z0-9-]{0,62}):(.*)$/.exec(entry) ?? [];
    if (region !== undefined && secret !== undefined && isBearer('upa', secret))
      return { region, secretHash: hashBearer(secret) };
    reader.fault(
      `entry ${index + 1} of FIRST_AGENTS is not a region and a secret, such as eu-west:upa_…: ` +
        'create secrets with `npm run new-secret -- agent`',
    );
    return [];
  });
  if (new Set(agents.map(({ secretHash }) => secretHash.toString('hex'))).size < agents.length)
    reader.fault('FIRST_AGENTS must have a different secret for each agent');
  return Object.freeze({ project, tokenHash: hashBearer(token), agents: Object.freeze(agents) });
}

/**
 * Creates project, token, regions and agents, all or nothing, if the database has no project yet: exactly once, however
 * many replicas start at the same time. Later starts change nothing, so that a revoked token stays revoked.
 */
export async function applyFirstSetup(pool: pg.Pool, setup: FirstSetup, nowMs: number, log: Logger): Promise<void> {
  // Most starts end here, without a lock.
  if (await isSetUp(sqlOf(pool))) return;
  const projectId = await transaction(pool, async sql => {
    if (!(await lockUnlessSetUp(sql))) return null;
    const project = await insertProject(sql, setup.project, 'team', nowMs);
    const token = { projectId: project.id, name: 'first token', hash: setup.tokenHash, scopes, expiresAt: null };
    await insertToken(sql, { ...token, createdBy: null }, nowMs);
    const counts = new Map<string, number>();
    for (const { region, secretHash } of setup.agents) {
      await insertRegion(sql, { code: region, name: region, projectId: null }, nowMs);
      const number = (counts.get(region) ?? 0) + 1;
      counts.set(region, number);
      await insertAgent(sql, { region, name: `${region}-${number}`, secretHash }, nowMs);
    }
    const { id, name, plan } = project;
    const actor = { type: 'admin', id: 'operator', name: null } as const;
    const origin = { projectId: id, actor, via: 'admin', requestId: null, planId: null } as const;
    const after = { name, plan, token: 'first token', agents: setup.agents.map(agent => agent.region) };
    await insertEntry(sql, origin, { action: 'project.created', subject: id, name, before: null, after }, nowMs);
    return project.id;
  });
  if (projectId !== null) log.info({ projectId, agents: setup.agents.length }, 'created the first project');
}
