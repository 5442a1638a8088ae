import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import fc from 'fast-check';
import { readConfig, redactConfig } from '#control-plane/config.ts';
import { readFirstSetup } from '#control-plane/operations/setup/first-setup.ts';
import { bearerOf, hashBearer, isBearer, newBearer } from '#control-plane/platform/secrets/bearer.ts';
import { ConfigError, type Env, EnvReader } from '#shared/env.ts';
import { apiOf, startReplica, testSecretKey, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent } from '#test/support/fake-agent.ts';

const database = useDatabase(test);

const [token, west, west2, east] = [newBearer('upq'), newBearer('upa'), newBearer('upa'), newBearer('upa')];

function read(env: Env) {
  const reader = new EnvReader(env);
  const setup = readFirstSetup(reader);
  reader.check();
  return setup;
}

test('without the variables nothing is set up; with them secrets are known by their hashes only', t => {
  t.is(read({}), null);
  const setup = read({ FIRST_PROJECT: 'Acme', FIRST_TOKEN: token, FIRST_AGENTS: `eu-west:${west}, us-east:${east}` });
  t.deepEqual(setup, {
    project: 'Acme',
    tokenHash: hashBearer(token),
    agents: [
      { region: 'eu-west', secretHash: hashBearer(west) },
      { region: 'us-east', secretHash: hashBearer(east) },
    ],
  });
});

const complete = { FIRST_PROJECT: 'Acme', FIRST_TOKEN: token };
const faults: readonly [env: Env, message: RegExp][] = [
  [{ FIRST_PROJECT: 'Acme' }, /^FIRST_PROJECT and FIRST_TOKEN must be set together/],
  [{ FIRST_TOKEN: token }, /^FIRST_PROJECT and FIRST_TOKEN must be set together/],
  [{ FIRST_AGENTS: `eu-west:${west}` }, /^FIRST_PROJECT and FIRST_TOKEN must be set together/],
  [{ ...complete, FIRST_PROJECT: 'x'.repeat(201) }, /^FIRST_PROJECT must have at most 200 characters$/],
  [{ ...complete, FIRST_TOKEN: `${token}x` }, /^FIRST_TOKEN is not a well-formed token: .*new-secret -- token/],
  [{ ...complete, FIRST_TOKEN: west }, /^FIRST_TOKEN is not a well-formed token/],
  [{ ...complete, FIRST_AGENTS: `eu-west:${west},${east}` }, /^entry 2 of FIRST_AGENTS is not a region and a secret/],
  [{ ...complete, FIRST_AGENTS: `EU:${west}` }, /^entry 1 of FIRST_AGENTS is not a region and a secret/],
  [{ ...complete, FIRST_AGENTS: `eu-west:${token}` }, /^entry 1 of FIRST_AGENTS is not a region and a secret/],
  [{ ...complete, FIRST_AGENTS: `eu-west:${west},us-east:${west}` }, /a different secret for each agent$/],
];
for (const [index, [env, message]] of faults.entries())
  test(`a first setup is refused in one sentence without its secrets: ${index + 1}`, t => {
    const error = t.throws(() => read(env), { instanceOf: ConfigError, message });
    for (const secret of [token, west, east]) t.false(error?.message.includes(secret));
  });

test('the logged configuration names the first project, not its secrets', t => {
  const base = { DATABASE_URL: 'postgres://u@h/d', SECRETS_KEYS: testSecretKey, HOME: '/root' };
  const config = readConfig({ ...base, ...complete, FIRST_AGENTS: `eu-west:${west}` });
  t.like(redactConfig(config), { firstSetup: 'Acme' });
});

test('whichever replica starts first, the first project is created once, and its token and agents work', async t => {
  const firstSetup = read({
    FIRST_PROJECT: 'Acme',
    FIRST_TOKEN: token,
    FIRST_AGENTS: `first-west:${west},first-west:${west2},first-east:${east}`,
  });
  const replicas = await Promise.all([1, 2, 3].map(() => startReplica(database(), { firstSetup })));
  t.teardown(() => Promise.all(replicas.map(replica => replica.stop())));
  const [replica] = replicas;
  if (replica === undefined) throw new Error('no replica');
  const api = apiOf(replica.url, token);
  const { body: project } = await api('GET', '/v0/project');
  t.is(project.name, 'Acme');
  const { body: agents } = await api('GET', '/v0/agents');
  t.deepEqual(agents.data.map((agent: { name: string }) => agent.name).sort(), [
    'first-east-1',
    'first-west-1',
    'first-west-2',
  ]);
  const { body: audit } = await api('GET', '/v0/audit');
  t.is(audit.data.filter((entry: { actor: { id: string } }) => entry.actor.id === 'operator').length, 1);
  for (const secret of [west, west2, east]) {
    await using agent = await connectFakeAgent(replica.url, secret);
    t.truthy(agent);
  }

  // Later starts change nothing, whatever they say.
  const { body: tokens } = await api('GET', '/v0/tokens');
  t.is((await api('DELETE', `/v0/tokens/${tokens.data[0].id}`)).status, 204);
  const other = { ...firstSetup, project: 'Other', tokenHash: hashBearer(newBearer('upq')), agents: [] };
  for (const setup of [firstSetup, other]) {
    const later = await startReplica(database(), { firstSetup: setup });
    await until(async () => (await apiOf(later.url, token)('GET', '/v0/project')).status, 401);
    await later.stop();
  }
});

test('a secret of given bytes is well-formed and always the same', t => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 40 }), bytes => {
      t.true(isBearer('upa', bearerOf('upa', bytes)));
      t.is(bearerOf('upa', bytes), bearerOf('upa', bytes.slice(0, 32)));
    }),
  );
  t.throws(() => bearerOf('upq', new Uint8Array(31)));
});

test('new-secret prints what the configuration accepts, and says what it can make', t => {
  const program = fileURLToPath(new URL('../../../../control-plane/operations/setup/new-secret.ts', import.meta.url));
  const make = (kind: string) => execFileSync(process.execPath, [program, kind], { encoding: 'utf8' }).trim();
  t.true(isBearer('upq', make('token')));
  t.true(isBearer('upa', make('agent')));
  t.is(Buffer.from(make('key'), 'base64').length, 32);
  t.throws(() => execFileSync(process.execPath, [program, 'password'], { stdio: 'pipe' }), {
    message: /Usage: npm run new-secret -- token\|agent\|key/,
  });
});
