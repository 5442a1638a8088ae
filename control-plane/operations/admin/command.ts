import { type ParseArgsConfig, parseArgs } from 'node:util';
import { subscriberHooks } from '../../delivery/subscriber-hooks.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { createKeyring } from '../../platform/secrets/keyring.ts';
import { createMembersChanged } from '../../publishing/members-changed.ts';
import { createAgent, createRegion, revokeAgentById } from './agents.ts';
import { backUp } from './backup/back-up.ts';
import { restore } from './backup/restore.ts';
import type { Command } from './command-type.ts';
import { diagnose } from './doctor/diagnose.ts';
import { groupRoleCommands } from './group-roles.ts';
import { rebuildChecks, resealSecrets } from './maintenance.ts';
import type { Options } from './options.ts';
import { peopleCommands } from './people.ts';
import {
  changeLimits,
  changeProject,
  createProject,
  eraseAllEvents,
  eraseOneUser,
  issueToken,
  requireProject,
  revokeTokenOf,
} from './projects.ts';
import { changeImports, changeQuota } from './quotas.ts';
import { recordingOf } from './record.ts';
import { pause, resume, showSending } from './sending.ts';
import type { AdminServices } from './services.ts';
import { listAgents, listChanges, listPageDomains, listProjects, listRegions, listTokensOf } from './store.ts';

const commands: Readonly<Record<string, Command>> = {
  'project create': {
    options: '--name NAME [--plan pro|team|agency|business|enterprise]',
    summary: 'Create a project.',
    run: createProject,
  },
  'project list': { options: '', summary: 'List all projects.', reads: true, run: (_, { sql }) => listProjects(sql) },
  'project update': {
    options: '--id ID [--name NAME] [--plan pro|team|agency|business|enterprise]',
    summary: 'Rename a project or change its plan. A shorter retention of the plan deletes older raw events.',
    run: changeProject,
  },
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
    commits: true,
    run: eraseOneUser,
  },
  'events erase': {
    options: '--project ID --confirm ID',
    summary: 'Delete all events, flows and releases of a project.',
    commits: true,
    run: eraseAllEvents,
  },
  'token create': {
    options: '--project ID --name NAME [--scopes a:read,b:write] [--expires-in-days N]',
    summary: 'Create an API token and print its secret once. Without --scopes it has all of them.',
    run: issueToken,
  },
  'token list': {
    options: '--project ID',
    summary: 'List the API tokens of a project, without their secrets.',
    reads: true,
    run: async (options, { sql }) => listTokensOf(sql, (await requireProject(options, sql)).id),
  },
  'token revoke': {
    options: '--project ID --id ID [--descendants keep]',
    summary: 'Revoke an API token at once, and the tokens made by it unless they are kept.',
    run: revokeTokenOf,
  },
  'page-domain list': {
    options: '[--project ID]',
    summary: 'List the own domains of status pages, of one project or all.',
    reads: true,
    run: async (options, { sql }) =>
      listPageDomains(sql, options.project === undefined ? null : (await requireProject(options, sql)).id),
  },
  ...peopleCommands,
  ...groupRoleCommands,
  'region create': {
    options: '--code CODE [--name NAME] [--project ID]',
    summary: 'Create a region; with --project only that project can use it.',
    run: createRegion,
  },
  'region list': { options: '', summary: 'List all regions.', reads: true, run: (_, { sql }) => listRegions(sql) },
  'agent create': {
    options: '--region CODE [--name NAME]',
    summary: 'Enroll an agent and print its secret once.',
    run: createAgent,
  },
  'agent list': { options: '', summary: 'List all agents.', reads: true, run: (_, { sql }) => listAgents(sql) },
  'agent revoke': { options: '--id ID', summary: 'Revoke an agent and disconnect it at once.', run: revokeAgentById },
  'audit list': {
    options: '[--project ID]',
    summary: 'List the latest 200 changes by this command, or all changes of a project, newest first.',
    reads: true,
    run: ({ project }, { sql }) => listChanges(sql, project ?? null),
  },
  'secrets reseal': {
    options: '',
    summary: 'Encrypt all stored secrets with the first of SECRETS_KEYS.',
    commits: true,
    run: resealSecrets,
  },
  'checks rebuild': {
    options: '--monitor ID --from TIME --to TIME',
    summary: 'Compute the hourly roll-up again from the raw results.',
    commits: true,
    run: rebuildChecks,
  },
  backup: {
    options: 'FILE',
    summary: 'Back up the database to a new file. Control planes keep running.',
    reads: true,
    run: backUp,
  },
  restore: {
    options: 'FILE [--replace] [--without-keys]',
    summary:
      'Restore a backup into an empty database, or with --replace instead of what is there. Nothing is sent then.',
    commits: true,
    run: restore,
  },
  doctor: {
    options: '[--json]',
    summary:
      'Check the installation: each line says ok, warn or fail, and what to do. The exit code is 1 after a fail.',
    run: diagnose,
    reads: true,
  },
  'sending show': {
    options: '',
    summary: 'Show whether emails, webhooks and Slack messages are sent, and how many wait.',
    reads: true,
    run: showSending,
  },
  'sending pause': {
    options: '--reason TEXT',
    summary: 'Pause all outgoing notifications, on every control plane.',
    run: pause,
  },
  'sending resume': { options: '', summary: 'Resume sending, starting with the queued notifications.', run: resume },
};

/** Every command with its options and what it does. */
export const usage = `Usage: npm run admin -- COMMAND\n${Object.entries(commands)
  .map(([name, { options, summary }]) => `  ${`${name} ${options}`.trimEnd()}\n      ${summary}`)
  .join('\n')}`;

/** The command or its options are not ours: the usage helps. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Whether the user asks for help. */
export function isHelp(args: readonly string[]): boolean {
  return args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? '');
}

/** Runs one command and returns what to print. Throws an error whose message is a sentence for the operator. */
export async function runAdmin(args: readonly string[], services: AdminServices): Promise<unknown> {
  const name = [args.slice(0, 2).join(' '), args[0] ?? ''].find(candidate => Object.hasOwn(commands, candidate));
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || command === undefined)
    throw new UsageError(
      args.length === 0 ? 'A command is required.' : `Unknown command "${args.slice(0, 2).join(' ')}".`,
    );
  const options = readOptions(command, args.slice(name.split(' ').length));
  const runWith = (sql: Sql) =>
    command.run(options, {
      ...services,
      sql,
      ...recordingOf(sql, services),
      membersChanged: membersChangedBy(services),
    });
  if (command.reads === true || command.commits === true) return runWith(services.sql);
  return transaction(services.pool, runWith);
}

/** Who may see status pages for members follows what a command does with people. */
function membersChangedBy({ config: { secretsKeys } }: AdminServices) {
  const keyringOf = () => {
    if (secretsKeys.length > 0) return createKeyring(secretsKeys);
    throw new Error('SECRETS_KEYS is not set: the project has a status page for its members.');
  };
  return createMembersChanged(keyringOf, subscriberHooks);
}

/** Options with a value and flags, as the command's line of the usage has them; FILE is the one without a name. */
function readOptions(command: Command, args: readonly string[]): Options {
  const described = [...command.options.matchAll(/--([a-z-]+)( [^-[\s])?/g)];
  const takesFile = command.options.startsWith('FILE');
  const { values, positionals } = parse({
    args: [...args],
    options: Object.fromEntries(
      described.map(([, name = '', value]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const),
    ),
    strict: true,
    allowPositionals: takesFile,
  });
  if (takesFile && positionals.length !== 1) throw new UsageError('The name of one file is required.');
  const given = Object.entries(values).map(([name, value]) => [name, value === true ? 'yes' : value] as const);
  return { ...Object.fromEntries(given), ...(takesFile ? { file: positionals[0] } : {}) };
}

function parse<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
