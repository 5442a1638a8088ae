import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv, promisify } from 'node:util';
import test from 'ava';
import { readConfig } from '#control-plane/config.ts';
import { hashBearer } from '#control-plane/secrets/bearer.ts';
import { createKeyring } from '#control-plane/secrets/keyring.ts';
import { deriveSecrets, secretFiles } from '#deploy/compose/secrets.ts';

const execute = promisify(execFile);
const program = fileURLToPath(new URL('../../../deploy/compose/secrets.ts', import.meta.url));
const secret = 'a'.repeat(64);

test('one secret gives the same secrets again, and no two alike', t => {
  t.deepEqual(deriveSecrets(secret), deriveSecrets(secret));
  const all = [secret, 'b'.repeat(64)].flatMap(text => {
    const { agents, ...others } = deriveSecrets(text);
    return [...Object.values(others), ...Object.values(agents)];
  });
  t.is(new Set(all).size, 16);
  t.throws(() => deriveSecrets('short'), { message: /^SECRET must have at least 32 characters/ });
});

test('a control plane accepts the settings that are made for it, with the three agents', t => {
  const secrets = deriveSecrets(secret);
  const env = parseEnv(secretFiles(secrets)['operator/control-plane.env'] ?? '');
  const config = readConfig({ ...env, HOME: '/tmp', FIRST_PROJECT: 'Acme' });
  t.notThrows(() => createKeyring(config.secretsKeys));
  t.deepEqual(config.firstSetup?.tokenHash, hashBearer(secrets.firstToken));
  t.deepEqual(
    config.firstSetup?.agents.map(({ region }) => region),
    ['eu-west', 'us-east', 'ap-south'],
  );
});

test('agents find nothing but their own secrets in their folder', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'compose-secrets-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await execute(process.execPath, [program, 'write', folder], { env: { SECRET: secret } });
  const { agents } = deriveSecrets(secret);
  for (const [region, value] of Object.entries(agents))
    t.is(await readFile(join(folder, 'agents', region), 'utf8'), value);
  const paths = Object.keys(secretFiles(deriveSecrets(secret))).filter(path => path.startsWith('agents/'));
  t.deepEqual(paths.length, 3);
});

test('the first token is printed again on demand; without a secret it says what to set', async t => {
  const { stdout } = await execute(process.execPath, [program, 'token'], { env: { SECRET: secret } });
  t.is(stdout.trim(), deriveSecrets(secret).firstToken);
  const error = await t.throwsAsync(execute(process.execPath, [program, 'token'], { env: {} }));
  t.regex(error?.message ?? '', /SECRET must have at least 32 characters: openssl rand -hex 32\n$/);
});
