import test from 'ava';
import {
  impactOf,
  incidentPatchSchema,
  incidentPostSchema,
  incidentUrl,
  updatePostSchema,
} from '#control-plane/publishing/incidents/incident.ts';
import { utcText } from '#control-plane/publishing/incidents/utc-text.ts';

test('the impact of an incident follows from its severity', t => {
  t.deepEqual([impactOf('p1'), impactOf('p2'), impactOf('p3')], ['major', 'partial', 'degraded']);
});

test('an incident’s public page is under its status page', t => {
  const acme = { slug: 'acme', domain: null };
  t.is(incidentUrl('https://up.example', acme, 'inc_1'), 'https://up.example/status/acme/incidents/inc_1');
  const own = { slug: 'acme', domain: 'status.acme.example' };
  t.is(incidentUrl('https://up.example', own, 'inc_1'), 'https://status.acme.example/incidents/inc_1');
});

test('an instant is written in UTC, in whole seconds', t => {
  t.is(utcText(Date.UTC(2026, 0, 2, 3, 4, 5, 999)), '2026-01-02 03:04:05 UTC');
});

test('a new incident needs a title, a severity and a page, and has defaults for the rest', t => {
  t.deepEqual(incidentPostSchema.parse({ title: 'x', severity: 'p1', status_page_id: 'sp_1' }), {
    title: 'x',
    severity: 'p1',
    status_page_id: 'sp_1',
    impact: null,
    affected_components: [],
    started_at: null,
    resolved_at: null,
    initial_update: null,
    notify: true,
  });
  t.false(incidentPostSchema.safeParse({ title: 'x', status_page_id: 'sp_1' }).success);
});

const updates: [what: string, body: unknown, accepted: boolean][] = [
  ['a state and a text', { state: 'identified', body: 'x' }, true],
  ['a text of 25000 characters', { state: 'identified', body: 'x'.repeat(25_000) }, true],
  ['a longer text', { state: 'identified', body: 'x'.repeat(25_001) }, false],
  ['a blank text', { state: 'identified', body: ' \n' }, false],
  ['a text without a state', { body: 'x' }, false],
  ['an unknown state', { state: 'fixed', body: 'x' }, false],
];
for (const [what, body, accepted] of updates)
  test(`an update with ${what} is ${accepted ? 'accepted' : 'refused'}`, t =>
    t.is(updatePostSchema.safeParse(body).success, accepted));

const links: [url: string | null, accepted: boolean][] = [
  [null, true],
  ['https://example.com/why', true],
  ['HTTP://example.com', true],
  ['javascript:alert(1)', false],
  ['//example.com', false],
  ['https://', false],
  [`https://example.com/${'x'.repeat(2048)}`, false],
];
for (const [url, accepted] of links)
  test(`${String(url).slice(0, 40)} is ${accepted ? '' : 'not '}a post-mortem URL`, t =>
    t.is(incidentPatchSchema.safeParse({ postmortem_url: url }).success, accepted));
