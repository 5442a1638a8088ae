import { newBearer } from '../../platform/secrets/bearer.ts';
import { newSecretKey } from '../../platform/secrets/keyring.ts';

// `npm run new-secret -- token|agent|key`: prints a new secret for FIRST_TOKEN, FIRST_AGENTS or SECRETS_KEYS.

const kinds: Readonly<Record<string, () => string>> = {
  token: () => newBearer('upq'),
  agent: () => newBearer('upa'),
  key: newSecretKey,
};

const create = kinds[process.argv[2] ?? ''];
if (create === undefined) {
  console.error(`Usage: npm run new-secret -- ${Object.keys(kinds).join('|')}`);
  process.exitCode = 1;
} else console.log(create());
