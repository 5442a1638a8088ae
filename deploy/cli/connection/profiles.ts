import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../../shared/error-code.ts';
import { CommandError } from '../frame/failure.ts';

export type Profile = { url: string; token: string };

/** Servers and tokens by names of this person, and which of them is used if none is named. */
export type Profiles = { current: string | null; profiles: Readonly<Record<string, Profile>> };

type Env = Readonly<Record<string, string | undefined>>;

const none: Profiles = { current: null, profiles: {} };

/** The path of the file, by the conventions of XDG. */
function profilesPath(env: Env): string {
  const base = (env.XDG_CONFIG_HOME ?? '') === '' ? join(env.HOME ?? '.', '.config') : env.XDG_CONFIG_HOME;
  return join(base ?? '.', 'upquorum', 'profiles.json');
}

/** Throws a CommandError for a damaged file, and for one that others may read: it holds tokens. */
export async function readProfiles(env: Env): Promise<Profiles> {
  const path = profilesPath(env);
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0 && process.platform !== 'win32')
      throw new CommandError(`${path} may be read by others, and holds tokens`, `Run: chmod 600 '${path}'`);
    const read = JSON.parse(await readFile(path, 'utf8')) as unknown;
    if (isProfiles(read)) return read;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return none;
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new CommandError(`${path} is damaged`, 'Delete it, and sign in again with `upquorum login URL`.');
}

/** Replaces the file as a whole; nobody else may read it. */
export async function writeProfiles(env: Env, profiles: Profiles): Promise<void> {
  const path = profilesPath(env);
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const next = `${path}.${process.pid}`;
  await writeFile(next, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  await rename(next, path);
}

function isProfiles(value: unknown): value is Profiles {
  if (typeof value !== 'object' || value === null || !('profiles' in value)) return false;
  const { profiles } = value;
  if (typeof profiles !== 'object' || profiles === null) return false;
  return Object.values(profiles).every(
    (one: Partial<Profile> | null) => typeof one?.url === 'string' && typeof one.token === 'string',
  );
}
