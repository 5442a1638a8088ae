import { parseArgs } from 'node:util';
import { writeAudit } from '../projects/audit-store.ts';
import { createAgent, createRegion, revokeAgentById } from './agents.ts';
import { rebuildChecks, resealSecrets } from './maintenance.ts';
import type { Options } from './options.ts';
import { changeLimits, createProject, eraseAllEvents, eraseOneUser, issueToken, revokeTokenOf } from './projects.ts';
import { changeImports, changeQuota } from './quotas.ts';
import type { AdminServices } from './services.ts';
import { findProjectOf, listAgents, listChanges, listProjects, listRegions } from './store.ts';

type Command = {
  options: string;
  summary: string;
  run(options: Options, services: AdminServices): Promise<unknown>;
};

const commands: Readonly<Record<string, Command>> = {
  'project create': {
    options: '--name NAME [--plan pro|team|agency|business|enterprise]',
    summary: 'Create a project.',
    run: createProject,
  },
  'project list': { options: '', summary: 'List all projects.', run: (_, { sql }) => listProjects(sql) },
  'project limits': {
    options: '--project ID --sustained PER_SECOND --burst PER_SECOND --burst-seconds N',
    summary: 'Set how many events a project may send.',
    run: changeLimits,
  },
  'project quota': {
    options: '--project ID --resource NAME --maximum N|plan',
    summary: 'Set how much of a resource a project may have, or go back to its plan.',
    run: changeQuota,
  },
  'project imports': {
    options: '--project ID --per-day N|off',
    summary: 'Set how many email addresses a project may import a day without a confirmation.',
    run: changeImports,
  },
  'events erase-user': {
    options: '--project ID --user EXTERNAL_ID',
    summary: 'Delete the events of one user.',
    run: eraseOneUser,
  },
  'events erase': {
    options: '--project ID --confirm ID',
    summary: 'Delete all events, flows and releases of a project.',
    run: eraseAllEvents,
  },
  'token create': {
    options: '--project ID --name NAME [--scopes a:read,b:write] [--expires-in-days N]',
    summary: 'Create an API token and print its secret once.',
    run: issueToken,
  },
  'token revoke': {
    options: '--project ID --id ID [--descendants keep]',
    summary: 'Revoke an API token at once, and the tokens made by it unless they are kept.',
    run: revokeTokenOf,
  },
  'region create': {
    options: '--code CODE [--name NAME] [--project ID]',
    summary: 'Create a region; with --project only that project can use it.',
    run: createRegion,
  },
  'region list': { options: '', summary: 'List all regions.', run: (_, { sql }) => listRegions(sql) },
  'agent create': {
    options: '--region CODE [--name NAME]',
    summary: 'Enroll an agent and print its secret once.',
    run: createAgent,
  },
  'agent list': { options: '', summary: 'List all agents.', run: (_, { sql }) => listAgents(sql) },
  'agent revoke': { options: '--id ID', summary: 'Revoke an agent and disconnect it at once.', run: revokeAgentById },
  'audit list': {
    options: '[--project ID]',
    summary: 'List the latest 200 changes by this command, or all changes of a project, newest first.',
    run: ({ project }, { sql }) => listChanges(sql, project ?? null),
  },
  'secrets reseal': {
    options: '',
    summary: 'Encrypt all stored secrets with the first of SECRETS_KEYS.',
    run: resealSecrets,
  },
  'checks rebuild': {
    options: '--monitor ID --from TIME --to TIME',
    summary: 'Compute the hourly roll-up again from the raw results.',
    run: rebuildChecks,
  },
};

/** Every command with its options and what it does. */
export const usage = `Usage: npm run admin -- COMMAND\n${Object.entries(commands)
  .map(([name, { options, summary }]) => `  ${`${name} ${options}`.trimEnd()}\n      ${summary}`)
  .join('\n')}`;

/** Whether the user asks for help. */
export function isHelp(args: readonly string[]): boolean {
  return args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? '');
}

/** Runs one command and returns what to print. Throws an error whose message is a sentence for the operator. */
export async function runAdmin(args: readonly string[], services: AdminServices): Promise<unknown> {
  const [noun = '', verb = '', ...rest] = args;
  const command = commands[`${noun} ${verb}`];
  if (command === undefined)
    throw new Error(noun === '' ? 'A command is required.' : `Unknown command "${`${noun} ${verb}`.trim()}".`);
  const names = [...command.options.matchAll(/--([a-z-]+)/g)].map(match => match[1] ?? '');
  const { values } = parseArgs({
    args: rest,
    options: Object.fromEntries(names.map(name => [name, { type: 'string' as const }])),
    strict: true,
  });
  const result = await command.run(values, services);
  if (verb !== 'list') await recordCommand(`${noun} ${verb}`, values, result, services);
  return result;
}

/**
 * In the audit of the project that it concerns, or of none, with the names of the options only: a user's id, for
 * example, is not for the audit.
 */
async function recordCommand(
  action: string,
  options: Options,
  result: unknown,
  { sql, nowMs }: AdminServices,
): Promise<void> {
  const { id, code } = (result ?? {}) as { id?: unknown; code?: unknown };
  const projectId = action === 'project create' ? String(id) : await findProjectOf(sql, options);
  const named = [id, code, options.monitor, projectId].find(value => typeof value === 'string');
  const subject = String(named ?? action);
  const detail = { options: Object.keys(options) };
  return writeAudit(sql, { projectId, actor: 'operator', action, subject, detail }, nowMs);
}
