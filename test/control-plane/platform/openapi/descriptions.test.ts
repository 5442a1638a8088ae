import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import test from 'ava';
import { kindOf } from '#control-plane/monitoring/monitors/kinds/kinds.ts';
import { monitorPostSchema, monitorTestSchema } from '#control-plane/monitoring/monitors/monitor.ts';
import { settingsErrors } from '#control-plane/monitoring/monitors/settings.ts';
import { currentDocument } from '#deploy/api-types/write.ts';
import { monitorKinds } from '#shared/checks/vocabulary.ts';

type Node = Record<string, unknown>;
type Media = { schema: Node; example?: unknown; examples?: Record<string, { value: unknown }> };
type Response = { description?: string; headers?: Node; content?: Record<string, Media>; $ref?: string };
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  parameters: { name: string; description?: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
};
type Document = {
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Node>;
    headers: Record<string, { description?: string }>;
    responses: Record<string, Response>;
  };
};

let turns = 0;
const others = setInterval(() => turns++, 0);
const document = (await currentDocument()) as Document;
clearInterval(others);
const operations = Object.values(document.paths).flatMap(item => Object.values(item));

/** A description stands alone: it begins like a sentence and ends like one. */
function isReadable(description: string | undefined): boolean {
  return description !== undefined && /^[\p{Lu}\d`*].*[.`)]$/su.test(description);
}

test('while the document is made, others have their turn', t => {
  t.true(turns > 20, `${turns} turns in ${operations.length} operations`);
});

test('each operation says more than its scope, and each parameter, tag and header is described', t => {
  const faults = [
    ...operations
      .filter(({ description, summary }) => !isReadable(description) || /^Requires/.test(description) || summary === '')
      .map(({ operationId, description }) => `${operationId}: ${description}`),
    ...operations.flatMap(({ operationId, parameters }) =>
      parameters
        .filter(({ description }) => !isReadable(description))
        .map(({ name, description }) => `${operationId} ${name}: ${description}`),
    ),
    ...document.tags.filter(({ description }) => !isReadable(description)).map(({ name }) => `tag ${name}`),
    ...Object.entries(document.components.headers)
      .filter(([, { description }]) => !isReadable(description))
      .map(([name]) => `header ${name}`),
  ];
  t.deepEqual(faults, []);
});

test('each property is described by a text that can be read alone', t => {
  const faults = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    propertiesIn(schema, name)
      .filter(({ description }) => !isReadable(description))
      .map(({ path, description }) => `${path}: ${description}`),
  );
  t.deepEqual(faults, []);
});

test('each body and each answer in JSON is a named schema', t => {
  const media = operations.flatMap(({ requestBody, responses }) =>
    [requestBody, ...Object.values(responses)].map(part => part?.content?.['application/json']),
  );
  const inline = media.filter(content => content !== undefined && typeof content.schema.$ref !== 'string');
  t.deepEqual(inline, []);
  for (const name of Object.keys(document.components.schemas)) t.regex(name, /^[A-Z][A-Za-z]+$/);
});

test('each body and each answer has an example, and its schema allows it', t => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  const faults = mediaOf(document).flatMap(([name, { schema, ...media }]) => {
    const examples = examplesOf(media);
    if (examples.includes(undefined)) return [`${name} has no example`];
    const validate = ajv.compile(rebased(schema) as Node);
    return examples.flatMap(one => (validate(one) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`]));
  });
  t.deepEqual(faults, []);
});

test('a monitor of each kind is one of the alternatives and no other, with its kind named or by its URL', t => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  const { schemas } = document.components;
  const tested = monitorKinds.filter(kind => kind === 'events' || kindOf(kind).withoutAgents === null);
  for (const [path, union, kinds, schema] of [
    ['/v0/monitors', 'CreateMonitorRequest', monitorKinds, monitorPostSchema],
    ['/v0/monitors/test', 'TestMonitorRequest', tested, monitorTestSchema],
  ] as const) {
    const { discriminator, oneOf } = schemas[union] as Union;
    const { mapping } = discriminator;
    t.is(discriminator.propertyName, 'kind');
    t.deepEqual(Object.keys(mapping), [...kinds]);
    t.deepEqual(
      Object.values(mapping),
      oneOf.map(({ $ref }) => $ref),
    );
    const fitting = (body: unknown) => Object.keys(mapping).filter(kind => ajv.validate(`api${mapping[kind]}`, body));
    const { examples = {} } = document.paths[path]?.post?.requestBody?.content['application/json'] ?? {};
    for (const kind of kinds) {
      const value = examples[kind]?.value as object;
      t.deepEqual(settingsErrors(schema.parse(value)), [], `${union} ${kind}`);
      t.deepEqual(fitting({ ...value, kind }), [kind], union);
      t.deepEqual(fitting(value), [kind], union);
      for (const other of kinds) if (other !== kind) t.deepEqual(fitting({ ...value, kind: other }), [], other);
    }
  }
  const shown = schemas.Monitor as Union;
  t.deepEqual(Object.keys(shown.discriminator.mapping), [...monitorKinds]);
  t.is(shown.oneOf.length, monitorKinds.length);
});

test('ids in examples begin with the prefixes that ids have', t => {
  const prefixes =
    'agp agt alt aud chk chn comp dlv evt flow inc mno mnt mon ntc proj rcp rel req rte sec sp sub tok upd vrd';
  const known = new Set(`${prefixes} pln wal whk`.split(' '));
  const texts = JSON.stringify(mediaOf(document).map(([, media]) => examplesOf(media)));
  for (const [, prefix = ''] of texts.matchAll(/"([a-z]+)_[0-9a-z]{26}"/g)) t.true(known.has(prefix), prefix);
  t.notRegex(texts, /"(stp|cmp)_/);
});

test('times have the format date-time, and responses name their headers', t => {
  const times = /(^at|_at|^(bucket|original_start|valid_to|valid_from|as_of|status_since|timestamp))$/;
  const faults = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    propertiesIn(schema, name)
      .filter(({ path, text }) => times.test(path.split('.').at(-1) ?? '') && !/"(date-time|pattern)"/.test(text))
      .map(({ path }) => path),
  );
  t.deepEqual(faults, []);
  for (const { operationId, responses } of operations)
    for (const [status, { headers, $ref }] of Object.entries(responses))
      t.true($ref !== undefined || 'X-Request-Id' in (headers ?? {}), `${operationId} ${status}`);
  t.true('Retry-After' in (document.components.responses.Problem429?.headers ?? {}));
});

type Union = {
  oneOf: { $ref: string }[];
  discriminator: { propertyName: string; mapping: Record<string, string> };
};

function examplesOf({ example, examples }: Omit<Media, 'schema'>): unknown[] {
  return examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);
}

/** Every media type of bodies and answers, by name. */
function mediaOf({ components }: Document): [name: string, media: Media][] {
  const parts = operations.flatMap(({ operationId, requestBody, responses }) => [
    [`${operationId} body`, requestBody?.content ?? {}] as const,
    ...Object.entries(responses).map(([status, { content }]) => [`${operationId} ${status}`, content ?? {}] as const),
  ]);
  const problems = Object.entries(components.responses).map(([name, { content }]) => [name, content ?? {}] as const);
  return [...parts, ...problems].flatMap(([name, content]) =>
    Object.entries(content).map(([type, media]): [string, Media] => [`${name} ${type}`, media]),
  );
}

type Property = { path: string; description?: string; text: string };

/** Every property within a schema, with its path. */
function propertiesIn(node: unknown, path: string): Property[] {
  if (Array.isArray(node)) return node.flatMap(item => propertiesIn(item, path));
  if (typeof node !== 'object' || node === null) return [];
  const { properties, items, anyOf, oneOf, allOf, additionalProperties } = node as Node;
  const own = Object.entries((properties ?? {}) as Record<string, Node>).flatMap(([name, property]) => [
    { path: `${path}.${name}`, text: JSON.stringify(property), description: property.description as string },
    ...propertiesIn(property, `${path}.${name}`),
  ]);
  return [...own, ...[items, anyOf, oneOf, allOf, additionalProperties].flatMap(below => propertiesIn(below, path))];
}

/** The schema with its references into the document. */
function rebased(node: unknown): unknown {
  return JSON.parse(JSON.stringify(node).replaceAll('"#/components', '"api#/components'));
}
