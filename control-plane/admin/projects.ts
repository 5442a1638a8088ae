import { dayMs } from '#shared/duration.ts';
import { eraseEvents, eraseUser } from '../flows/erase.ts';
import { createToken } from '../projects/create-token.ts';
import { type Project, plans } from '../projects/project.ts';
import { revokeTokens } from '../projects/revoke-token.ts';
import { findProject, insertProject, updateLimits } from '../projects/store.ts';
import { auditToken, scopes } from '../projects/token.ts';
import { type Options, requireOption, requireWholeNumber } from './options.ts';
import { madeEntry } from './record.ts';
import type { AdminServices, CommandServices } from './services.ts';

const defaultLimits = { sustained_per_second: 200, burst_per_second: 1000, burst_seconds: 30 };

export async function createProject(options: Options, { sql, nowMs, record }: CommandServices): Promise<unknown> {
  const plan = plans.find(candidate => candidate === (options.plan ?? 'pro'));
  if (plan === undefined) throw new Error(`--plan must be one of ${plans.join(', ')}.`);
  const project = await insertProject(sql, requireOption(options, 'name'), plan, nowMs);
  await record(project.id, madeEntry('project.created', project.id, project.name, project));
  return project;
}

/** Only the larger plans may exceed the default limits; any plan may return to them. */
export async function changeLimits(options: Options, { sql, record }: CommandServices): Promise<unknown> {
  const project = await requireProject(options, sql);
  const limits = {
    sustained_per_second: requireWholeNumber(options, 'sustained'),
    burst_per_second: requireWholeNumber(options, 'burst'),
    burst_seconds: requireWholeNumber(options, 'burst-seconds'),
  };
  if (limits.burst_per_second < limits.sustained_per_second)
    throw new Error('--burst must not be less than --sustained.');
  const isRaised =
    limits.sustained_per_second > defaultLimits.sustained_per_second ||
    limits.burst_per_second > defaultLimits.burst_per_second ||
    limits.burst_seconds > defaultLimits.burst_seconds;
  if (isRaised && !['business', 'enterprise'].includes(project.plan))
    throw new Error('Limits above the default require the business or enterprise plan.');
  const changed = await updateLimits(sql, project.id, limits);
  const [before, after] = [project.ingest_limits, limits];
  await record(project.id, {
    action: 'project.limits_changed',
    subject: project.id,
    name: project.name,
    before,
    after,
  });
  return changed;
}

/** The user is in the audit as a keyed hash only. */
export async function eraseOneUser(options: Options, services: CommandServices): Promise<unknown> {
  const [projectId, user] = [requireOption(options, 'project'), requireOption(options, 'user')];
  const erased = await eraseUser(services.pool, projectId, user, services.nowMs);
  const subject = await services.hash(projectId, user);
  await services.record(projectId, madeEntry('event.user_erased', subject, null, erased));
  return erased;
}

export async function eraseAllEvents(
  options: Options,
  { sql, pool, nowMs, record }: CommandServices,
): Promise<unknown> {
  const { id, name } = await requireProject(options, sql);
  if (options.confirm !== id)
    throw new Error(
      'This permanently deletes all events, flows and releases of the project. Repeat its id to confirm: --confirm ID.',
    );
  const erased = await eraseEvents(pool, id, nowMs);
  await record(id, madeEntry('event.erased', id, name, erased));
  return erased;
}

export async function issueToken(options: Options, { sql, nowMs, record }: CommandServices): Promise<unknown> {
  const project = await requireProject(options, sql);
  const granted = (options.scopes ?? '*').split(',');
  const unknown = granted.find(scope => !scopes.includes(scope));
  if (unknown !== undefined) throw new Error(`Unknown scope ${unknown}. Scopes: ${scopes.join(', ')}.`);
  const days = options['expires-in-days'];
  if (days !== undefined && !(Number(days) > 0)) throw new Error('--expires-in-days must be a positive number.');
  const expiresAt = days === undefined ? null : nowMs + Number(days) * dayMs;
  const name = requireOption(options, 'name');
  const token = await createToken(sql, { projectId: project.id, name, scopes: granted, expiresAt }, nowMs);
  await record(project.id, madeEntry('token.created', token.id, name, auditToken(token)));
  return token;
}

export async function revokeTokenOf(options: Options, { sql, nowMs, record }: CommandServices): Promise<unknown> {
  const id = requireOption(options, 'id');
  const keepDescendants = options.descendants === 'keep';
  if (options.descendants !== undefined && !keepDescendants) throw new Error('--descendants can only be keep.');
  const projectId = requireOption(options, 'project');
  const revoked = await revokeTokens(sql, { projectId, id, keepDescendants }, nowMs);
  if (revoked === null) throw new Error('The project has no such token.');
  await record(projectId, revoked);
  return { id, revoked: true };
}

/** The project of `--project`. Throws if it does not exist. */
export async function requireProject(options: Options, sql: AdminServices['sql']): Promise<Project> {
  const project = await findProject(sql, requireOption(options, 'project'));
  if (project === null) throw new Error('Project not found. `project list` lists all projects.');
  return project;
}
