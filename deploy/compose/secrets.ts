import { hkdfSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bearerOf } from '#control-plane/secrets/bearer.ts';

// The service `setup` of compose.yaml: makes every secret of the installation from SECRET, the one that is set.
//   secrets.ts write   into /run/operator for the database and the control planes, into /run/agents for the agents
//   secrets.ts token   prints the first token

/** The regions of the three agents. */
const regions = ['eu-west', 'us-east', 'ap-south'] as const;
const lengthMin = 32;

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

/** The files of both folders by their paths: settings for the control planes, and one secret in each other file. */
export function secretFiles(secrets: DerivedSecrets): Record<string, string> {
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
    'operator/control-plane.env': lines.join(''),
    'operator/database-password': secrets.databasePassword,
    'operator/admin-password': secrets.adminPassword,
    ...Object.fromEntries(agents.map(([region, secret]) => [`agents/${region}`, secret])),
  };
}

if (import.meta.main) {
  const [command = '', folder = '/run'] = process.argv.slice(2);
  try {
    const secrets = deriveSecrets(process.env.SECRET ?? '');
    if (command === 'token') console.log(secrets.firstToken);
    else if (command === 'write') {
      for (const [path, text] of Object.entries(secretFiles(secrets))) {
        await mkdir(join(folder, path, '..'), { recursive: true });
        await writeFile(join(folder, path), text, { mode: 0o644 });
      }
    } else throw new Error('Usage: secrets.ts write|token');
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
