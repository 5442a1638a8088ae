import test from 'ava';
import { auditActions } from '#control-plane/platform/audit/actions.ts';
import {
  actionsOf,
  addressOf,
  dayEnd,
  dayStart,
  describeAction,
  describeActor,
  differencesOf,
} from '#control-plane/web/dashboard/app/features/audit/words.ts';
import type { AuditEntry } from '#control-plane/web/dashboard/app/session/api-types.ts';

test('a day of a filter lasts to the start of the next, and what is no day goes to the API as it is', t => {
  t.is(dayStart('2026-02-28'), '2026-02-28T00:00:00Z');
  t.is(dayEnd('2026-02-28'), '2026-03-01T00:00:00.000Z');
  t.is(dayStart(''), undefined);
  t.is(dayEnd(''), undefined);
  t.is(dayEnd('soon'), dayStart('soon'));
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
  const actor = { type: 'person', id: 'p', name: 'Ada', token: null } as const;
  t.is(describeActor(entry({ actor, via: 'dashboard' })), 'Ada (dashboard)');
  t.is(
    describeActor(entry({ actor: { ...actor, token: { id: 't', name: 'CI' } }, via: 'api' })),
    'Ada by the token CI (api)',
  );
  t.is(describeActor(entry({ actor: { type: 'link', id: 'c', name: null, token: null }, via: 'api' })), 'c (link)');
  t.is(
    describeActor(entry({ actor: { type: 'admin', id: 'operator', name: null, token: null }, via: 'admin' })),
    'the operator',
  );
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
