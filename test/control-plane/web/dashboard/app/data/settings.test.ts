import test from 'ava';
import { auditActions } from '#control-plane/platform/audit/actions.ts';
import { scopes } from '#control-plane/platform/projects/token.ts';
import { updatePostSchema } from '#control-plane/publishing/incidents/incident.ts';
import {
  actionsOf,
  addressOf,
  dayEnd,
  dayStart,
  describeAction,
  describeActor,
  differencesOf,
} from '#control-plane/web/dashboard/app/data/audit.ts';
import { publishedBy } from '#control-plane/web/dashboard/app/data/components.ts';
import { draftPostmortem } from '#control-plane/web/dashboard/app/data/drafts/postmortem-draft.ts';
import {
  descendantsOf,
  describeScopes,
  levelsOf,
  presets,
  scopeResources,
  scopesOfLevels,
  tokenState,
  within,
} from '#control-plane/web/dashboard/app/data/drafts/scopes.ts';
import { joinNames, templatesFor } from '#control-plane/web/dashboard/app/data/drafts/update-templates.ts';
import { use, useOf } from '#control-plane/web/dashboard/app/data/quotas.ts';
import {
  describeComparison,
  describeMissing,
  describeSide,
  describeUsers,
} from '#control-plane/web/dashboard/app/data/releases.ts';
import type { AuditEntry, IncidentImpact } from '#control-plane/web/dashboard/app/data/server/api-types.ts';
import { nowMs, sampleComponent, sampleIncident } from '../samples.ts';

test('the scope picker offers every scope of the API but the operator’s, and no other', t => {
  const offered = scopeResources.flatMap(([resource]) =>
    levelsOf(resource).flatMap(level => scopesOfLevels({ [resource]: level })),
  );
  const known = scopes.filter(scope => scope !== '*' && scope !== 'agents:operate');
  t.deepEqual([...new Set(offered)].sort(), [...known].sort());
  for (const [name, , levels] of presets) t.true(scopesOfLevels(levels).length > 0, name);
});

test('a token gives no scope that it does not have, and a preset shrinks to what it has', t => {
  const operator = presets.find(([name]) => name === 'Operator')?.[2] ?? {};
  const readOnly = within(operator, scope => scope.endsWith(':read'));
  t.true(scopesOfLevels(readOnly).every(scope => scope.endsWith(':read')));
  t.deepEqual(scopesOfLevels(within({ events: 'write' }, scope => scope === 'events:write')), []);
  t.deepEqual(scopesOfLevels(within({ events: 'send' }, scope => scope === 'events:write')), ['events:write']);
  t.is(describeScopes(scopesOfLevels(presets[0]?.[2] ?? {})), 'read everything');
  t.is(describeScopes(['*']), 'everything');
  t.is(describeScopes(['flows:write']), 'flows:write');
});

test('a token is active until it is revoked or expires, and its descendants are found', t => {
  const past = new Date(nowMs - 1).toISOString();
  t.is(tokenState({ revoked_at: null, expires_at: null }, nowMs), 'active');
  t.is(tokenState({ revoked_at: null, expires_at: past }, nowMs), 'expired');
  t.is(tokenState({ revoked_at: past, expires_at: past }, nowMs), 'revoked');
  const tokens = [
    { id: 'a', created_by: null },
    { id: 'b', created_by: 'a' },
    { id: 'c', created_by: 'b' },
    { id: 'd', created_by: null },
  ];
  t.deepEqual(
    descendantsOf('a', tokens).map(({ id }) => id),
    ['b', 'c'],
  );
});

test('the filters of the audit know every action', t => {
  t.deepEqual(actionsOf('').sort(), [...auditActions].sort());
  t.deepEqual(actionsOf('alert'), ['alert.acknowledged']);
  t.is(describeAction('status_page.created'), 'Status page created');
  t.is(dayStart(''), undefined);
  t.is(dayStart('2026-11-21'), '2026-11-21T00:00:00Z');
  t.is(dayEnd('2026-11-21'), '2026-11-22T00:00:00.000Z');
});

test('an entry names its actor and shows what differs, member by member', t => {
  const entry = (changes: Partial<AuditEntry>) => changes as AuditEntry;
  t.is(describeActor(entry({ actor: { type: 'token', id: 't', name: 'CI' }, via: 'dashboard' })), 'CI (dashboard)');
  t.is(describeActor(entry({ actor: { type: 'link', id: 'c', name: null }, via: 'api' })), 'c (link)');
  t.is(describeActor(entry({ actor: { type: 'admin', id: 'operator', name: null }, via: 'admin' })), 'the operator');
  t.is(addressOf({ action: 'monitor.updated', resource: 'monitor', subject: 'mon_1' }), '#/monitors/mon_1');
  t.is(addressOf({ action: 'monitor.deleted', resource: 'monitor', subject: 'mon_1' }), null);
  t.is(addressOf({ action: 'token.created', resource: 'token', subject: 'tok_1' }), null);
  t.deepEqual(
    differencesOf({
      before: { labels: { a: 'x', b: 'y' }, regions: ['eu'], name: '' },
      after: { labels: { a: 'z', b: 'y' }, regions: [], name: 'n' },
    }),
    [
      { field: 'labels.a', before: 'x', after: 'z' },
      { field: 'name', before: '(empty)', after: 'n' },
      { field: 'regions', before: 'eu', after: 'none' },
    ],
  );
  t.deepEqual(differencesOf({ before: { update: null }, after: { update: { state: 'resolved' } } }), [
    { field: 'update.state', before: 'none', after: 'resolved' },
  ]);
  t.deepEqual(differencesOf({ before: null, after: { labels: { a: 1 } } }), [
    { field: 'labels', before: null, after: '{"a":1}' },
  ]);
});

test('a limit says how full it is', t => {
  t.like(useOf({ resource: 'monitors', used: 160, maximum: 200 }), { text: '160 of 200', level: 'near' });
  t.like(useOf({ resource: 'event_bytes_per_day', used: 2e9, maximum: 1e9 }), {
    text: '2.0 GB of 1.0 GB',
    level: 'full',
  });
  t.is(use('x', 1, 200, String).level, 'ok');
});

test('templates are updates that the API takes, and names in them are no Markdown', t => {
  for (const names of [[], ['A'], ['A', 'B', 'C_*d*']])
    for (const { state, text } of templatesFor(names))
      t.true(updatePostSchema.safeParse({ state, body: text }).success);
  t.is(joinNames(['A', 'B', 'C_d']), 'A, B and C\\_d');
  t.is(joinNames([]), 'our service');
});

test('a post-mortem is drafted from what is known, and asks for the rest', t => {
  const posted = { id: 'u', edited_at: null, posted_at: '2026-11-21T09:10:00.000Z' };
  const incident = sampleIncident({
    resolved_at: '2026-11-21T10:30:00.000Z',
    updates: [{ ...posted, state: 'identified', body: `A disk\nis full. ${'word '.repeat(100)}\n\nMore.` }],
  });
  const text = draftPostmortem(incident, ['Payments'], null);
  t.regex(
    text,
    /began at 2026-11-21 09:00 UTC\. It lasted 1 h 30 min, until 2026-11-21 10:30 UTC\. It affected Payments/,
  );
  t.regex(text, /\*\*2026-11-21 09:10 UTC\*\* Identified: A disk is full\. word .* word …\n/);
  t.regex(text, /How many users noticed/);
  t.false(/How many users noticed/.test(draftPostmortem(incident, [], 'About 12 users.')));
  t.regex(draftPostmortem(sampleIncident(), [], null), /not resolved yet/);
});

test('what cannot be told is said with its reason, and a release is never called the cause', t => {
  const users = { with_errors: 9, active: 400, expected: 2, affected: 7, low: 3, high: 11, significant: true };
  const measured: IncidentImpact['users'] = { ...users, status: 'measured', reason: null };
  t.is(describeUsers(measured), 'About 7 more users than usual had errors, between 3 and 11.');
  t.is(describeUsers({ ...measured, significant: false }), 'No more users had errors than usual at this hour.');
  t.regex(
    describeUsers({ ...measured, status: 'cannot_tell', reason: 'no_baseline' }),
    /^Cannot tell: there are not two/,
  );
  t.regex(
    describeMissing({ status: 'measured', reason: null, expected: 9, low: 2, high: 5 }),
    /Between 2 and 5 fewer users than usual/,
  );
  t.is(describeSide({ active: 300, with_errors: 3 }), '300 users, 3 with errors (1%)');
  t.is(describeSide({ active: 0, with_errors: 0 }), '0 users, 0 with errors');
  const compared = { verdict: 'suspect', reason: null, ratio: 12.2, low: 3.14, high: null } as const;
  t.is(describeComparison(compared), 'The share of users with errors rose after it (× 12, between × 3.1 and ?).');
  t.is(
    describeComparison({ ...compared, verdict: 'cannot_tell', reason: 'too_close' }),
    'Less than five minutes on one side.',
  );
});

test('a monitor is published where a component names it, or matches it by its selector', t => {
  const components = [
    sampleComponent({ id: 'c1', position: 2, monitor_ids: ['m'] }),
    sampleComponent({ id: 'c2', position: 1, matched_monitor_ids: ['m'], monitor_selector: 'env=prod' }),
    sampleComponent({ id: 'c3' }),
  ];
  t.deepEqual(
    publishedBy('m', components, []).map(({ component, reason }) => [component.id, reason]),
    [
      ['c2', 'matches env=prod'],
      ['c1', 'chosen'],
    ],
  );
});
