import test from 'ava';
import { useCommandLine } from '#test/support/command-line.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);
const commandLine = useCommandLine(test);

const secret = 'https://hooks.example.com/very-secret';

test.serial('documents are planned, applied, exported and released', async t => {
  const { api, url, token, regions } = await openMonitorWorld(t, databaseOf());
  const { run, write } = commandLine();
  const env = { UPQUORUM_URL: url, UPQUORUM_TOKEN: token };
  const call = (...args: string[]) => run(args, { env });
  const defaults = `{ monitors: { interval_seconds: 60, regions: [${regions.slice(0, 3).join(', ')}] } }`;
  const head = `upquorum: 1\nmanager: git-ops\ndefaults: ${defaults}\n`;
  const channels = 'channels: [{ key: ops, name: Ops, type: webhook, config: { url: { $env: HOOK } } }]\n';
  await write('upquorum.yaml', `${head}include: [more.yaml]\n${channels}`);
  await write('more.yaml', 'upquorum: 1\nmonitors: [{ key: api, name: API, url: "https://api.example.com/" }]\n');
  await write('secrets.env', `# of the hook\nHOOK='${secret}'\n`);

  const missing = await call('plan', 'upquorum.yaml');
  t.is(missing.code, 1);
  t.regex(missing.stderr, /upquorum\.yaml:5:\d+ .*HOOK is not in `env`/);
  const planned = await call('plan', './upquorum.yaml', '--env-file', 'secrets.env');
  t.is(planned.code, 2, planned.stderr);
  t.is(planned.stdout, 'create\tchannels\tops\tupquorum.yaml:5\tOps\ncreate\tmonitors\tapi\tmore.yaml:2\tAPI\n');
  t.regex(planned.stderr, /^2 to create, 0 unchanged\.\nApply it within an hour: upquorum apply --plan pln_/);

  const unasked = await call('apply', 'upquorum.yaml', '--env-file', 'secrets.env');
  t.is(unasked.code, 1);
  t.regex(unasked.stderr, /With --yes/);
  const applied = await call('apply', 'upquorum.yaml', '--env-file=secrets.env', '--yes', '--json');
  t.is(applied.code, 0, applied.stderr);
  t.like(JSON.parse(applied.stdout), { counts: { create: 2 } });
  t.like((await api('GET', '/v0/monitors')).body.data[0], { key: 'api', managed_by: 'git-ops' });
  t.is((await call('plan', 'upquorum.yaml', '--env-file', 'secrets.env')).code, 0);

  const exported = await call('export', '--manager', 'git-ops');
  t.regex(exported.stdout, /^# yaml-language-server: .*\nupquorum: 1\nmanager: git-ops\n/);
  t.is((await call('export', '-o', 'all.yaml')).stdout, '');
  t.like(JSON.parse((await call('schema')).stdout), { title: 'Upquorum configuration' });

  await write('upquorum.yaml', `${head}${channels}`);
  const gated = await call(
    'plan',
    'upquorum.yaml',
    '--prune',
    '--env-file',
    'secrets.env',
    '--fail-on',
    'deletes',
    '--markdown',
    '-',
  );
  t.is(gated.code, 3, gated.stderr);
  t.regex(gated.stdout, /^<!-- upquorum-plan:git-ops -->/);
  t.is(gated.stderr, 'deletes: 1 resource would be deleted\n');
  t.is((await call('diff', 'upquorum.yaml', '--prune', '--env-file', 'secrets.env')).code, 2);
  const pruning = ['apply', 'upquorum.yaml', '--prune', '--env-file', 'secrets.env', '--yes'];
  const unexpected = await call(...pruning);
  t.is(unexpected.code, 1);
  t.regex(unexpected.stderr, /deletes 1 resource\nIf that is right: --expected-deletes 1/);
  t.is((await call(...pruning, '--expected-deletes', '1')).code, 0);
  t.deepEqual((await api('GET', '/v0/monitors')).body.data, []);
  t.is((await call('release', '--manager', 'git-ops')).code, 0);
  t.is((await api('GET', '/v0/channels')).body.data[0].managed_by, null);

  const conflict = await call('plan', 'upquorum.yaml', '--env-file', 'secrets.env');
  t.is(conflict.code, 1);
  t.regex(conflict.stdout, /^conflict\tchannels\tops\t.*--adopt takes it over\n$/);
  for (const { stdout, stderr } of [missing, planned, applied, exported, conflict])
    t.false(`${stdout}${stderr}`.includes('very-secret') || `${stdout}${stderr}`.includes(token));
});

test('wrong arguments end with 64 and the nearest that is right', async t => {
  const { run } = commandLine();
  const cases: [args: string[], message: RegExp][] = [
    [['pan'], /no command `pan`\nDid you mean `upquorum plan`\?/],
    [['plan', '--prun', 'x'], /no flag --prun\nDid you mean --prune\?/],
    [['plan'], /`plan` needs PATH…\nSee `upquorum help plan`/],
    [['plan', '--env-file'], /--env-file needs a value: FILE/],
    [['plan', '--prune=1', 'x'], /--prune takes no value/],
    [['completion', 'csh'], /bash, zsh, fish/],
    [['apply'], /needs paths of documents, or --plan/],
    [['export', 'x'], /does not take `x`/],
    [['plan', 'x', '--backtest', 'none', '--fail-on', 'missed'], /needs a back-test/],
    [['plan', 'x', '--fail-on', 'mised'], /no mised gate\nDid you mean missed\?/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr, stdout } = await run(args);
    t.is(code, 64, args.join(' '));
    t.regex(stderr, message);
    t.is(stdout, '');
  }
});

test('what cannot be reached or read is said, with what to do', async t => {
  const { run } = commandLine();
  const at = (url: string, token = 'x') => ({ env: { UPQUORUM_URL: url, UPQUORUM_TOKEN: token } });
  const cases: [args: string[], options: Parameters<typeof run>[1], message: RegExp][] = [
    [['export'], {}, /no server yet\nSign in with `upquorum login URL`/],
    [['export'], { env: { UPQUORUM_URL: 'https://example.com' } }, /UPQUORUM_TOKEN is not/],
    [['export'], at('http://example.com'), /in the clear\nUse https/],
    [['export'], at('https://name:word@example.com'), /holds a name or a password/],
    [['plan', 'nowhere.yaml'], at('http://127.0.0.1:1'), /there is no nowhere\.yaml/],
  ];
  for (const [args, options, message] of cases) {
    const { code, stderr } = await run(args, options);
    t.is(code, 1, args.join(' '));
    t.regex(stderr, message);
  }
});
