import test from 'ava';
import type { Incident } from '#control-plane/dashboard/app/data/api-types.ts';
import { createAction } from '#control-plane/dashboard/app/dom/action.ts';
import { renderDelivery } from '#control-plane/dashboard/app/views/incident/deliveries.ts';
import { renderHead } from '#control-plane/dashboard/app/views/incident/incident.ts';
import { externalUrl } from '#control-plane/dashboard/app/views/incident/postmortem.ts';
import { renderUpdates, updateRequest } from '#control-plane/dashboard/app/views/incident/updates.ts';
import { incidents, mergeIncidents, renderRow } from '#control-plane/dashboard/app/views/incidents.ts';
import { dispatch, fakeContext, find, textOf, textsOf } from '../descriptions.ts';
import { nowMs, sampleComponent, sampleDelivery, sampleIncident } from '../samples.ts';

const page = (ids: string[], next_cursor: string | null) => ({
  data: ids.map(id => sampleIncident({ id })),
  pagination: { has_more: next_cursor !== null, next_cursor },
});
const idsOf = (list: readonly Incident[]) => list.map(({ id }) => id);

test('the newest page replaces the first fifty, and older pages stay while they overlap it', t => {
  const names = Array.from({ length: 60 }, (_, index) => `i${index}`);
  const loaded = { incidents: page(names, null).data, cursor: 'later' };
  const merged = mergeIncidents(loaded, page(['new', ...names.slice(0, 49)], 'next'));
  t.deepEqual(idsOf(merged.incidents), ['new', ...names.slice(0, 49), ...names.slice(50)]);
  t.is(merged.cursor, 'later');
  const afterGap = mergeIncidents(loaded, page(['x', 'y'], 'next'));
  t.deepEqual(idsOf(afterGap.incidents), ['x', 'y']);
  t.is(afterGap.cursor, 'next');
});

test('changing a filter requests the list again and drops what was shown', async t => {
  const { context, calls } = fakeContext({ 'GET /v0/incidents': page(['a'], null) }, { nowMs });
  const view = incidents.open(context, {});
  await view.load();
  t.is(textsOf(view.render(), 'li').length, 1);
  dispatch(find(view.render(), 'select'), 'change', { currentTarget: { value: 'resolved' } });
  t.true(textOf(view.render()).includes('No incidents match.'));
  await view.load();
  t.is(calls[1], 'GET /v0/incidents {"state":"resolved","severity":"","limit":50,"cursor":null}');
});

test('a row is quiet once the incident is resolved', t => {
  t.is(renderRow(sampleIncident(), nowMs).attributes.class, 'card incident bad');
  const resolved = sampleIncident({ state: 'resolved', resolved_at: '2026-11-21T09:30:00.000Z' });
  t.is(renderRow(resolved, nowMs).attributes.class, 'card incident quiet');
  t.true(textOf(renderRow(resolved, nowMs)).endsWith('started 1 h ago, lasted 30 min'));
});

test('resolving uses its own operation, once', t => {
  const open = { id: 'inc_1', state: 'monitoring' } as const;
  const resolved = { id: 'inc_1', state: 'resolved' } as const;
  t.deepEqual(updateRequest(open, 'resolved', 'Fixed.'), {
    path: '/v0/incidents/inc_1/resolve',
    body: { body: 'Fixed.' },
  });
  const update = { path: '/v0/incidents/inc_1/updates', body: { state: 'resolved', body: 'More.' } };
  t.deepEqual(updateRequest(resolved, 'resolved', 'More.'), update);
  t.is(updateRequest(open, 'identified', 'x').path, '/v0/incidents/inc_1/updates');
});

test('the link field of a post-mortem shows external addresses only', t => {
  const url = 'https://up.example/status/acme/incidents/inc_1';
  t.is(externalUrl({ url, postmortem_url: null }), '');
  t.is(externalUrl({ url, postmortem_url: `${url}#postmortem` }), '');
  t.is(externalUrl({ url, postmortem_url: 'https://blog.example/x' }), 'https://blog.example/x');
});

test('the head names affected components, by id if they cannot be read, and links to its source', t => {
  const affected = sampleIncident({ affected_components: ['cmp_1', 'cmp_2'], alert_id: 'alr_1' });
  const head = renderHead(affected, [sampleComponent()], nowMs);
  t.true(textOf(head).includes('Affects Payments, cmp_2.'));
  t.is(find(head, 'a', 'Source alert').attributes.href, '#/alerts/alr_1');
  const plain = renderHead(sampleIncident(), [], nowMs);
  t.true(textOf(plain).includes('No components affected.'));
  t.deepEqual(textsOf(plain, 'a'), ['Public page']);
});

test('updates are listed newest first, marked when edited, and editable by a token that may write', t => {
  const update = { state: 'investigating', edited_at: null } as const;
  const updates = [
    { ...update, id: 'u1', body: 'first', posted_at: '2026-11-21T09:00:00Z', edited_at: '2026-11-21T09:30:00Z' },
    { ...update, id: 'u2', body: 'second', posted_at: '2026-11-21T09:30:00Z' },
  ];
  const edited: string[] = [];
  const list = renderUpdates(updates, nowMs, chosen => edited.push(chosen.id));
  t.deepEqual(textsOf(list, 'li'), [
    'Investigating30 min agoEditsecond',
    'Investigating1 h agoedited 30 min agoEditfirst',
  ]);
  dispatch(find(list, 'button'), 'click');
  t.deepEqual(edited, ['u2']);
  t.deepEqual(textsOf(renderUpdates(updates, nowMs, null), 'button'), []);
  t.true(textOf(renderUpdates([], nowMs, null)).includes('No updates yet. No one has been notified.'));
});

test('only a failed or held delivery can be sent again', t => {
  const action = createAction(() => undefined);
  const buttons = (state: 'sent' | 'failed' | 'queued' | 'held' | 'cancelled', canReplay = true) =>
    textsOf(
      renderDelivery(sampleDelivery({ state }), nowMs, action, canReplay ? async () => undefined : null),
      'button',
    );
  t.deepEqual(buttons('failed'), ['Send again']);
  t.deepEqual(buttons('held'), ['Send again']);
  for (const state of ['sent', 'queued', 'cancelled'] as const) t.deepEqual(buttons(state), []);
  t.deepEqual(buttons('failed', false), []);
  const row = renderDelivery(sampleDelivery({ recipient: null, error: 'bounced' }), nowMs, action, null);
  t.deepEqual(textsOf(row, 'td'), ['Sent', 'email', 'deleted', '4 min ago', '1', 'bounced']);
});
