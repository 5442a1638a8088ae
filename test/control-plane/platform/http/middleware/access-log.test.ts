import test from 'ava';
import { startControlPlane } from '#control-plane/control-plane.ts';
import { version } from '#control-plane/platform/http/version.ts';
import { createLog } from '#shared/log.ts';
import { apiOf, configFor, createTenant } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);

test('a log line names problem, project and token of a request, and metrics its method', async t => {
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'info', destination: { write: (line: string) => lines.push(line) } });
  const config = configFor(databaseOf(), { logLevel: 'info', rateLimitPerMinute: 1, rateLimitBurst: 1 });
  const replica = await startControlPlane(config, log);
  t.teardown(() => replica.stop());
  const { projectId, token } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  const visit = apiOf(replica.url, '');
  const line = (answer: { headers: object }) => {
    const id = Object.entries(answer.headers).find(([name]) => name === 'x-request-id')?.[1];
    return JSON.parse(lines.find(text => text.includes(`"${id}"`) && text.includes('"msg":"request"')) ?? '{}');
  };
  const granted = line(await api('GET', '/v0/project'));
  t.like(granted, { method: 'GET', status: 200, project_id: projectId });
  t.regex(granted.token_id, /^tok_/);
  t.false('problem' in granted);
  const { token_id } = granted;
  const limited = line(await api('GET', '/v0/project'));
  t.like(limited, { status: 429, problem: 'rate_limited', project_id: projectId, token_id });
  const stored = line(await api('POST', '/v0/events', { name: 'a' }));
  t.like(stored, { status: 202, project_id: projectId, token_id });
  const page = await visit('POST', `/v0/events?project_id=${projectId}`, { name: 'a', type: 'error' });
  t.like(line(page), { project_id: projectId });
  t.false('token_id' in line(page));
  const unknown = line(await visit('GET', '/v0/project'));
  t.like(unknown, { status: 401, problem: 'missing_token' });
  t.false('project_id' in unknown);
  t.false(lines.some(text => text.includes(token)));
  await fetch(`${replica.url}/healthz`, { method: 'PROPFIND' });
  const metrics = await (await fetch(`${replica.url}/metrics`)).text();
  t.true(metrics.includes('upquorum_http_request_seconds_count{route="/v0/events",method="POST",status="202"} 1'));
  t.regex(metrics, /upquorum_http_request_seconds_count\{route="none",method="other",status="405"\} 1/);
  const { node, tz } = process.versions;
  t.true(metrics.includes(`upquorum_build_info{version="${version}",node="${node}",tz="${tz}"} 1`));
});

test('the log does not name the users of a customer’s site', async t => {
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'info', destination: { write: (line: string) => lines.push(line) } });
  const replica = await startControlPlane(configFor(databaseOf(), { logLevel: 'info' }), log);
  t.teardown(() => replica.stop());
  const { token } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  for (const rest of ['u-4711/timeline', 'u-4711%2Fa/timeline?limit=1', 'u-4711/a/b', 'u-4711', 'timeline/u-4711'])
    await api('GET', `/v0/users/${rest}`);
  await api('DELETE', '/v0/users/u-4711/timeline');
  await api('GET', '/V0/Users/u-4711/timeline');
  t.is((await api('GET', '/v0/users/timeline?external_id=u-4711')).status, 200);
  const paths = lines.filter(text => text.includes('"msg":"request"')).map(text => JSON.parse(text).path);
  t.is(paths[0], '/v0/users/…/timeline');
  t.is(paths.at(-1), '/v0/users/timeline');
  t.is(paths.length, 8);
  t.false(lines.join().includes('u-4711'));
});
