import test from 'ava';
import fc from 'fast-check';
import { z } from 'zod';
import { flowPostSchema } from '#control-plane/analytics/flows/flow.ts';
import { releasePostSchema } from '#control-plane/analytics/releases/release.ts';
import { insertRegion } from '#control-plane/monitoring/agents/store.ts';
import { monitorPatchSchema, monitorPostSchema } from '#control-plane/monitoring/monitors/monitor.ts';
import { findForbiddenFields } from '#control-plane/platform/http/bodies/unknown-fields.ts';
import { errorsMax } from '#control-plane/platform/http/problem.ts';
import { incidentPatchSchema, incidentPostSchema } from '#control-plane/publishing/incidents/incident.ts';
import { importSchema } from '#control-plane/publishing/subscribers/subscriber.ts';
import { anyText } from '#test/support/any-text.ts';
import { apiOf, createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { validBodies } from '#test/support/hostile-body.ts';
import { faultsOf, problemFault } from '#test/support/problem.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);

const cases: [what: string, schema: z.ZodType, body: unknown, errors: string[]][] = [
  ['known fields', monitorPostSchema, { name: 'a', url: 'b', regions: [] }, []],
  ['a misspelt field', monitorPostSchema, { assertion: [] }, ['/assertion: did you mean `assertions`?']],
  ['a field near nothing', monitorPostSchema, { colour: 'red' }, ['/colour']],
  [
    'several at once',
    monitorPatchSchema,
    { nmae: 1, urls: 2 },
    ['/nmae: did you mean `name`?', '/urls: did you mean `url`?'],
  ],
  [
    'a read-only field',
    monitorPatchSchema,
    { created_at: 'x', status: 'up' },
    ['/created_at read-only', '/status read-only'],
  ],
  ['a read-only field of one method', incidentPatchSchema, { status_page_id: 'x' }, ['/status_page_id read-only']],
  ['the same field of the other method', incidentPostSchema, { status_page_id: 'x' }, []],
  [
    'a field inside an array of unions',
    monitorPostSchema,
    {
      assertions: [
        { type: 'status', operator: 'eq', value: 200 },
        { type: 'status', operator: 'eq', vlaue: 200 },
      ],
    },
    ['/assertions/1/vlaue: did you mean `value`?'],
  ],
  [
    'a field of another variant',
    monitorPostSchema,
    { assertions: [{ type: 'latency_p95', operator: 'lt', value_ms: 5, case_insensitive: true }] },
    ['/assertions/0/case_insensitive'],
  ],
  ['a variant that is not known', monitorPostSchema, { assertions: [{ type: 'odour', x: 1 }] }, []],
  [
    'a field of an optional object',
    monitorPatchSchema,
    { alert_policy: { sevrity: 'p1' } },
    ['/alert_policy/sevrity: did you mean `severity`?'],
  ],
  ['null instead of an object', monitorPatchSchema, { alert_policy: null }, []],
  [
    'an object with a read-only field inside',
    incidentPostSchema,
    { initial_update: { posted_at: 'x' } },
    ['/initial_update/posted_at read-only'],
  ],
  [
    'two levels of arrays',
    flowPostSchema,
    { steps: [{ event: 'a' }, { where: [{ prp: 'p' }] }] },
    ['/steps/1/where/0/prp: did you mean `prop`?'],
  ],
  [
    'an item of an import',
    importSchema,
    { subscribers: [{ email: 'a' }, { mail: 'a' }] },
    ['/subscribers/1/mail: did you mean `email`?'],
  ],
  ['free-form headers', monitorPostSchema, { headers: { anything: 'a' } }, []],
  ['free-form props', releasePostSchema, { props: { anything: { at: ['all'] } } }, []],
  [
    'any JSON as a value',
    monitorPostSchema,
    { assertions: [{ type: 'json_path', path: '$', operator: 'eq', value: { a: 1 } }] },
    [],
  ],
  [
    'names of the prototype',
    monitorPostSchema,
    JSON.parse('{"__proto__": 1, "toString": 2}'),
    ['/__proto__', '/toString'],
  ],
  ['names that a pointer escapes', monitorPostSchema, { 'a/b~c': 1, '': 2 }, ['/a~1b~0c', '/']],
  ['an object where an array is due', monitorPostSchema, { regions: { a: 1 } }, []],
  ['an array where an object is due', monitorPostSchema, [{ a: 1 }], []],
  ['text instead of a body', monitorPostSchema, 'name', []],
];
for (const [what, schema, body, expected] of cases)
  test(`${what}: ${expected.length === 0 ? 'accepted' : expected.join(', ')}`, t => {
    const errors = findForbiddenFields(schema, body).map(error => {
      if (!('pointer' in error)) return error.parameter;
      if (error.code === 'read_only') return `${error.pointer} read-only`;
      t.is(error.code, 'not_allowed');
      const [first, hint] = error.detail.split('; ');
      t.is(first, 'unknown field');
      return hint === undefined ? error.pointer : `${error.pointer}: ${hint}`;
    });
    t.deepEqual(errors, expected);
  });

test('a body of nothing but unknown fields costs no more than the errors that are reported', t => {
  const body = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`unknown_${index}`, 1]));
  t.is(findForbiddenFields(monitorPostSchema, body).length, errorsMax);
  const items = Array.from({ length: 100_000 }, () => ({ unknown: 1 }));
  t.is(findForbiddenFields(z.object({ items: z.array(z.object({})) }), { items }).length, errorsMax);
});

test.serial('any body with an extra field is 422 not_allowed at that field, and never a 5xx', async t => {
  const { api } = await openWorld();
  const known = new Set(validBodies.flatMap(({ body }) => Object.keys(body)));
  const name = fc.oneof(anyText({ minLength: 1, maxLength: 20 }), fc.constantFrom('constructor', 'a/b'));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...validBodies),
      name,
      fc.jsonValue(),
      async ({ path, method, body }, field, value) => {
        const clean = field.toWellFormed().replaceAll('\0', '\ufffd');
        fc.pre(!known.has(clean) && !readable.has(clean));
        const answer = await api(method, path, { ...body, [field]: value });
        t.is(answer.status, 422, field);
        const text = JSON.stringify(answer.body);
        t.is(problemFault(422, String(answer.headers['content-type']), text), null);
        const pointer = `/${clean.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        t.true(faultsOf(answer).includes(`${pointer} not_allowed`), `${pointer} in ${text}`);
      },
    ),
    { numRuns: 150 },
  );
});

test.serial('the same bodies without the extra field are accepted', async t => {
  const { api } = await openWorld();
  for (const { method, path, body } of validBodies) {
    const answer = await api(method, path, body);
    t.true(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  }
});

test.serial('unknown fields are reported together with every other error of the body', async t => {
  const { api } = await openWorld();
  const answer = await api('POST', '/v0/monitors', {
    name: '',
    url: 'https://example.com/',
    interval_seconds: 60,
    timeout_ms: 60_000,
    regions: ['nowhere'],
    quorum: 2,
    assertions: [{ type: 'body_contains', vlaue: 'a' }],
    id: 'mon_1',
    intervall: 5,
  });
  t.deepEqual(faultsOf(answer), [
    '/assertions/0/value required',
    '/assertions/0/vlaue not_allowed',
    '/id read_only',
    '/intervall not_allowed',
    '/name too_short',
    '/quorum out_of_range',
    '/regions/0 unknown_reference',
  ]);
});

test.serial('events and their items may have unknown fields', async t => {
  const { api } = await openWorld();
  const answer = await api('POST', '/v0/events', [{ name: 'a', colour: 'red' }]);
  t.is(answer.status, 202);
  t.is(answer.body.accepted, 1);
});

test.serial('a replay is answered with the stored response, whatever its fields', async t => {
  const { api } = await openWorld();
  const key = { 'idempotency-key': '0b7b7f5c-3f6a-4b0e-9d4e-1a2b3c4d5e6f' };
  const first = await api('POST', '/v0/tokens', { name: 'a', scopes: ['*'] }, key);
  const again = await api('POST', '/v0/tokens', { name: 'a', scopes: ['*'] }, key);
  t.deepEqual([again.status, again.body.id], [first.status, first.body.id]);
  const refused = await api('POST', '/v0/tokens', { name: 'a', scopes: ['*'], nmae: 'b' }, key);
  t.is(refused.body.code, 'idempotency_key_reused');
});

test.serial('the OpenAPI document allows no unknown fields where the API does not', async t => {
  const { api } = await openWorld();
  const { components, paths } = (await api('GET', '/v0/openapi.json')).body;
  const bodyOf = (path: string) => {
    const { schema } = paths[path].post.requestBody.content['application/json'];
    return schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1)];
  };
  const alternatives = Object.keys(components.schemas).filter(name => /^Create[A-Z][a-z]+MonitorRequest$/.test(name));
  t.is(alternatives.length, bodyOf('/v0/monitors').oneOf.length);
  t.true(alternatives.every(name => components.schemas[name].additionalProperties === false));
  const monitor = components.schemas.CreateHttpMonitorRequest;
  t.is(monitor.additionalProperties, false);
  t.deepEqual(monitor.properties.assertions.items, { $ref: '#/components/schemas/AssertionInput' });
  t.true(components.schemas.AssertionInput.oneOf.every((item: Schema) => item.additionalProperties === false));
  t.not(monitor.properties.headers.additionalProperties, false);
  const event = { anyOf: ['Event', 'IdentifyEvent'].map(name => ({ $ref: `#/components/schemas/${name}` })) };
  t.deepEqual(bodyOf('/v0/events').anyOf[0], event);
  t.false(JSON.stringify(components.schemas.Event).includes('"additionalProperties":false'));
});

type Schema = { additionalProperties?: unknown };

/** Read-only fields of these bodies, which are refused with another code. */
const readable = new Set([
  ...['id', 'project_id', 'status', 'status_since', 'votes', 'config_version', 'created_at', 'updated_at', 'version'],
  ...['last_used_at', 'revoked_at', 'token', 'event_id', 'plan', 'event_retention_days', 'ingest_limits', 'key'],
]);

async function openWorld() {
  const replica = await sharedReplica(databaseOf());
  const { token } = await createTenant(databaseOf());
  await withSql(databaseOf(), sql =>
    insertRegion(sql, { code: 'hostile', name: 'hostile', projectId: null }, Date.now()),
  );
  return { api: apiOf(replica.url, token) };
}
