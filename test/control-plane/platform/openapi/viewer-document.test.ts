import test from 'ava';
import { viewerDocument } from '#control-plane/platform/openapi/viewer-document.ts';
import { apiOf } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);

type Node = Record<string, unknown>;

/** What the viewer is given for one schema. */
function seen(schema: Node): unknown {
  const { components } = viewerDocument({ components: { schemas: { one: schema } } }) as {
    components: { schemas: Node };
  };
  return components.schemas.one;
}

const $ref = '#/components/schemas/other';
const cases: [what: string, schema: Node, expected: Node][] = [
  ['a plain type', { type: 'string', maxLength: 3 }, { type: 'string', maxLength: 3 }],
  ['a type or null', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
  ['several types', { type: ['string', 'number'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
  ['a choice or null', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, { type: 'integer', nullable: true }],
  ['a reference', { $ref }, { $ref }],
  ['a described reference', { $ref, description: 'd' }, { allOf: [{ $ref }], description: 'd' }],
  ['a reference or null', { anyOf: [{ $ref }, { type: 'null' }] }, { allOf: [{ $ref }], nullable: true }],
  ['a constant', { type: 'string', const: 'http' }, { type: 'string', enum: ['http'] }],
  ['a bound', { type: 'number', exclusiveMinimum: 0 }, { type: 'number', minimum: 0, exclusiveMinimum: true }],
  ['examples', { type: 'string', examples: ['a', 'b'] }, { type: 'string', example: 'a' }],
  [
    'a map',
    { type: 'object', propertyNames: { maxLength: 9 }, additionalProperties: { const: 1 } },
    { type: 'object', additionalProperties: { enum: [1] } },
  ],
  [
    'properties with the names of keywords',
    { properties: { type: { type: ['integer', 'null'] }, const: { const: 'a' } } },
    { properties: { type: { type: 'integer', nullable: true }, const: { enum: ['a'] } } },
  ],
];
for (const [what, schema, expected] of cases)
  test(`the viewer is given ${what} in the words it reads quickly`, t => {
    t.deepEqual(seen(schema), expected);
  });

test('nothing of what an operation says is lost', async t => {
  const { url } = await sharedReplica(databaseOf());
  const read = async (path: string) => (await apiOf(url, '')('GET', path)).body as Node;
  const document = await read('/v0/openapi.json');
  const shown = await read('/docs/openapi.json');
  t.is(shown.openapi, '3.0.3');
  t.deepEqual(said(shown), said(document));
  t.deepEqual(references(shown), references(document));
  t.deepEqual(
    collect(shown, (value, key) => key === 'type' && (value === 'null' || Array.isArray(value))),
    [],
  );
});

/** Every sentence: one about a field stands for another about its type. */
function said(node: unknown): unknown[] {
  const all = collect(node, (value, key) => typeof value === 'string' && /^(description|summary)$/.test(key));
  return [...new Set(all)].sort();
}

function references(node: unknown): unknown[] {
  return collect(node, (_, key) => key === '$ref').sort();
}

function collect(node: unknown, wanted: (value: unknown, key: string) => boolean): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [
    ...(wanted(value, key) ? [value] : []),
    ...collect(value, wanted),
  ]);
}
