import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import test from 'ava';
import cliManifest from '#deploy/cli/package.json' with { type: 'json' };
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { commandLineIn, useCommandLine } from '#test/support/command-line.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startTarget } from '#test/support/target.ts';
import rootManifest from '../../../package.json' with { type: 'json' };

const databaseOf = useDatabase(test);
const commandLine = useCommandLine(test);

test.serial('monitors, alerts, incidents, releases and events have their commands', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const { run } = commandLine();
  const tokenOf = async (scopes: string[]) => (await world.made('/v0/tokens', { name: 'cli', scopes })).token as string;
  const token = await tokenOf(['*']);
  const env = { UPQUORUM_URL: world.replica.url, UPQUORUM_TOKEN: token };
  const outputs: string[] = [];
  const call = async (...args: string[]) => {
    const ran = await run(args, { env });
    outputs.push(ran.stdout, ran.stderr);
    return ran;
  };
  const ok = async (...args: string[]) => {
    const ran = await call(...args);
    t.is(ran.code, 0, `${args.join(' ')}: ${ran.stderr}`);
    return ran.stdout;
  };
  const checkout = await world.monitor('checkout', { labels: { env: 'prod' } });
  const [first, second] = [await world.monitor('twin', { labels: { env: 'prod' } }), await world.monitor('twin')];

  const listed = (await ok('monitors', 'list', '--selector', 'env=prod')).trimEnd().split('\n');
  t.is(listed.length, 2);
  t.regex(listed[0] ?? '', /^pending\t.*\ttwin\thttp\thttps:\/\/twin\.example\/\tmon_/);
  t.is(JSON.parse(await ok('monitors', 'list', '--json')).data.length, 3);
  t.regex(await ok('monitors', 'get', 'checkout'), /^name\tcheckout\n/);
  await ok('monitors', 'pause', 'checkout', first);
  t.like(JSON.parse(await ok('monitors', 'get', checkout, '--json')), { enabled: false, status: 'paused' });
  await ok('monitors', 'resume', 'checkout');
  const twins = await call('monitors', 'get', 'twin');
  t.is(twins.code, 1);
  t.true(twins.stderr.includes(first) && twins.stderr.includes(second), twins.stderr);
  t.regex((await call('monitors', 'delete', second)).stderr, /With --yes/);
  await ok('monitors', 'delete', second, '--yes');
  t.regex((await call('monitors', 'get', 'checkou')).stderr, /no monitor checkou\nThere are: checkout\./);

  const [alert] = await world.open([checkout]);
  const id = alert?.id ?? '';
  t.regex(await ok('alerts', 'list', '--state', 'open', '--monitor', 'checkout'), /^open\tp2\t.*\n$/);
  t.regex(await ok('explain', 'checkout'), /^Down since .*1 of 1 regions failed/);
  t.is(JSON.parse(await ok('explain', id, '--json')).alert_id, id);
  await ok('alerts', 'acknowledge', id);
  t.is(JSON.parse(await ok('alerts', 'get', id, '--json')).state, 'acknowledged');
  t.regex((await call('backtest', 'checkout', '--set', 'quorum=1')).stderr, /Uptime .* of 0 results/);
  t.is((await call('backtest', 'checkout', '--set', 'quorum')).code, 64);

  const page = await world.made('/v0/status-pages', { name: 'Acme', slug: `acme-${world.projectId.slice(-8)}` });
  await world.made('/v0/components', { name: 'API', status_page_id: page.id });
  const made = await ok(
    'incidents',
    'create',
    '--title',
    'Slow',
    '--severity',
    'p2',
    '--page',
    page.slug,
    '--components',
    'API',
  );
  const incident = made.split(' ')[0] ?? '';
  const resolving = await run(['incidents', 'resolve', incident, '--message', '-'], { env, input: 'All is well.\n' });
  t.regex(resolving.stdout, / resolved /, resolving.stderr);
  t.regex(await ok('incidents', 'list'), /^resolved\tp2\t/);
  t.regex(await ok('incidents', 'get', incident), /resolved: All is well\./);

  const promoted = await ok('alerts', 'promote', id, '--page', page.slug, '--severity', 'p1');
  t.regex(promoted, /^inc_\S+ {2}https?:/);
  t.regex((await call('monitors', 'check-now', 'checkout')).stderr, /^\S+ has no agent that can check it\.\n/);

  await ok('releases', 'create', '2026.1', '--environment', 'staging');
  t.regex(await ok('releases', 'list'), /\t2026\.1\tstaging\t/);
  await ok('events', 'send', 'paid', '--user', 'u1', '--props', '{"plan":"team"}');
  await ok('events', 'names');
  t.like(JSON.parse(await ok('api', 'GET', '/v0/project')), { id: world.projectId });
  const refused = await call('api', 'POST', '/v0/monitors', '-d', '{}', '--json');
  t.is(refused.code, 1);
  t.is(JSON.parse(refused.stderr).code, 'validation_failed');
  t.regex(await ok('whoami'), /\nscopes\t\*\n/);

  const weak = await run(['monitors', 'pause', 'checkout'], {
    env: { ...env, UPQUORUM_TOKEN: await tokenOf(['monitors:read']) },
  });
  t.regex(weak.stderr, /the scope .*\n`upquorum whoami`/);
  t.false(outputs.join('').includes(token), 'the token is never shown');
});

test.serial('tail prints what changes until Ctrl-C', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const { folder, file } = commandLine();
  const { token } = await world.made('/v0/tokens', { name: 'tail', scopes: ['*'] });
  const id = await world.monitor('checkout');
  const env = { HOME: folder, UPQUORUM_URL: world.replica.url, UPQUORUM_TOKEN: token };
  const child = spawn(process.execPath, [file, 'tail', '--json'], { env });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', line => lines.push(line));
  let isPaused = false;
  await until(
    async () => {
      await world.api('POST', `/v0/monitors/${id}/${isPaused ? 'resume' : 'pause'}`);
      isPaused = !isPaused;
      return lines.some(line => line.includes(id));
    },
    isSeen => isSeen,
  );
  t.like(JSON.parse(lines.find(line => line.includes(id)) ?? ''), { topic: 'monitors', id, name: 'checkout' });
  child.kill('SIGINT');
  t.deepEqual(await ended, [130, null]);
});

test.serial('profiles are stored for nobody else, and a file that others may read is not used', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const { run, folder } = commandLine();
  const { url } = world.replica;
  const { token } = await world.made('/v0/tokens', { name: 'login', scopes: ['*'] });
  t.is((await run(['login', url, '--token-stdin'], { input: 'upq_wrong' })).code, 1);
  const signedIn = await run(['login', url, '--token-stdin'], { input: `${token}\n` });
  t.is(signedIn.code, 0, signedIn.stderr);
  await mkdir(join(folder, 'state'));
  await writeFile(join(folder, 'state/local.json'), JSON.stringify({ base_url: url, token }));
  t.is((await run(['login', '--local', 'state', '--profile', 'local'])).code, 0);
  t.is((await run(['profiles'])).stdout, `default\t${url}\t\nlocal\t${url}\t*\n`);
  t.is((await run(['use', 'default'])).code, 0);
  t.like(JSON.parse((await run(['whoami', '--json'])).stdout), { profile: 'default', server: { url } });
  t.like(JSON.parse((await run(['--profile', 'local', 'whoami', '--json'])).stdout), { profile: 'local' });
  t.regex((await run(['whoami', '--profile', 'none'])).stderr, /no profile none\nThere are: default, local\./);
  const path = join(folder, '.config/upquorum/profiles.json');
  t.is((await stat(path)).mode & 0o777, 0o600);
  t.is((await stat(join(folder, '.config/upquorum'))).mode & 0o777, 0o700);
  await chmod(path, 0o644);
  t.regex((await run(['whoami'])).stderr, /chmod 600/);
  await chmod(path, 0o600);
  t.is((await run(['logout', '--profile', 'local'])).code, 0);
  t.is((await run(['profiles'])).stdout, `default\t${url}\t*\n`);
});

test('a call is repeated with its key while the server is busy, and the token goes to no other origin', async t => {
  const keys: (string | undefined)[] = [];
  await using server = await startTarget((request, response) => {
    if (request.url === '/v0/project') return response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
    keys.push(request.headers['idempotency-key']?.toString());
    if (keys.length === 1) return request.socket.destroy();
    if (keys.length === 2) return response.writeHead(503, { 'Retry-After': '1' }).end();
    response.writeHead(201, { 'Content-Type': 'application/json' }).end('{"id":"rel_1"}');
  });
  const env = { UPQUORUM_URL: server.url.replace(/\/$/, ''), UPQUORUM_TOKEN: 'x', UPQUORUM_DEBUG: '1' };
  const { run } = commandLine();
  const created = await run(['releases', 'create', '1'], { env });
  t.is(created.stdout, 'rel_1\n', created.stderr);
  t.is(keys.length, 3);
  t.is(new Set(keys).size, 1);
  t.regex(created.stderr, /POST \/v0\/releases 503 /);
  const redirected = await run(['api', 'GET', '/v0/project'], { env });
  t.regex(redirected.stderr, /redirects to http:\/\/127\.0\.0\.1:1; the token is not sent there/);
});

test.serial('the control plane serves the program as a package, which npm installs without a registry', async t => {
  t.is(cliManifest.version, rootManifest.version);
  const world = await openAlertingWorld(t, databaseOf());
  const { folder } = commandLine();
  const address = `${world.replica.url}/cli/upquorum.tgz`;
  const response = await fetch(address);
  const bytes = Buffer.from(await response.arrayBuffer());
  t.is(response.headers.get('content-type'), 'application/gzip');
  t.true(bytes.length < 400_000, `${bytes.length} bytes`);
  const headers = { 'if-none-match': response.headers.get('etag') ?? '', 'cache-control': 'max-age=0' };
  t.is((await fetch(address, { headers })).status, 304);
  const prefix = join(folder, 'installed');
  await writeFile(join(folder, 'upquorum.tgz'), bytes);
  const flags = [
    '--global',
    '--prefix',
    prefix,
    '--offline',
    '--no-audit',
    '--no-fund',
    '--cache',
    join(folder, 'npm'),
  ];
  await promisify(execFile)('npm', ['install', ...flags, join(folder, 'upquorum.tgz')]);
  const installed = commandLineIn(folder, join(prefix, 'lib/node_modules/upquorum/dist/upquorum.mjs'));
  t.is((await installed.run(['--version'])).stdout, `${rootManifest.version}\n`);
});
