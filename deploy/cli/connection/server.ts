import { CommandError } from '../frame/failure.ts';
import { type Profile, readProfiles } from './profiles.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The server and the token of a call, and the name of their profile; null for those of the environment. */
export type Server = Profile & { profile: string | null };

/** A profile that is named, else the environment, else UPQUORUM_PROFILE, else the current profile. */
export async function chooseServer(env: Env, named: string | null): Promise<Server> {
  const url = env.UPQUORUM_URL ?? '';
  const token = env.UPQUORUM_TOKEN ?? '';
  if (named === null && (url !== '' || token !== '')) {
    if (url === '') throw new CommandError('UPQUORUM_TOKEN is set, but UPQUORUM_URL is not', both);
    if (token === '') throw new CommandError('UPQUORUM_URL is set, but UPQUORUM_TOKEN is not', both);
    return { url: serverUrl(url, env), token, profile: null };
  }
  const { current, profiles } = await readProfiles(env);
  const name = named ?? ((env.UPQUORUM_PROFILE ?? '') === '' ? current : (env.UPQUORUM_PROFILE ?? null));
  if (name === null)
    throw new CommandError(
      'there is no server yet',
      'Sign in with `upquorum login URL`, or set UPQUORUM_URL and UPQUORUM_TOKEN.',
    );
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile === undefined) throw new CommandError(`there is no profile ${name}`, hintOf(Object.keys(profiles)));
  return { url: serverUrl(profile.url, env), token: profile.token, profile: name };
}

const both = 'Set both of them, or neither to use a profile.';

function hintOf(names: readonly string[]): string {
  return names.length === 0 ? 'Sign in with `upquorum login URL`.' : `There are: ${names.join(', ')}.`;
}

/** The origin of a server. Throws a CommandError if a token must not be sent there. */
export function serverUrl(text: string, env: Env): string {
  if (!URL.canParse(text)) throw new CommandError(`${text} is not a URL`, 'Such as https://status.example.com');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new CommandError(`${text} is not an address of a server`, 'It begins with https://');
  if (url.username !== '' || url.password !== '')
    throw new CommandError('the address holds a name or a password', 'Give the token when it is asked for.');
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && env.UPQUORUM_ALLOW_HTTP !== '1')
    throw new CommandError(
      `${url.origin} would send the token in the clear`,
      'Use https://, or set UPQUORUM_ALLOW_HTTP=1 if the network is trusted.',
    );
  return url.origin;
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|[\w.-]+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
