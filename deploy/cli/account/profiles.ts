import { readProfiles, writeProfiles } from '../connection/profiles.ts';
import { dataOf } from '../connection/session.ts';
import type { Command } from '../frame/command.ts';
import { CommandError } from '../frame/failure.ts';
import { version } from '../version.ts';

export const logoutCommand: Command = {
  name: 'logout',
  summary: 'Forget a profile and its token; the token stays valid',
  run: async ({ env, value, terminal }) => {
    const { current, profiles } = await readProfiles(env);
    const name = value('profile') ?? current;
    if (name === null || !Object.hasOwn(profiles, name)) throw unknown(name, Object.keys(profiles));
    const { [name]: _, ...others } = profiles;
    await writeProfiles(env, { current: current === name ? null : current, profiles: others });
    terminal.note(`${name} is forgotten.`);
  },
};

export const profilesCommand: Command = {
  name: 'profiles',
  summary: 'List the profiles; `*` is the current one',
  run: async ({ env, terminal }) => {
    const { current, profiles } = await readProfiles(env);
    const list = Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current }));
    if (terminal.isJson) terminal.json({ data: list });
    else if (list.length > 0)
      terminal.table(
        ['NAME', 'SERVER', 'CURRENT'],
        list.map(({ name, url, current: isCurrent }) => [name, url, isCurrent ? '*' : '']),
      );
  },
};

export const useCommand: Command = {
  name: 'use',
  summary: 'Make a profile the current one',
  args: 'NAME',
  arity: [1, 1],
  run: async ({ env, args, terminal }) => {
    const { profiles } = await readProfiles(env);
    const [name = ''] = args;
    if (!Object.hasOwn(profiles, name)) throw unknown(name, Object.keys(profiles));
    await writeProfiles(env, { current: name, profiles });
    terminal.note(`${name} is the current profile.`);
  },
};

export const whoamiCommand: Command = {
  name: 'whoami',
  summary: 'Show server, project, and what the token may do',
  run: async ({ connect, terminal }) => {
    const session = await connect();
    const me = await dataOf(session.client.GET('/v0/me'));
    const document = (await (await session.fetch('GET', '/v0/openapi.json')).json()) as { info: { version: string } };
    const server = { url: session.url, version: document.info.version };
    if (terminal.isJson) return terminal.json({ ...me, server, profile: session.profile });
    terminal.fields([
      ['server', `${server.url} (${server.version}; this is ${version})`],
      ['profile', session.profile ?? 'of the environment'],
      ['project', me.project === null ? 'none' : `${me.project.name} ${me.project.id}`],
      ['as', nameOf(me)],
      ['scopes', me.scopes.join(' ')],
      ['ends', me.token?.expires_at ?? 'never'],
    ]);
  },
};

type Me = { person: { name: string } | null; role: string | null; token: { name: string } | null };

/** A token of the project by its name, one of a person as them. */
function nameOf({ person, role, token }: Me): string {
  if (person === null) return token?.name ?? 'nobody';
  return `${person.name}, ${role ?? 'without a role'}${token === null ? '' : `, by the token ${token.name}`}`;
}

function unknown(name: string | null, names: readonly string[]): CommandError {
  const hint = names.length === 0 ? 'Sign in with `upquorum login URL`.' : `There are: ${names.join(', ')}.`;
  return new CommandError(name === null ? 'there is no current profile' : `there is no profile ${name}`, hint);
}
