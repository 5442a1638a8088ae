import test from 'ava';
import type { z } from 'zod';
import { parseBody } from '#control-plane/platform/http/bodies/parse-body.ts';
import { Problem } from '#control-plane/platform/http/problem.ts';
import {
  incidentPatchSchema,
  incidentPostSchema,
  promotePostSchema,
  resolvePostSchema,
  updatePatchSchema,
  updatePostSchema,
} from '#control-plane/publishing/incidents/incident.ts';
import { assertEditable } from '#control-plane/publishing/incidents/limits.ts';
import { endErrors } from '#control-plane/publishing/incidents/validate.ts';

const now = Date.UTC(2026, 10, 20, 12);
const schemas = {
  post: incidentPostSchema,
  patch: incidentPatchSchema,
  update: updatePostSchema,
  edit: updatePatchSchema,
  resolve: resolvePostSchema,
  promote: promotePostSchema,
} as const satisfies Record<string, z.ZodType>;
const valid: Readonly<Record<keyof typeof schemas, object>> = {
  post: { title: 'x', severity: 'p1', status_page_id: 'sp_1' },
  patch: {},
  update: { state: 'identified', body: 'x' },
  edit: { body: 'x' },
  resolve: { body: 'x' },
  promote: {},
};
const long = 'x'.repeat(25_001);

const faults: readonly [of: keyof typeof schemas, change: object, fault: string][] = [
  ['post', { title: undefined }, '/title required'],
  ['post', { title: ' ' }, '/title too_short'],
  ['post', { title: 'x'.repeat(256) }, '/title too_long'],
  ['post', { title: 'a\nb' }, '/title format'],
  ['post', { severity: 'p4' }, '/severity enum'],
  ['post', { impact: 'critical' }, '/impact enum'],
  ['post', { affected_components: 'comp_1' }, '/affected_components type'],
  ['post', { affected_components: ['comp_1', 'comp_1'] }, '/affected_components/1 not_allowed'],
  ['post', { started_at: '2026-11-20 12:00' }, '/started_at format'],
  ['post', { started_at: '2026-11-20T12:00:00' }, '/started_at format'],
  ['post', { initial_update: { body: 'x' } }, '/initial_update/state required'],
  ['post', { initial_update: { state: 'fixed', body: 'x' } }, '/initial_update/state enum'],
  ['post', { initial_update: { state: 'identified', body: ' \n' } }, '/initial_update/body too_short'],
  ['post', { notify: 'no' }, '/notify type'],
  ['post', { state: 'resolved' }, '/state read_only'],
  ['post', { id: 'inc_1' }, '/id read_only'],
  ['post', { postmortem_url: 'https://example.com/' }, '/postmortem_url read_only'],
  ['post', { componets: [] }, '/componets not_allowed'],
  ['patch', { title: '' }, '/title too_short'],
  ['patch', { state: 'resolved' }, '/state read_only'],
  ['patch', { resolved_at: null }, '/resolved_at read_only'],
  ['patch', { status_page_id: 'sp_2' }, '/status_page_id read_only'],
  ['patch', { updates: [] }, '/updates read_only'],
  ['patch', { postmortem_body: '' }, '/postmortem_body too_short'],
  ['patch', { postmortem_body: 'x'.repeat(50_001) }, '/postmortem_body too_long'],
  ['patch', { postmortem_url: 'ftp://example.com/' }, '/postmortem_url format'],
  ['update', { state: undefined }, '/state required'],
  ['update', { body: long }, '/body too_long'],
  ['update', { posted_at: '2026-11-20T12:00:00Z' }, '/posted_at read_only'],
  ['edit', { state: 'resolved' }, '/state read_only'],
  ['edit', { body: '' }, '/body too_short'],
  ['resolve', { body: undefined }, '/body required'],
  ['resolve', { body: long }, '/body too_long'],
  ['resolve', { state: 'resolved' }, '/state not_allowed'],
  ['promote', { severity: 'high' }, '/severity enum'],
  ['promote', { title: 'x'.repeat(256) }, '/title too_long'],
  ['promote', { body: '' }, '/body too_short'],
];
for (const [of, change, fault] of faults)
  test(`${of} with ${JSON.stringify(change).slice(0, 60)} is refused: ${fault}`, async t => {
    const body = JSON.parse(JSON.stringify({ ...valid[of], ...change }));
    const problem = await t.throwsAsync(() => parseBody(schemas[of], body), { instanceOf: Problem });
    t.deepEqual(
      problem?.details.errors?.map(error => `${'pointer' in error ? error.pointer : ''} ${error.code}`),
      [fault],
    );
  });

test('what is valid is taken as it is, and null takes what a promotion previews', async t => {
  for (const which of ['post', 'update', 'edit', 'resolve'] as const)
    t.like(await parseBody(schemas[which], valid[which]), valid[which], which);
  t.deepEqual(await parseBody(incidentPatchSchema, {}), {}, 'a change has no defaults');
  const nothing = { severity: null, status_page_id: null, title: null, impact: null, body: null };
  t.deepEqual(await parseBody(promotePostSchema, {}), nothing);
  const cleared = { postmortem_url: null, postmortem_body: null };
  t.deepEqual(await parseBody(incidentPatchSchema, cleared), cleared);
});

const over = { state: 'resolved', body: 'x' } as const;
const ends: readonly [title: string, fields: Parameters<typeof endErrors>[0], faults: string[]][] = [
  ['one that goes on needs nothing', {}, []],
  [
    'a past span with its last update is taken',
    { started_at: now - 2000, resolved_at: now - 1000, initial_update: over },
    [],
  ],
  ['it may end now, where it began', { started_at: now, resolved_at: now, initial_update: over }, []],
  [
    'it does not end later',
    { started_at: now, resolved_at: now + 1, initial_update: over },
    ['/resolved_at in_future'],
  ],
  [
    'nor before it began',
    { started_at: now, resolved_at: now - 1, initial_update: over },
    ['/resolved_at out_of_range'],
  ],
  ['its start is needed', { started_at: null, resolved_at: now, initial_update: over }, ['/started_at required']],
  [
    'its last update as well',
    { started_at: now, resolved_at: now, initial_update: null },
    ['/initial_update required'],
  ],
  [
    'which resolves it',
    { started_at: now, resolved_at: now, initial_update: { ...over, state: 'monitoring' } },
    ['/initial_update/state out_of_range'],
  ],
  [
    'all that is wrong is said at once',
    { started_at: null, resolved_at: now + 1, initial_update: null },
    ['/resolved_at in_future', '/started_at required', '/initial_update required'],
  ],
  [
    'what is wrong by itself is said there alone',
    { started_at: undefined, resolved_at: now, initial_update: undefined },
    [],
  ],
];
for (const [title, fields, expected] of ends)
  test(`an incident that is over: ${title}`, t => {
    const errors = endErrors(fields, now).map(error => `${'pointer' in error ? error.pointer : ''} ${error.code}`);
    t.deepEqual(errors, expected);
  });

test('former texts of updates are stored up to a million characters', t => {
  t.notThrows(() => assertEditable(0, long));
  t.notThrows(() => assertEditable(975_000, 'x'.repeat(25_000)));
  t.is(t.throws(() => assertEditable(975_001, 'x'.repeat(25_000)), { instanceOf: Problem })?.code, 'limit_reached');
});
