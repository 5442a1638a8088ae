import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../shared/error-code.ts';
import { stateFolder } from '../../../shared/state-folder.ts';
import { readProfiles, writeProfiles } from '../connection/profiles.ts';
import { serverUrl } from '../connection/server.ts';
import { dataOf, openSession } from '../connection/session.ts';
import type { Command, Invocation } from '../frame/command.ts';
import { CommandError, UsageError } from '../frame/failure.ts';
import { version } from '../version.ts';

export const loginCommand: Command = {
  name: 'login',
  summary: 'Store the address of a server and a token as a profile',
  args: 'URL | --local [FOLDER]',
  arity: [0, 1],
  flags: [
    { name: 'local', summary: 'the server of `npm start` on this machine' },
    { name: 'token-stdin', summary: 'read the token from stdin instead of asking' },
  ],
  notes: [
    'The token is asked for without showing it, tried, and stored in a file that nobody else may read. The profile ' +
      'is named `default`, or by --profile. In CI set UPQUORUM_URL and UPQUORUM_TOKEN instead.',
  ],
  examples: ['upquorum login https://status.example.com', 'pass show upquorum | upquorum login URL --token-stdin'],
  run: async invocation => {
    const { env, terminal, value, has } = invocation;
    const { url, token } = has('local') ? await localServer(invocation) : await askServer(invocation);
    const session = openSession({ url, token, profile: null }, { version, debug: null });
    const me = await dataOf(session.client.GET('/v0/me'));
    const name = value('profile') ?? 'default';
    const { profiles } = await readProfiles(env);
    await writeProfiles(env, { current: name, profiles: { ...profiles, [name]: { url, token } } });
    terminal.note(`Signed in to ${me.project?.name ?? 'no project'} at ${url}; the profile is ${name}.`);
  },
};

async function askServer({ args, env, terminal, has }: Invocation): Promise<{ url: string; token: string }> {
  const [given] = args;
  if (given === undefined) throw new UsageError('`login` needs the URL of a server', 'See `upquorum help login`.');
  const url = serverUrl(given, env);
  if (!has('token-stdin') && !terminal.canAsk)
    throw new CommandError('nobody can be asked for the token', 'Pass it with --token-stdin.');
  const token = (has('token-stdin') ? await terminal.input() : await terminal.askSecret(`Token for ${url}`)).trim();
  if (/^\S{1,200}$/.test(token)) return { url, token };
  const hint = 'Tokens begin with `upq_`; the dashboard makes them under your name and in the settings.';
  throw new CommandError('that is no token', hint);
}

async function localServer({ args, env }: Invocation): Promise<{ url: string; token: string }> {
  const path = join(args[0] ?? stateFolder(env), 'local.json');
  try {
    const { base_url: url, token } = JSON.parse(await readFile(path, 'utf8')) as { base_url: string; token: string };
    return { url: serverUrl(url, env), token };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new CommandError(`there is no ${path}`, 'Start the server with `npm start`, or name its folder.');
  }
}
