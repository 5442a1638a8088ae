import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv, promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { readConfig } from '#control-plane/config.ts';
import { hashBearer } from '#control-plane/platform/secrets/bearer.ts';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import { deriveSecrets, secretFiles, writeSecretFile } from '#deploy/compose/secrets.ts';
import { top } from '../../repository/sources.ts';

const execute = promisify(execFile);
const program = fileURLToPath(new URL('../../../deploy/compose/secrets.ts', import.meta.url));
const secret = 'a'.repeat(64);
const files = secretFiles(deriveSecrets(secret), 70);
const isRoot = process.getuid?.() === 0;

async function temporaryFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'compose-secrets-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return folder;
}

test('one secret gives the same secrets again, and no two alike', t => {
  t.deepEqual(deriveSecrets(secret), deriveSecrets(secret));
  const all = [secret, 'b'.repeat(64)].flatMap(text => {
    const { agents, ...others } = deriveSecrets(text);
    return [...Object.values(others), ...Object.values(agents)];
  });
  t.is(new Set(all).size, 16);
  t.throws(() => deriveSecrets('short'), { message: /^SECRET must have at least 32 characters/ });
});

test('an installation of 0.7.6 keeps every secret: the same SECRET gives the same bytes', t => {
  const digests = Object.entries(files).map(([path, { text }]) => [
    path,
    createHash('sha256').update(text).digest('hex').slice(0, 16),
  ]);
  t.deepEqual(Object.fromEntries(digests), {
    'control-plane/control-plane.env': 'bfd07d07b94611cb',
    'database/database-password': '7db330eac6d25fe5',
    'database/admin-password': 'f1dea8fcd51bb2fb',
    'eu-west/eu-west': '439e9b9b4d24255e',
    'us-east/us-east': '34a82641e195ae10',
    'ap-south/ap-south': '54faa90d8dd53cb4',
  });
});

test('a control plane accepts the settings that are made for it, with the three agents', t => {
  const env = parseEnv(files['control-plane/control-plane.env']?.text ?? '');
  const config = readConfig({ ...env, HOME: '/tmp', FIRST_PROJECT: 'Acme' });
  t.notThrows(() => createKeyring(config.secretsKeys));
  t.deepEqual(config.firstSetup?.tokenHash, hashBearer(deriveSecrets(secret).firstToken));
  t.deepEqual(
    config.firstSetup?.agents.map(({ region }) => region),
    ['eu-west', 'us-east', 'ap-south'],
  );
});

test('files belong to the user of the image that reads them', async t => {
  for (const [path, { ownerId }] of Object.entries(files)) {
    const reader = path.split('/')[0] ?? '';
    if (reader === 'database') t.is(ownerId, 70);
    else {
      const image = reader === 'control-plane' ? 'control-plane' : 'agent';
      const dockerfile = await readFile(join(top, `deploy/images/${image}.Dockerfile`), 'utf8');
      t.is(/^USER (\d+):\1$/m.exec(dockerfile)?.[1], String(ownerId), path);
    }
  }
});

test('a file is for the eyes of its owner only, and is replaced by the next start', async t => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'reader/secret');
  const ownerId = process.getuid?.() ?? 0;
  await writeSecretFile(path, { text: 'former', ownerId });
  await writeSecretFile(`${path}.new`, { text: 'left behind by a start that was killed', ownerId });
  await writeSecretFile(path, { text: 'current', ownerId });
  t.is(await readFile(path, 'utf8'), 'current');
  const { mode, uid } = await stat(path);
  t.deepEqual({ mode: mode & 0o777, uid }, { mode: 0o400, uid: ownerId });
  await t.throwsAsync(stat(`${path}.new`), { code: 'ENOENT' });
});

test('the service writes each file for its reader, which takes root', async t => {
  const folder = await temporaryFolder(t);
  const env = { SECRET: secret, DATABASE_USER_ID: '999' };
  const written = execute(process.execPath, [program, 'write', folder], { env });
  if (!isRoot) return void (await t.throwsAsync(written, { message: /EPERM/ }));
  await written;
  for (const [path, { text, ownerId }] of Object.entries(secretFiles(deriveSecrets(secret), 999))) {
    const { mode, uid } = await stat(join(folder, path));
    t.deepEqual({ mode: mode & 0o777, uid }, { mode: 0o400, uid: ownerId }, path);
    t.is(await readFile(join(folder, path), 'utf8'), text, path);
  }
});

test('a user of the database that is no number is refused before anything is written', async t => {
  const folder = await temporaryFolder(t);
  const env = { SECRET: secret, DATABASE_USER_ID: 'postgres' };
  const error = await t.throwsAsync(execute(process.execPath, [program, 'write', folder], { env }));
  t.regex(error?.message ?? '', /DATABASE_USER_ID must be the number of a user, such as 70 or 999\n$/);
  await t.throwsAsync(stat(join(folder, 'control-plane')), { code: 'ENOENT' });
});

test('the first token is printed again on demand; without a secret it says what to set', async t => {
  const { stdout } = await execute(process.execPath, [program, 'token'], { env: { SECRET: secret } });
  t.is(stdout.trim(), deriveSecrets(secret).firstToken);
  const error = await t.throwsAsync(execute(process.execPath, [program, 'token'], { env: {} }));
  t.regex(error?.message ?? '', /SECRET must have at least 32 characters: openssl rand -hex 32\n$/);
});
