import { dayMs, secondMs } from '#shared/duration.ts';
import { eraseUser } from '../../analytics/erasures/erase-now.ts';
import { eraseEvents } from '../../analytics/flows/erase.ts';
import { createToken } from '../../platform/projects/create-token.ts';
import { setPlan } from '../../platform/projects/plan-store.ts';
import { eventRetentionDays, type Plan, type Project, plans } from '../../platform/projects/project.ts';
import { revokeTokens } from '../../platform/projects/revoke-token.ts';
import { findProject, insertProject, lockProject, updateLimits, updateProject } from '../../platform/projects/store.ts';
import { auditToken, scopes } from '../../platform/projects/token.ts';
import { type Options, requireOption, requireWholeNumber } from './options.ts';
import { madeEntry } from './record.ts';
import type { AdminServices, CommandServices } from './services.ts';
import { findLongestWindow } from './store.ts';

const defaultLimits = { sustained_per_second: 200, burst_per_second: 1000, burst_seconds: 30 };
const noProject = 'Project not found. `project list` lists all projects.';

export async function createProject(options: Options, { sql, nowMs, record }: CommandServices): Promise<unknown> {
  const project = await insertProject(sql, requireOption(options, 'name'), toPlan(options.plan ?? 'pro'), nowMs);
  await record(project.id, madeEntry('project.created', project.id, project.name, project));
  return project;
}

/** Renames a project or changes its plan, and with it how long raw events are kept. */
export async function changeProject(options: Options, services: CommandServices): Promise<unknown> {
  const { sql, record } = services;
  const id = requireOption(options, 'id');
  if (options.name === undefined && options.plan === undefined) throw new Error('--name or --plan is required.');
  const name = options.name === undefined ? undefined : requireOption(options, 'name');
  const before = await lockProject(sql, id);
  if (before === null) throw new Error(noProject);
  if (options.plan !== undefined) await changePlan(before, toPlan(options.plan), services);
  const after = (await updateProject(sql, id, { name }, Date.now())) ?? before;
  await record(id, { action: 'project.updated', subject: id, name: after.name, before, after });
  return after;
}

/** What the plan does not allow is refused, so that it is changed knowingly and not left as it is. */
async function changePlan(project: Project, plan: Plan, { sql, progress }: CommandServices): Promise<void> {
  if (isRaised(project.ingest_limits)) requireLargePlan(plan);
  const days = eventRetentionDays(plan);
  const windowSeconds = (await findLongestWindow(sql, project.id)) ?? 0;
  if (windowSeconds * secondMs > (days - 1) * dayMs)
    throw new Error(`The plan keeps raw events ${days} days, and a flow has a window of more than ${days - 1} days.`);
  if (days < project.event_retention_days) progress(`Raw events of more than ${days} days will be deleted.`);
  await setPlan(sql, project.id, plan);
}

function toPlan(text: string): Plan {
  const plan = plans.find(candidate => candidate === text);
  if (plan === undefined) throw new Error(`--plan must be one of ${plans.join(', ')}.`);
  return plan;
}

function isRaised(limits: Project['ingest_limits']): boolean {
  return (
    limits.sustained_per_second > defaultLimits.sustained_per_second ||
    limits.burst_per_second > defaultLimits.burst_per_second ||
    limits.burst_seconds > defaultLimits.burst_seconds
  );
}

function requireLargePlan(plan: Plan): void {
  if (!['business', 'enterprise'].includes(plan))
    throw new Error('Limits above the default require the business or enterprise plan.');
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
  if (isRaised(limits)) requireLargePlan(project.plan);
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
  const erased = await eraseUser(services.pool, services.hash, { projectId, externalId: user }, services.nowMs);
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

export async function issueToken(options: Options, services: CommandServices): Promise<unknown> {
  const { sql, nowMs, record, progress } = services;
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
  progress(`The token has ${granted.includes('*') ? 'all scopes (*)' : `the scopes ${granted.join(', ')}`}.`);
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
  if (project === null) throw new Error(noProject);
  return project;
}
