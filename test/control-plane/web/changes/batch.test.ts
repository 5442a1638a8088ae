import test from 'ava';
import { addChanges, everything, mergeBatches, visibleTo } from '#control-plane/web/changes/batch.ts';
import { type ChangeRow, changeOf } from '#control-plane/web/changes/topic.ts';

const row = (changes: Partial<ChangeRow>): ChangeRow => ({
  source: 'fact',
  id: '1',
  kind: 'alert.opened',
  subject: 'alr_1',
  parent: null,
  ...changes,
});
const named = (ids: readonly string[]) => ids.map(id => ({ topic: 'monitors' as const, id }));

test('a row is a change of what lists show', t => {
  t.deepEqual(changeOf(row({})), { key: 'fact 1', topic: 'alerts', id: 'alr_1' });
  const update = row({ kind: 'incident.updated', subject: 'upd_1', parent: 'inc_1' });
  t.deepEqual(changeOf(update), { key: 'fact 1', topic: 'incidents', id: 'inc_1' });
  const verdict = row({ source: 'verdict', kind: '', subject: 'mon_1' });
  t.deepEqual(changeOf(verdict), { key: 'verdict 1', topic: 'monitors', id: 'mon_1' });
  // By these streams learn that they may have to end.
  for (const noun of ['token', 'session', 'person', 'member', 'group_role', 'invitation', 'sign_in_link'])
    t.is(changeOf(row({ source: 'audit', kind: `${noun}.deleted` }))?.topic, 'project', noun);
  t.is(changeOf(row({ source: 'audit', kind: 'event.erased' })), null);
  t.is(changeOf(row({ source: 'audit', kind: 'constructor.called' })), null);
});

test('a batch names at most 100 ids a topic, and says so of more', t => {
  const hundred = Array.from({ length: 100 }, (_, index) => `mon_${index}`);
  const batch = addChanges(new Map(), named([...hundred, ...hundred]));
  t.is(batch.get('monitors')?.size, 100);
  t.is(addChanges(batch, named(['mon_100'])).get('monitors'), null);
  t.is(mergeBatches(batch, addChanges(new Map(), named(['mon_100']))).get('monitors'), null);
  t.is(mergeBatches(new Map([['monitors', null]]), batch).get('monitors'), null);
  t.deepEqual(mergeBatches(new Map(), batch), batch);
});

test('a caller hears of what its scopes let it read', t => {
  t.deepEqual([...visibleTo(['alerts:write'], everything).keys()], ['alerts', 'notices']);
  t.is(visibleTo(['*'], everything).size, everything.size);
  t.is(visibleTo(['events:read'], everything).size, 0);
});
