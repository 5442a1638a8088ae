import { parseArgs } from 'node:util';
import type pg from 'pg';
import { enrolAgent } from '../agents/enrol.ts';
import { insertRegion, revokeAgent } from '../agents/store.ts';
import { rebuildHours } from '../checks/store.ts';
import { isUniqueViolation } from '../db/errors.ts';
import type { Sql } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { eraseEvents, eraseUser } from '../flows/erase.ts';
import { resealMonitors } from '../monitors/reseal.ts';
import { lockStates } from '../monitors/state-store.ts';
import { resealNotifications } from '../notifications/reseal.ts';
import { createToken } from '../projects/create-token.ts';
import { type Plan, plans } from '../projects/project.ts';
import { findProject, insertProject, revokeToken, updateLimits } from '../projects/store.ts';
import { scopes } from '../projects/token.ts';
import { createKeyring } from '../secrets/keyring.ts';
import { resealSubscribers } from '../subscribers/reseal.ts';

export type AdminServices = { sql: Sql; pool: pg.Pool; secretsKeys: readonly string[]; nowMs: number };

type Options = Readonly<Record<string, string | undefined>>;
type Command = { use: string; run(options: Options, services: AdminServices): Promise<unknown> };

const commands: Readonly<Record<string, Command>> = {
  'project create': { use: '--name NAME [--plan pro|team|agency|business|enterprise]', run: createProject },
  'project list': {
    use: '',
    run: (_, { sql }) => sql.rows('select id, name, plan, created_at from projects order by created_at'),
  },
  'project limits': {
    use: '--project ID --sustained PER_SECOND --burst PER_SECOND --burst-seconds N',
    run: changeLimits,
  },
  'events erase-user': { use: '--project ID --user EXTERNAL_ID', run: eraseOneUser },
  'events erase': { use: '--project ID --confirm ID', run: eraseAllEvents },
  'token create': { use: '--project ID --name NAME [--scopes a:read,b:write] [--expires-in-days N]', run: makeToken },
  'token revoke': { use: '--project ID --id ID', run: endToken },
  'region create': { use: '--code CODE [--name NAME] [--project ID]', run: createRegion },
  'region list': { use: '', run: (_, { sql }) => sql.rows('select code, name, project_id from regions order by code') },
  'agent create': { use: '--region CODE [--name NAME]', run: createAgent },
  'agent list': {
    use: '',
    run: (_, { sql }) =>
      sql.rows('select id, region, name, online, last_seen_at, revoked_at from agents order by region, name'),
  },
  'agent revoke': { use: '--id ID', run: endAgent },
  'secrets reseal': { use: '', run: reseal },
  'checks rebuild': { use: '--monitor ID --from TIME --to TIME', run: rebuild },
};

/** Every command with its options. */
export const usage = `Usage: npm run admin -- COMMAND\n${Object.entries(commands)
  .map(([name, command]) => `  ${name} ${command.use}`.trimEnd())
  .join('\n')}`;

/** True when the user asks what there is. */
export function isHelp(args: readonly string[]): boolean {
  return args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? '');
}

/** Runs one command on the database and returns what to print. Throws with a sentence for people. */
export async function runAdmin(args: readonly string[], services: AdminServices): Promise<unknown> {
  const [noun = '', verb = '', ...rest] = args;
  const command = commands[`${noun} ${verb}`];
  if (command === undefined)
    throw new Error(noun === '' ? 'A command is needed.' : `There is no command "${noun} ${verb}".`);
  const names = [...command.use.matchAll(/--([a-z-]+)/g)].map(match => match[1] ?? '');
  const { values } = parseArgs({
    args: rest,
    options: Object.fromEntries(names.map(name => [name, { type: 'string' as const }])),
    strict: true,
  });
  return command.run(values as Options, services);
}

async function createProject(options: Options, { sql, nowMs }: AdminServices): Promise<unknown> {
  const plan = plans.find(candidate => candidate === (options.plan ?? 'pro'));
  if (plan === undefined) throw new Error(`--plan must be one of ${plans.join(', ')}.`);
  return insertProject(sql, need(options, 'name'), plan satisfies Plan, nowMs);
}

/** Caps above the default come with the larger plans; going back to the default is always possible. */
async function changeLimits(options: Options, { sql }: AdminServices): Promise<unknown> {
  const project = await findProject(sql, need(options, 'project'));
  if (project === null) throw new Error('There is no such project. `project list` shows them.');
  const [sustained, burst, seconds] = ['sustained', 'burst', 'burst-seconds'].map(name => wholeNumber(options, name));
  const limits = { sustained_per_second: sustained ?? 0, burst_per_second: burst ?? 0, burst_seconds: seconds ?? 0 };
  if (limits.burst_per_second < limits.sustained_per_second) throw new Error('--burst must not be below --sustained.');
  const isRaised = limits.sustained_per_second > 200 || limits.burst_per_second > 1000 || limits.burst_seconds > 30;
  if (isRaised && !['business', 'enterprise'].includes(project.plan))
    throw new Error('Higher caps are for the plans business and enterprise.');
  return updateLimits(sql, project.id, limits);
}

function eraseOneUser(options: Options, { pool, nowMs }: AdminServices): Promise<unknown> {
  return eraseUser(pool, need(options, 'project'), need(options, 'user'), nowMs);
}

async function eraseAllEvents(options: Options, { sql, pool, nowMs }: AdminServices): Promise<unknown> {
  const id = need(options, 'project');
  if ((await findProject(sql, id)) === null) throw new Error('There is no such project. `project list` shows them.');
  if (options.confirm !== id)
    throw new Error('This deletes events, flows and releases for ever: repeat the id with --confirm.');
  return eraseEvents(pool, id, nowMs);
}

function wholeNumber(options: Options, name: string): number {
  const value = Number(need(options, name));
  if (!Number.isInteger(value) || value < 1 || value > 1_000_000)
    throw new Error(`--${name} must be a whole number from 1 to 1000000.`);
  return value;
}

async function makeToken(options: Options, { sql, nowMs }: AdminServices): Promise<unknown> {
  const project = await findProject(sql, need(options, 'project'));
  if (project === null) throw new Error('There is no such project. `project list` shows them.');
  const wanted = (options.scopes ?? '*').split(',');
  const unknown = wanted.find(scope => !scopes.includes(scope));
  if (unknown !== undefined) throw new Error(`There is no scope ${unknown}. Scopes: ${scopes.join(', ')}.`);
  const days = options['expires-in-days'];
  if (days !== undefined && !(Number(days) > 0)) throw new Error('--expires-in-days must be a number above 0.');
  const expiresAt = days === undefined ? null : nowMs + Number(days) * 86_400_000;
  return createToken(sql, { projectId: project.id, name: need(options, 'name'), scopes: wanted, expiresAt }, nowMs);
}

async function endToken(options: Options, { sql, nowMs }: AdminServices): Promise<unknown> {
  const id = need(options, 'id');
  if (!(await revokeToken(sql, need(options, 'project'), id, nowMs)))
    throw new Error('There is no such token in that project.');
  return { id, revoked: true };
}

async function createRegion(options: Options, { sql, nowMs }: AdminServices): Promise<unknown> {
  const code = need(options, 'code');
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(code))
    throw new Error('--code must be lower-case letters, digits and hyphens, such as eu-west.');
  const projectId = options.project ?? null;
  if (projectId !== null && (await findProject(sql, projectId)) === null) throw new Error('There is no such project.');
  if (!(await insertRegion(sql, { code, name: options.name ?? code, projectId }, nowMs)))
    throw new Error(`The region ${code} exists already.`);
  return { code, name: options.name ?? code, project_id: projectId };
}

async function createAgent(options: Options, { sql, nowMs }: AdminServices): Promise<unknown> {
  const region = need(options, 'region');
  try {
    const agent = await enrolAgent(sql, region, options.name ?? `${region}-${nowMs.toString(36)}`, nowMs);
    if (agent === null)
      throw new Error(`There is no region ${region}. Make it with \`region create --code ${region}\`.`);
    return agent;
  } catch (error) {
    if (isUniqueViolation(error)) throw new Error(`An agent of the name ${options.name} is in ${region} already.`);
    throw error;
  }
}

async function endAgent(options: Options, { sql, nowMs }: AdminServices): Promise<unknown> {
  const id = need(options, 'id');
  if (!(await revokeAgent(sql, id, nowMs))) throw new Error('There is no such agent, or it is revoked already.');
  return { id, revoked: true };
}

/** Seals every stored secret with the first of SECRETS_KEYS, so that the others can be taken away. */
async function reseal(_: Options, { pool, secretsKeys }: AdminServices): Promise<unknown> {
  if (secretsKeys.length === 0) throw new Error('SECRETS_KEYS is not set.');
  const keyring = createKeyring(secretsKeys);
  const monitors = await resealMonitors(pool, keyring);
  const subscribers = await resealSubscribers(pool, keyring);
  return { monitors, subscribers, ...(await resealNotifications(pool, keyring)) };
}

/** Under the lock that judging takes, so that no result is counted meanwhile. */
async function rebuild(options: Options, { pool }: AdminServices): Promise<unknown> {
  const [monitor, from, to] = [need(options, 'monitor'), hourOf(need(options, 'from')), hourOf(need(options, 'to'))];
  await transaction(pool, async sql => {
    await lockStates(sql, [monitor]);
    await rebuildHours(sql, monitor, from, to);
  });
  return { monitor, from: new Date(from).toISOString(), to: new Date(to).toISOString(), rebuilt: true };
}

function hourOf(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new Error(`${text} is not a time such as 2026-11-20T10:00:00Z.`);
  return Math.floor(ms / 3_600_000) * 3_600_000;
}

function need(options: Options, name: string): string {
  const value = options[name]?.trim();
  if (value === undefined || value === '') throw new Error(`--${name} is needed.`);
  return value;
}
