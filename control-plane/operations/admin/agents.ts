import { isVoter } from '#shared/vocabulary.ts';
import { enrollAgent } from '../../monitoring/agents/enroll.ts';
import { insertRegion, revokeAgent } from '../../monitoring/agents/store.ts';
import { isUniqueViolation } from '../../platform/db/errors.ts';
import { type Options, requireOption } from './options.ts';
import { requireProject } from './projects.ts';
import { madeEntry } from './record.ts';
import type { CommandServices } from './services.ts';
import { findProjectOf } from './store.ts';

export async function createRegion(options: Options, { sql, nowMs, record }: CommandServices): Promise<unknown> {
  const code = requireOption(options, 'code');
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(code))
    throw new Error('--code must consist of lower-case letters, digits and hyphens, for example eu-west.');
  if (isVoter(code)) throw new Error(`--code must not be ${code}: that is who votes on monitors without agents.`);
  const projectId = options.project === undefined ? null : (await requireProject(options, sql)).id;
  const name = options.name ?? code;
  if (!(await insertRegion(sql, { code, name, projectId }, nowMs))) throw new Error(`Region ${code} already exists.`);
  await record(projectId, madeEntry('region.created', code, name, { code, name }));
  return { code, name, project_id: projectId };
}

export async function createAgent(options: Options, { sql, nowMs, record }: CommandServices): Promise<unknown> {
  const region = requireOption(options, 'region');
  try {
    const agent = await enrollAgent(sql, region, options.name ?? `${region}-${nowMs.toString(36)}`, nowMs);
    if (agent === null)
      throw new Error(`Region ${region} does not exist. Create it with \`region create --code ${region}\`.`);
    const projectId = await findProjectOf(sql, { region });
    await record(projectId, madeEntry('agent.created', agent.id, agent.name, { region, name: agent.name }));
    return agent;
  } catch (error) {
    if (isUniqueViolation(error)) throw new Error(`Region ${region} already has an agent named ${options.name}.`);
    throw error;
  }
}

export async function revokeAgentById(options: Options, { sql, nowMs, record }: CommandServices): Promise<unknown> {
  const id = requireOption(options, 'id');
  if (!(await revokeAgent(sql, id, nowMs))) throw new Error('Agent not found, or already revoked.');
  const projectId = await findProjectOf(sql, { id });
  const fields = { before: { revoked: false }, after: { revoked: true } };
  await record(projectId, { action: 'agent.revoked', subject: id, name: null, ...fields });
  return { id, revoked: true };
}
