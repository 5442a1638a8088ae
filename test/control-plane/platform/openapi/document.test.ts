import { networkInterfaces } from 'node:os';
import test, { type ExecutionContext } from 'ava';
import { scopesOf } from '#control-plane/platform/http/endpoint/endpoint.ts';
import { fieldCodes } from '#control-plane/platform/http/problem.ts';
import { problems } from '#control-plane/platform/http/problem-codes.ts';
import { bodyExamples } from '#control-plane/platform/openapi/examples.ts';
import { apiOf, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { createDatabase, useDatabase } from '#test/support/database.ts';
import { problemFault } from '#test/support/problem.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);

type Node = Record<string, unknown>;
type Media = { schema: Node; example?: unknown; examples?: Record<string, { value: unknown }> };
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  'x-scopes': string[];
  parameters: { name: string; in: string; required: boolean; schema: Node }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, { description?: string; $ref?: string }>;
};

async function openWorld(t: ExecutionContext, changes?: Parameters<typeof startReplica>[1]) {
  const isUsual = changes === undefined;
  const replica = await (isUsual ? sharedReplica(databaseOf()) : startReplica(databaseOf(), changes));
  if (!isUsual) t.teardown(() => replica.stop());
  const open = apiOf(replica.url, '');
  const document = (await open('GET', '/v0/openapi.json')).body as Node & {
    paths: Record<string, Record<string, Operation>>;
  };
  return { replica, open, document };
}

test.serial('every route is in the document, with all its parameters, and nothing else is', async t => {
  const { replica, document } = await openWorld(t);
  const routes = replica.endpoints.map(endpoint => `${endpoint.method} ${endpoint.path}`).sort();
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map(method => `${method} ${path}`),
  );
  t.deepEqual(documented.sort(), routes);
  for (const endpoint of replica.endpoints) {
    const operation = document.paths[endpoint.path]?.[endpoint.method] as Operation;
    const what = `${endpoint.method} ${endpoint.path}`;
    const inPath = operation.parameters.filter(parameter => parameter.in === 'path');
    t.deepEqual(
      inPath.map(parameter => `{${parameter.name}}`),
      endpoint.path.match(/\{\w+\}/g) ?? [],
      what,
    );
    t.true(
      inPath.every(parameter => parameter.required),
      what,
    );
    t.is(operation.requestBody !== undefined, endpoint.body !== null, what);
    t.is(
      operation.parameters.some(parameter => parameter.name === 'Idempotency-Key'),
      endpoint.method === 'post',
      what,
    );
    const statuses = Object.keys(operation.responses);
    t.deepEqual(
      statuses.filter(status => status.startsWith('2')),
      Object.keys(endpoint.answers),
      what,
    );
    for (const status of ['401', '403', '429', '503', 'default']) t.true(statuses.includes(status), what);
    t.is(statuses.includes('404'), endpoint.path.includes('{'), what);
    t.is(statuses.includes('412'), endpoint.ifMatch === true, what);
    t.is(statuses.includes('415'), endpoint.body !== null, what);
    t.deepEqual(operation['x-scopes'], scopesOf(endpoint), what);
    for (const scope of scopesOf(endpoint)) t.true(operation.description.includes(scope), what);
  }
});

test.serial(
  'the document is well-formed OpenAPI 3.1: unique operation ids, every $ref resolves, every schema is one',
  async t => {
    const { document } = await openWorld(t);
    t.regex(String(document.openapi), /^3\.1\.\d+$/);
    const info = document.info as Node;
    t.true(typeof info.title === 'string' && typeof info.version === 'string');
    t.deepEqual(document.servers, [{ url: 'http://localhost:8080' }]);
    const operations = Object.values(document.paths).flatMap(item => Object.values(item));
    t.is(new Set(operations.map(operation => operation.operationId)).size, operations.length);
    for (const { operationId, summary, parameters, responses } of operations) {
      t.regex(operationId, /^[a-zA-Z0-9]+$/);
      t.true(summary.length > 0, operationId);
      t.is(
        new Set(parameters.map(parameter => `${parameter.in} ${parameter.name}`)).size,
        parameters.length,
        operationId,
      );
      for (const [status, response] of Object.entries(responses)) {
        t.regex(status, /^([1-5]\d\d|default)$/, operationId);
        t.true((response.description ?? response.$ref ?? '').length > 0, operationId);
      }
    }
    const schemes = (document.components as Node).securitySchemes as Node;
    for (const need of document.security as Node[])
      for (const name of Object.keys(need)) t.true(Object.hasOwn(schemes, name));
    for (const node of nodesOf(document)) {
      if (typeof node.$ref === 'string') t.not(resolve(document, node.$ref), undefined, node.$ref);
      if (Array.isArray(node.required))
        for (const name of node.required) t.true(Object.hasOwn((node.properties ?? {}) as Node, name), name);
    }
  },
);

test.serial('operations have names such as createMonitor, and every body has an example that is valid', async t => {
  const { replica, document } = await openWorld(t);
  const names: string[] = [];
  for (const { path, method, body } of replica.endpoints) {
    const operation = document.paths[path]?.[method] as Operation;
    names.push(operation.operationId);
    t.regex(operation.operationId, /^[a-z]+([A-Z][a-z0-9]*)+$/);
    if (body === null) continue;
    const { example, examples = { '': { value: example } } } = operation.requestBody?.content['application/json'] ?? {};
    for (const { value } of Object.values(examples)) {
      const parsed = body.safeParse(value);
      t.true(value !== undefined && parsed.success, `${operation.operationId} ${parsed.error?.message}`);
    }
  }
  for (const name of ['createMonitor', 'listMonitorChecks', 'pauseMonitor', 'rotateWebhookSecret', 'checkMonitorNow'])
    t.true(names.includes(name), name);
  for (const name of Object.keys(bodyExamples)) t.true(names.includes(name), `${name} has an example, but is nothing`);
});

test.serial('a resource is one named schema, with integers, times and lists as what they are', async t => {
  const { document } = await openWorld(t);
  const schemas = (document.components as { schemas: Record<string, Node> }).schemas;
  for (const name of ['Alert', 'Assertion', 'Incident', 'Monitor', 'Problem', 'StatusPage'])
    t.true(Object.hasOwn(schemas, name), name);
  t.false(JSON.stringify(document).includes(String(Number.MAX_SAFE_INTEGER)));
  const { properties } = schemas.HttpMonitor as { properties: Record<string, Node> };
  t.is(properties.created_at?.format, 'date-time');
  t.is(properties.alert_policy?.$ref, '#/components/schemas/AlertPolicy');
  const parameters = document.paths['/v0/alerts']?.get?.parameters ?? [];
  const limit = parameters.find(({ name }) => name === 'limit');
  t.deepEqual([limit?.schema.type, limit?.schema.maximum], ['integer', 200]);
  const state = parameters.find(({ name }) => name === 'state') as (Operation['parameters'][0] & Node) | undefined;
  t.deepEqual([state?.schema.type, state?.explode], ['array', false]);
});

test.serial('the document knows every code, and each code has a page at the address that problems name', async t => {
  const { document, open } = await openWorld(t);
  const schema = ((document.components as Node).schemas as Node).Problem as { properties: Record<string, Node> };
  t.deepEqual(schema.properties.code?.enum, Object.keys(problems));
  for (const code of fieldCodes) t.true(JSON.stringify(schema.properties.errors).includes(JSON.stringify(code)), code);
  for (const [code, [status, title]] of Object.entries(problems)) {
    const page = await open('GET', `/problems/${code}`);
    t.is(page.status, 200, code);
    t.regex(String(page.headers['content-type']), /^text\/html/, code);
    t.true(page.body.includes(`${status} ${code}`) && page.body.includes(title), code);
  }
  for (const code of ['nothing', '__proto__', 'toString', 'INVALID_JSON'])
    t.is((await open('GET', `/problems/${code}`)).status, 404, code);
});

test.serial('the codes are those of the contract, no more and no fewer', t => {
  const closed = `invalid_json invalid_parameter invalid_cursor invalid_idempotency_key empty_batch 400 ·
    missing_token invalid_token token_expired token_revoked invalid_signature 401 ·
    sign_in_refused 401 ·
    method_disabled person_required not_a_member confirmation_required insufficient_scope origin_not_allowed 403 ·
    access_required 403 ·
    not_found 404 · method_not_allowed 405 · request_timeout 408 · already_resolved alert_already_promoted
    alert_resolved limit_reached monitor_paused slug_taken component_in_use status_page_in_use delivery_not_replayable
    count_changed idempotency_in_progress name_taken channel_in_use secret_in_use maintenance_over
    last_admin last_credential already_invited already_member member_by_group domain_taken
    wrong_kind plan_stale plan_has_conflicts apply_in_progress 409 · link_expired 410 ·
    changed_since 412 ·
    payload_too_large batch_too_large 413 · unsupported_media_type 415 ·
    validation_failed idempotency_key_reused release_not_ingestible backtest_too_large 422 · rate_limited 429 ·
    headers_too_large 431 · internal_error 500 · unavailable 503`;
  const expected = closed.split('·').flatMap(group => {
    const words = group.trim().split(/\s+/);
    return words.slice(0, -1).map(code => `${code} ${words.at(-1)}`);
  });
  t.deepEqual(
    Object.entries(problems)
      .map(([code, [status]]) => `${code} ${status}`)
      .sort(),
    expected.sort(),
  );
});

test.serial('a problem is problem+json, or plain JSON to clients that accept nothing else', async t => {
  const { open } = await openWorld(t);
  for (const [accept, type] of [
    ['application/json', 'application/json'],
    ['application/json, */*', 'application/problem+json'],
    ['*/*', 'application/problem+json'],
    ['text/html', 'application/problem+json'],
  ] as const) {
    const answer = await open('GET', '/v0/project', undefined, { accept });
    t.is(String(answer.headers['content-type']).split(';')[0], type, accept);
    t.is(answer.body.code, 'missing_token');
    t.is(answer.body.instance, '/v0/project');
  }
});

test.serial('health answers without a token and reveals nothing else', async t => {
  const { open } = await openWorld(t);
  t.deepEqual((await open('GET', '/healthz')).body, { status: 'ok' });
  const ready = await open('GET', '/readyz');
  t.is(ready.status, 200);
  t.deepEqual([ready.body.ready, ready.body.database, ready.body.migrations], [true, 'ok', 'ok']);
  t.is((await open('POST', '/healthz')).status, 405);
});

test.serial('a replica without its schema is alive but not ready, and says so as a problem', async t => {
  const database = await createDatabase();
  t.teardown(() => database.drop());
  const replica = await startReplica(database.url);
  t.teardown(() => replica.stop());
  const open = apiOf(replica.url, '');
  await withSql(database.url, sql => sql.run`delete from schema_migrations`);
  t.is((await open('GET', '/healthz')).status, 200);
  const ready = await open('GET', '/readyz');
  t.is(ready.status, 503);
  t.is(problemFault(503, String(ready.headers['content-type']), JSON.stringify(ready.body)), null);
  t.deepEqual([ready.body.code, ready.body.ready, ready.body.database], ['unavailable', false, 'ok']);
  t.true(ready.body.migrations.length > 0);
  t.is(ready.headers['retry-after'], '1');
});

test.serial('metrics are for loopback and for the metrics token', async t => {
  const { replica } = await openWorld(t, { host: '0.0.0.0', metricsToken: 'a-token-for-metrics' });
  const local = apiOf(`http://127.0.0.1:${replica.port}`, '');
  const text = await local('GET', '/metrics');
  t.is(text.status, 200);
  t.true(String(text.body).includes('upquorum_http_request_seconds'));
  const outside = outsideAddress();
  const proxied = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-host', 'x-forwarded-proto'];
  const outsiders: [string, Record<string, string>][] = [
    ...proxied.map((name): [string, Record<string, string>] => [`http://127.0.0.1:${replica.port}`, { [name]: 'a' }]),
    // As a proxy that adds nothing, or a page whose name points to this machine.
    [`http://127.0.0.1:${replica.port}`, { host: 'status.example' }],
  ];
  if (outside !== null)
    outsiders.push(
      [`http://${outside}:${replica.port}`, {}],
      [`http://${outside}:${replica.port}`, { 'x-forwarded-for': '127.0.0.1' }],
    );
  for (const [url, headers] of outsiders) {
    const read = (authorization: Record<string, string>) =>
      apiOf(url, '')('GET', '/metrics', undefined, { ...headers, ...authorization });
    t.is((await read({})).body.code, 'missing_token');
    for (const wrong of ['Bearer wrong', 'Bearer a-token-for-metricx', 'Bearer ', 'a-token'])
      t.is((await read({ authorization: wrong })).status, 401, wrong);
    t.is((await read({ authorization: 'Bearer a-token-for-metrics' })).status, 200);
  }
});

test.serial('without a metrics token nobody outside gets metrics, and an API token does not count', async t => {
  const { replica } = await openWorld(t);
  const { token } = await createTenant(databaseOf());
  const through = { 'x-forwarded-for': '203.0.113.1' };
  for (const bearer of ['', token])
    t.is((await apiOf(replica.url, bearer)('GET', '/metrics', undefined, through)).status, 401);
});

function outsideAddress(): string | null {
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? []);
  return addresses.find(address => address.family === 'IPv4' && !address.internal)?.address ?? null;
}

/** Every object in the document, itself included. */
function nodesOf(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.values(value).flatMap(nodesOf);
  return Array.isArray(value) ? below : [value as Node, ...below];
}

/** The node that a local reference points at. */
function resolve(document: Node, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const steps = reference
    .slice(2)
    .split('/')
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>((value, step) => (value as Node | undefined)?.[step], document);
}
