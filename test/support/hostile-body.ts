import fc from 'fast-check';

type Tree = null | boolean | number | string | Tree[] | Fields;
type Fields = { [name: string]: Tree };

const monitor: Fields = {
  name: 'm',
  url: 'https://example.com/',
  method: 'POST',
  interval_seconds: 60,
  timeout_ms: 1000,
  regions: ['hostile'],
  quorum: 1,
  assertions: [
    { type: 'status', operator: 'in', value: [200, '300-399'] },
    { type: 'body_contains', operator: 'contains', value: 'a', case_insensitive: true },
    { type: 'header', name: 'a', operator: 'matches', value: 'a+' },
    { type: 'json_path', path: '$.a', operator: 'eq', value: { a: [1] } },
    { type: 'latency_p95', operator: 'lt', value_ms: 100, window_minutes: 10 },
  ],
  headers: { accept: 'text/html' },
  body: 'b',
  follow_redirects: true,
  alert_policy: { severity: 'p1', slack_channel: '#a', escalate_after_minutes: 5 },
  component_ids: [],
  labels: { env: 'prod' },
  enabled: true,
};
const token: Fields = { name: 't', scopes: ['monitors:read'], expires_at: '2099-01-01T00:00:00Z' };
const project: Fields = { name: 'p', allowed_origins: ['https://example.com'], link_sessions: true };

const event: Tree = {
  name: 'e',
  type: 'track',
  external_user_id: 'u',
  session_id: 's',
  props: { a: { b: [1, 'c', null, true] } },
  timestamp: '2026-01-01T00:00:00Z',
  dedup_id: 'd',
};
const release: Fields = {
  version: '1',
  name: 'r',
  environment: 'production',
  released_at: '2026-01-01T00:00:00Z',
  url: 'https://example.com/',
  commit_sha: 'abc',
  props: { a: 1 },
};
const flow: Fields = {
  name: 'f',
  steps: [{ name: 's', event: 'a', where: [{ prop: 'p', op: 'in', value: [1, 'b'] }] }, { event: 'b' }],
  window_seconds: 3600,
  order: 'strict',
};

/** Requests whose bodies are accepted; monitors run from the region `hostile`. */
export const validBodies: readonly { method: 'POST' | 'PATCH'; path: string; body: Fields }[] = [
  { method: 'POST', path: '/v0/monitors', body: monitor },
  { method: 'POST', path: '/v0/tokens', body: token },
  { method: 'PATCH', path: '/v0/project', body: project },
  { method: 'POST', path: '/v0/releases', body: release },
  { method: 'POST', path: '/v0/flows', body: flow },
];

/** JSON fragments that break a naive reader; as text, since JSON.stringify cannot write some of them. */
const fragments = [
  ...[
    'null',
    'true',
    '0',
    '-0',
    '-1',
    '1.5',
    '1e308',
    '1e400',
    '-1e400',
    '9007199254740993',
    '1e-400',
    `1${'0'.repeat(400)}`,
  ],
  ...[
    '""',
    '" "',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '"\\u202e"',
    '"__proto__"',
    '"constructor"',
    '"toString"',
  ],
  ...[
    '[]',
    '{}',
    '[null]',
    '[[]]',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":1}}',
    '{"a":1,"a":2}',
    '{"":""}',
    '{"~/":1}',
  ],
  ...[
    `"${'a'.repeat(9000)}"`,
    `"${'😀'.repeat(300)}"`,
    `[${'null,'.repeat(500)}1]`,
    '['.repeat(70) + ']'.repeat(70),
    `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
  ],
  ...[
    '"2026-01-01T00:00:00Z"',
    '"9999-12-31T23:59:60-23:59"',
    '"(a{1000}){1000}"',
    '"(?P<"',
    '"$[?@.a==$..*]"',
    '"$["',
    '"http://["',
    '"http://a:99999"',
    '"javascript:alert(1)"',
  ],
  ...[
    'undefined',
    'NaN',
    "'a'",
    '01',
    '+1',
    '.5',
    '0x1',
    '"\\x"',
    '"\n"',
    '"a',
    '[1,]',
    '{a:1}',
    '// c',
    '\u0000',
    '\ufeff1',
  ],
];
const names = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'id',
  'created_at',
  'status',
  '',
  '\u0000',
  '\ud800',
  'a/b~c',
  'toString',
  'type',
  'then',
];

/** Any UTF-16 text, with lone surrogates. */
export const hostileText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x7f })), { maxLength: 40 })
  .map(codes => String.fromCharCode(...codes));

const marker = '"@fragment@"';

/** A valid body with one field replaced, removed or added, and sometimes with broken text. */
const mutated = fc
  .record({
    tree: fc.constantFrom<Tree>(monitor, monitor, monitor, token, project, event, [event, event], release, flow),
    index: fc.nat(),
    kind: fc.constantFrom('replace', 'replace', 'remove', 'add'),
    fragment: fc.oneof(
      fc.constantFrom(...fragments),
      fc.json({ maxDepth: 3 }),
      hostileText.map(text => JSON.stringify(text)),
    ),
    name: fc.constantFrom(...names),
  })
  .map(({ tree, index, kind, fragment, name }) => {
    const copy = structuredClone(tree);
    mutate(copy, index, kind, name);
    return JSON.stringify(copy).replace(marker, () => fragment);
  });

const cut = fc
  .record({
    text: mutated,
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    noise: fc.uint8Array({ maxLength: 5 }),
    keep: fc.boolean(),
  })
  .map(({ text, at, noise, keep }) => {
    const bytes = Buffer.from(text);
    const offset = Math.floor(at * bytes.length);
    return Buffer.concat([bytes.subarray(0, offset), noise, keep ? bytes.subarray(offset) : Buffer.alloc(0)]);
  });

/** Bodies from random bytes to nearly valid ones. */
export const hostileBody: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 5, arbitrary: mutated },
  { weight: 2, arbitrary: cut },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 300 }) },
  { weight: 1, arbitrary: fc.constantFrom(...fragments) },
  { weight: 1, arbitrary: fc.json() },
);

function mutate(tree: Tree, index: number, kind: string, name: string): void {
  const fields = fieldsOf(tree);
  const [owner, key] = fields[index % fields.length] ?? [];
  if (owner === undefined || key === undefined) return;
  if (kind === 'replace') owner[key] = '@fragment@';
  else if (kind === 'add')
    Object.defineProperty(owner, name, { value: '@fragment@', enumerable: true, configurable: true, writable: true });
  else delete owner[key];
}

function fieldsOf(tree: Tree): [Record<string, Tree>, string][] {
  if (typeof tree !== 'object' || tree === null) return [];
  const owner = tree as Record<string, Tree>;
  return Object.keys(owner).flatMap(key => [
    [owner, key] as [Record<string, Tree>, string],
    ...fieldsOf(owner[key] ?? null),
  ]);
}
