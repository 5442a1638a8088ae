import { hkdfSync } from 'node:crypto';
import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bearerOf } from '#control-plane/platform/secrets/bearer.ts';

// The service `setup` of compose.yaml: makes every secret of the installation from SECRET, the one that is set.
//   secrets.ts write   into a folder of /run/upquorum for each reader: the control planes, the database, each agent
//   secrets.ts token   prints the first token

/** The regions of the three agents. */
const regions = ['eu-west', 'us-east', 'ap-south'] as const;
const lengthMin = 32;

/** The user of both images, as their Dockerfiles say. */
const programUserId = 10_001;
/** The user `postgres` of images that are based on Alpine. */
const databaseUserIdDefault = '70';

/** Everything that an installation keeps secret. */
export type DerivedSecrets = {
  databasePassword: string;
  adminPassword: string;
  secretsKey: string;
  metricsToken: string;
  firstToken: string;
  agents: Record<string, string>;
};

/** The same secrets from the same text, none of which leads back to it or to another one. Throws if it is short. */
export function deriveSecrets(secret: string): DerivedSecrets {
  if (secret.length < lengthMin)
    throw new Error(`SECRET must have at least ${lengthMin} characters: openssl rand -hex 32`);
  const bytes = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `upquorum ${purpose}`, 32));
  return {
    databasePassword: bytes('database password').toString('base64url'),
    adminPassword: bytes('database superuser password').toString('base64url'),
    secretsKey: bytes('secrets key').toString('base64'),
    metricsToken: bytes('metrics token').toString('base64url'),
    firstToken: bearerOf('upq', bytes('first token')),
    agents: Object.fromEntries(regions.map(region => [region, bearerOf('upa', bytes(`agent ${region}`))])),
  };
}

/** A file that one user may read, and nobody may write. */
export type SecretFile = { text: string; ownerId: number };

/**
 * The files by their paths, in a folder for each reader: settings for the control planes, and one secret in each other
 * file.
 */
export function secretFiles(secrets: DerivedSecrets, databaseUserId: number): Record<string, SecretFile> {
  const forPrograms = (text: string): SecretFile => ({ text, ownerId: programUserId });
  const forDatabase = (text: string): SecretFile => ({ text, ownerId: databaseUserId });
  const agents = Object.entries(secrets.agents);
  const settings = {
    DATABASE_URL: `postgres://upquorum:${secrets.databasePassword}@database/upquorum?sslmode=disable`,
    SECRETS_KEYS: secrets.secretsKey,
    METRICS_TOKEN: secrets.metricsToken,
    FIRST_TOKEN: secrets.firstToken,
    FIRST_AGENTS: agents.map(([region, secret]) => `${region}:${secret}`).join(','),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  return {
    'control-plane/control-plane.env': forPrograms(lines.join('')),
    'database/database-password': forDatabase(secrets.databasePassword),
    'database/admin-password': forDatabase(secrets.adminPassword),
    ...Object.fromEntries(agents.map(([region, secret]) => [`${region}/${region}`, forPrograms(secret)])),
  };
}

/** Replaces a file whole: those who read it meanwhile see the old text or the new one. */
export async function writeSecretFile(path: string, { text, ownerId }: SecretFile): Promise<void> {
  const unfinished = `${path}.new`;
  await mkdir(dirname(path), { recursive: true });
  await rm(unfinished, { force: true });
  await writeFile(unfinished, text, { mode: 0o400, flag: 'wx' });
  await chown(unfinished, ownerId, ownerId);
  await rename(unfinished, path);
}

function readUserId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error('DATABASE_USER_ID must be the number of a user, such as 70 or 999');
  return Number(text);
}

if (import.meta.main) {
  const [command = '', folder = '/run/upquorum'] = process.argv.slice(2);
  try {
    const secrets = deriveSecrets(process.env.SECRET ?? '');
    if (command === 'token') console.log(secrets.firstToken);
    else if (command === 'write') {
      const databaseUserId = readUserId(process.env.DATABASE_USER_ID ?? databaseUserIdDefault);
      for (const [path, file] of Object.entries(secretFiles(secrets, databaseUserId)))
        await writeSecretFile(join(folder, path), file);
    } else throw new Error('Usage: secrets.ts write|token');
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
