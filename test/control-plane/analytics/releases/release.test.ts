import test from 'ava';
import { releasePostSchema } from '#control-plane/analytics/releases/release.ts';
import { viewRelease } from '#control-plane/analytics/releases/store.ts';

const pathsOf = (body: unknown): string[] => {
  const parsed = releasePostSchema.safeParse(body);
  return parsed.success ? [] : parsed.error.issues.map(issue => issue.path.join('/'));
};

const accepted: [title: string, body: Record<string, unknown>, parsed: Record<string, unknown>][] = [
  ['a version alone is of production', { version: '1' }, { version: '1', environment: 'production' }],
  ['texts are trimmed', { version: ' 1 ', environment: ' staging ' }, { version: '1', environment: 'staging' }],
  [
    'null for what may be absent',
    { version: '1', name: null, released_at: null, url: null, commit_sha: null, props: null },
    { version: '1', name: null, url: null, props: null },
  ],
  [
    'a time as milliseconds',
    { version: '1', released_at: '2026-11-01T11:00:00+01:00' },
    { released_at: Date.UTC(2026, 10, 1, 10) },
  ],
  ['an http URL', { version: '1', url: 'http://localhost:8080/x' }, { url: 'http://localhost:8080/x' }],
];
for (const [title, body, parsed] of accepted)
  test(`accepted: ${title}`, t => t.like(releasePostSchema.parse(body), parsed));

const refused: [title: string, body: Record<string, unknown>, paths: string[]][] = [
  ['no version', {}, ['version']],
  ['a blank version', { version: '  ' }, ['version']],
  ['a version too long', { version: 'x'.repeat(201) }, ['version']],
  ['an environment too long', { version: '1', environment: 'x'.repeat(101) }, ['environment']],
  ['a script as URL', { version: '1', url: 'javascript:alert(1)' }, ['url']],
  ['a relative URL', { version: '1', url: '/releases/1' }, ['url']],
  ['a URL too long', { version: '1', url: `https://example.com/${'x'.repeat(2048)}` }, ['url']],
  ['a time without an offset', { version: '1', released_at: '2026-11-01T11:00:00' }, ['released_at']],
  ['a line break in the version', { version: 'a\nb' }, ['version']],
  ['a control character in the name', { version: '1', name: 'a\u0085b' }, ['name']],
  ['props that are a list', { version: '1', props: [] }, ['props']],
];
for (const [title, body, paths] of refused) test(`refused: ${title}`, t => t.deepEqual(pathsOf(body), paths));

test('a stored release is shown with its times in RFC 3339, and nothing else changed', t => {
  const row = {
    id: 'rel_1',
    project_id: 'proj_1',
    version: '1',
    name: null,
    environment: 'production',
    released_at: Date.UTC(2026, 10, 1),
    url: null,
    commit_sha: null,
    props: { by: 'ci' },
    event_id: 'evt_1',
    created_at: Date.UTC(2026, 10, 2),
  };
  t.deepEqual(viewRelease(row), {
    ...row,
    released_at: '2026-11-01T00:00:00.000Z',
    created_at: '2026-11-02T00:00:00.000Z',
  });
});
