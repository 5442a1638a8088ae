import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { createSampleKinds } from '#deploy/local/sample-kinds.ts';
import { openSampleSite, type SamplePorts } from '#deploy/local/sample-site.ts';
import { type Credentials, localRegions } from '#deploy/local/setup.ts';
import { makeCertificate } from '#test/support/certificate.ts';
import { ask } from '#test/support/dns-check.ts';
import { probeKindOnce, probeOnce } from '#test/support/probe.ts';

/** A check of several steps has no URL. */
const nameOf = ({ url, kind, multistep }: { url?: string; kind?: string; multistep?: { steps: { url: string }[] } }) =>
  url ?? (multistep === undefined ? String(kind) : `${kind} ${multistep.steps[0]?.url}`);

/** An API whose regions can do this, and the URLs of the monitors that it is told to create. */
async function openApi(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-samples-'));
  const made: string[] = [];
  const can = new Map<string, string[]>(localRegions.map(code => [code, ['tcp', 'ping', 'multistep']]));
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') made.push(nameOf(JSON.parse(await text(request))));
    response.end(JSON.stringify({ data: [...can].map(([code, capabilities]) => ({ code, capabilities })) }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  t.teardown(() => rm(folder, { recursive: true }));
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const path = join(folder, 'credentials.json');
  const credentials: Credentials = { project_id: 'proj_1', token: 'upq_1', agents: {}, first_monitor: true };
  const create = (watchedUrl: string, stored = credentials, site?: SamplePorts) =>
    createSampleKinds(folder, { baseUrl, watchedUrl }, stored, site);
  return { made, can, create, stored: async (): Promise<Credentials> => JSON.parse(await readFile(path, 'utf8')) };
}

test('a port and a host are watched beside websites, and are created once', async t => {
  const { made, create, stored } = await openApi(t);
  await create('http://127.0.0.1:8080');
  t.deepEqual(made, ['tcp://127.0.0.1:8080', 'ping://127.0.0.1', 'multistep http://127.0.0.1:8080/healthz', 'events']);
  await create('http://127.0.0.1:8080', await stored());
  t.is(made.length, 4);
});

test('no ping is watched until the agents of all regions can ping', async t => {
  const { made, can, create, stored } = await openApi(t);
  can.set('us-east', ['tcp']);
  await create('http://127.0.0.1:8080');
  t.deepEqual(made, ['tcp://127.0.0.1:8080', 'events']);
  can.set('us-east', ['tcp', 'ping', 'multistep']);
  await create('http://127.0.0.1:8080', await stored());
  t.deepEqual(made.slice(2), ['ping://127.0.0.1', 'multistep http://127.0.0.1:8080/healthz']);
});

for (const [watchedUrl, url] of [
  ['https://up.example.com', 'tcp://up.example.com:443'],
  ['http://up.example.com', 'tcp://up.example.com:80'],
] as const)
  test(`at ${watchedUrl} the port is watched alone, since networks may drop pings`, async t => {
    const { made, create } = await openApi(t);
    await create(watchedUrl);
    t.deepEqual(made, [url, `multistep ${watchedUrl}/healthz`, 'events']);
  });

test('a name and a certificate are watched, and their checks succeed', async t => {
  const { made, can, create } = await openApi(t);
  for (const code of localRegions) can.set(code, ['dns', 'egress.1']);
  const certificate = makeCertificate({ days: 3650 });
  const site = await openSampleSite(undefined, certificate);
  t.teardown(() => site.close());
  const { dns = 0, tls = 0 } = site.ports;
  const stored: Credentials = {
    project_id: 'proj_1',
    token: 'upq_1',
    agents: {},
    first_monitor: true,
    sample_certificate: certificate,
  };
  await create('http://127.0.0.1:8080', stored, site.ports);
  t.deepEqual(made, ['events', `dns://127.0.0.1:${dns}/sample.test?type=A`, `tls://127.0.0.1:${tls}`]);
  const host = '127.0.0.1';
  t.like(await ask(dns, { name: 'sample.test' }), {
    error: null,
    facts: { dns: { answers: [{ data: '127.0.0.1' }] } },
  });
  t.like(await ask(dns, { name: 'other.test' }), { error: { code: 'no_record', message: 'NXDOMAIN' } });
  const egress = { ca: certificate.authority };
  const shown = await probeKindOnce({ kind: 'tls', host, port: tls, starttls: null }, undefined, { egress });
  t.is(shown.error, null);
});

test('what the sample site serves is watched, and its checks succeed', async t => {
  const { made, can, create } = await openApi(t);
  for (const code of localRegions) can.set(code, ['grpc', 'websocket', 'http.2']);
  const site = await openSampleSite(undefined);
  t.teardown(() => site.close());
  const { grpc, websocket } = site.ports;
  await create('http://127.0.0.1:8080', undefined, site.ports);
  t.deepEqual(made.slice(1), [`http://127.0.0.1:${grpc}/`, `grpc://127.0.0.1:${grpc}`, `ws://127.0.0.1:${websocket}/`]);
  const host = '127.0.0.1';
  const health = await probeKindOnce({ kind: 'grpc', secure: false, host, port: grpc, service: '' });
  t.like(health, { error: null, facts: { grpc: { status: 'SERVING' } } });
  const socket = { secure: false, host, port: websocket, path: '/', subprotocols: [], send: 'hello', read: true };
  t.like(await probeKindOnce({ kind: 'websocket', ...socket }), { error: null, response: { bodyText: 'hello' } });
  const page = await probeOnce({ url: `http://127.0.0.1:${grpc}/`, http_version: '2' });
  t.like(page, { error: null, statusCode: 200, facts: { http_version: '2' } });
  const second = await openSampleSite(site.ports);
  t.teardown(() => second.close());
  t.notDeepEqual(second.ports, site.ports, 'ports that are taken are not waited for');
});
