import test from 'ava';
import { isHelp, runAdmin, usage } from '#control-plane/operations/admin/command.ts';
import { adminServices } from '#test/support/admin.ts';
import { apiOf, createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);

async function useAdmin(t: { teardown(work: () => Promise<void>): void }) {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const said: string[] = [];
  const services = { ...adminServices(pools), progress: (line: string) => void said.push(line) };
  const run = (line: string) =>
    runAdmin(
      line.split(' ').filter(word => word !== ''),
      services,
    );
  return { run, said };
}

test('help is asked for in every usual way, and names each command with its options', t => {
  for (const args of [[], ['help'], ['--help'], ['-h']]) t.true(isHelp(args));
  t.false(isHelp(['project', 'list']));
  t.regex(usage, /token create --project ID --name NAME/);
});

const refusals: readonly [line: string, message: RegExp][] = [
  ['', /^A command is required\.$/],
  ['project', /^Unknown command "project"\.$/],
  ['project destroy', /^Unknown command "project destroy"\.$/],
  ['project create', /^--name is required\.$/],
  ['project create --name n --plan gold', /^--plan must be one of pro, /],
  ['project create --nome n', /--nome/],
  ['project update --name n', /^--id is required\.$/],
  ['project update --id none', /^--name or --plan is required\.$/],
  ['project update --id none --name n', /^Project not found\./],
  ['project update --id none --plan team', /^Project not found\./],
  ['token list --project none', /^Project not found\./],
  ['project limits --project none --sustained 1 --burst 1 --burst-seconds 1', /^Project not found\./],
  ['token create --project none --name n', /^Project not found\./],
  ['token revoke --project none --id none', /^The project has no such token\.$/],
  ['region create --code EU', /^--code must consist of lower-case letters/],
  ['region create --code eu --project none', /^Project not found\./],
  ['agent create --region nowhere', /^Region nowhere does not exist\./],
  ['agent revoke --id none', /^Agent not found, or already revoked\.$/],
  ['secrets reseal', /^SECRETS_KEYS is not set\.$/],
  ['checks rebuild --monitor m --from yesterday --to now', /^--from must be a time such as /],
];

for (const [line, message] of refusals)
  test(`"${line}" is refused in a sentence`, async t => {
    const { run } = await useAdmin(t);
    await t.throwsAsync(() => run(line), { message });
  });

test('limits above the default need a larger plan, and a burst is never below the sustained rate', async t => {
  const { run } = await useAdmin(t);
  const { projectId } = await createTenant(database());
  const limits = (sustained: number, burst: number, seconds: number) =>
    run(`project limits --project ${projectId} --sustained ${sustained} --burst ${burst} --burst-seconds ${seconds}`);
  t.truthy(await limits(200, 1000, 30));
  for (const [sustained, burst, seconds] of [
    [201, 1000, 30],
    [200, 1001, 30],
    [200, 1000, 31],
  ] as const)
    await t.throwsAsync(() => limits(sustained, burst, seconds), { message: /business or enterprise plan/ });
  await t.throwsAsync(() => limits(100, 50, 30), { message: /--burst must not be less than --sustained/ });
  await t.throwsAsync(() => limits(0, 50, 30), { message: /--sustained must be a whole number from 1/ });
});

test('a project is renamed and its plan changed, with its retention, as the audit says', async t => {
  const { run, said } = await useAdmin(t);
  const { projectId } = await createTenant(database());
  const update = (options: string) => run(`project update --id ${projectId} ${options}`);
  t.like(await update('--name Acme'), { id: projectId, name: 'Acme', plan: 'team', event_retention_days: 90 });
  t.like(await update('--plan pro'), { name: 'Acme', plan: 'pro', event_retention_days: 30 });
  t.deepEqual(said, ['Raw events of more than 30 days will be deleted.']);
  t.like(await update('--plan enterprise --name Big'), { name: 'Big', plan: 'enterprise', event_retention_days: 90 });
  await t.throwsAsync(() => update('--plan gold'), { message: /^--plan must be one of pro, / });
  type Change = { action: string; before: object; after: object };
  const changes = (await run(`audit list --project ${projectId}`)) as Change[];
  const pro = { plan: 'pro', event_retention_days: 30 };
  t.deepEqual(
    changes.map(({ before, after }) => ({ before, after })),
    [
      {
        before: { ...pro, name: 'Acme' },
        after: { name: 'Big', plan: 'enterprise', event_retention_days: 90 },
      },
      { before: { plan: 'team', event_retention_days: 90 }, after: pro },
      { before: { name: 'Test' }, after: { name: 'Acme' } },
    ],
  );
  t.true(changes.every(({ action }) => action === 'project.updated'));
});

test('a plan that does not allow what a project has is refused', async t => {
  const { run } = await useAdmin(t);
  const { projectId, token } = await createTenant(database(), ['*'], 'business');
  const downgrade = () => run(`project update --id ${projectId} --plan pro`);
  await run(`project limits --project ${projectId} --sustained 400 --burst 2000 --burst-seconds 30`);
  await t.throwsAsync(downgrade, { message: /^Limits above the default require the business or enterprise plan/ });
  await run(`project limits --project ${projectId} --sustained 200 --burst 1000 --burst-seconds 30`);
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const steps = [{ event: 'a' }, { event: 'b' }];
  const flow = { name: 'Long', steps, window_seconds: 30 * 86_400 };
  const api = apiOf(replica.url, token);
  const { id } = (await api('POST', '/v0/flows', flow)).body;
  await t.throwsAsync(downgrade, { message: /a flow has a window of more than 29 days\.$/ });
  await api('PATCH', `/v0/flows/${id}`, { window_seconds: 29 * 86_400 });
  t.like(await downgrade(), { plan: 'pro' });
});

test('tokens are listed without their secrets', async t => {
  const { run } = await useAdmin(t);
  const { projectId } = await createTenant(database(), ['events:write']);
  const made = (await run(`token create --project ${projectId} --name ci`)) as { id: string; token: string };
  await run(`token revoke --project ${projectId} --id ${made.id}`);
  const tokens = (await run(`token list --project ${projectId}`)) as { name: string; revoked_at: number | null }[];
  t.deepEqual(tokens.map(token => `${token.name} ${token.revoked_at === null}`).sort(), ['ci false', 'test true']);
  t.deepEqual(
    Object.keys(tokens[0] ?? {}).filter(name => /hash|secret|token/.test(name)),
    [],
  );
  t.false(JSON.stringify(tokens).includes(made.token));
  for (const only of ['', ` --project ${projectId}`]) t.deepEqual(await run(`page-domain list${only}`), []);
});

test('a region and an agent are created once, listed and revoked', async t => {
  const { run } = await useAdmin(t);
  t.deepEqual(await run('region create --code north --name North'), { code: 'north', name: 'North', project_id: null });
  await t.throwsAsync(() => run('region create --code north'), { message: 'Region north already exists.' });
  const agent = (await run('agent create --region north --name one')) as { id: string; secret: string };
  t.regex(agent.secret, /^upa_/);
  await t.throwsAsync(() => run('agent create --region north --name one'), {
    message: 'Region north already has an agent named one.',
  });
  const agents = (await run('agent list')) as { id: string; region: string }[];
  t.true(agents.some(({ id, region }) => id === agent.id && region === 'north'));
  t.deepEqual(await run(`agent revoke --id ${agent.id}`), { id: agent.id, revoked: true });
  await t.throwsAsync(() => run(`agent revoke --id ${agent.id}`), { message: /already revoked/ });
});

test('a token has the given scopes and ends when it says', async t => {
  const { run, said } = await useAdmin(t);
  const { projectId } = await createTenant(database());
  const create = (options: string) => run(`token create --project ${projectId} --name ci ${options}`);
  const token = (await create('--scopes monitors:read --expires-in-days 2')) as { id: string; scopes: string[] };
  t.deepEqual(token.scopes, ['monitors:read']);
  await create('');
  t.deepEqual(said, ['The token has the scopes monitors:read.', 'The token has all scopes (*).']);
  await t.throwsAsync(() => create('--scopes monitors:look'), { message: /^Unknown scope monitors:look\. Scopes: / });
  await t.throwsAsync(() => create('--expires-in-days 0'), { message: /positive number/ });
  t.deepEqual(await run(`token revoke --project ${projectId} --id ${token.id}`), { id: token.id, revoked: true });
});

test('every command that changes something is in the audit, of its project or of the operator alone', async t => {
  const { run } = await useAdmin(t);
  const { token, projectId } = await createTenant(database());
  await run('region create --code audited');
  await run(`region create --code audited-own --project ${projectId}`);
  const shared = (await run('agent create --region audited --name a')) as { id: string };
  const own = (await run('agent create --region audited-own --name a')) as { id: string };
  await run(`agent revoke --id ${own.id}`);
  await t.throwsAsync(() => run(`agent revoke --id ${own.id}`));
  await run('agent list');
  const made = (await run('project create --name audited')) as { id: string };
  type Change = { action: string; subject: string; project_id: string | null };
  const changes = (await run('audit list')) as Change[];
  const projectsOf = (action: string, subject: string) =>
    changes.filter(change => change.action === action && change.subject === subject).map(change => change.project_id);
  t.deepEqual(projectsOf('region.created', 'audited'), [null]);
  t.deepEqual(projectsOf('agent.created', shared.id), [null]);
  t.deepEqual(projectsOf('agent.created', own.id), [projectId]);
  t.deepEqual(projectsOf('agent.revoked', own.id), [projectId]);
  t.deepEqual(projectsOf('project.created', made.id), [made.id]);

  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const shown = (await apiOf(replica.url, token)('GET', '/v0/audit')).body.data as Change[];
  t.deepEqual(
    shown.map(({ action }) => action),
    ['agent.revoked', 'agent.created', 'region.created'],
    'a project sees what concerns it',
  );
});
