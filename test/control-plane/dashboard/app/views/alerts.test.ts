import test from 'ava';
import type { Alert } from '#control-plane/dashboard/app/data/api-types.ts';
import { element } from '#control-plane/dashboard/app/dom/element.ts';
import { renderFacts } from '#control-plane/dashboard/app/views/alert.ts';
import { type AlertLists, alerts, mergeAlerts, renderLists } from '#control-plane/dashboard/app/views/alerts.ts';
import { dispatch, fakeContext, find, textOf, textsOf } from '../descriptions.ts';
import { nowMs, sampleAlert } from '../samples.ts';

const page = (data: Alert[], next_cursor: string | null) => ({
  data,
  pagination: { has_more: next_cursor !== null, next_cursor },
});
const resolved = (id: string) => sampleAlert({ id, state: 'resolved', resolved_at: '2026-11-21T09:55:00.000Z' });
/** Answers the request for unresolved alerts with the alert, and the one for resolved alerts with none. */
const unresolved = (alert: Alert) => (query: { state: string }) =>
  page(query.state === 'resolved' ? [] : [alert], null);
const row = (alert: Alert) => element('li', {}, alert.id);

test('open alerts come before acknowledged ones, and older pages keep their cursor', t => {
  const none: AlertLists = { unresolved: [], resolved: [], cursor: null };
  const acknowledged = sampleAlert({ id: 'b', state: 'acknowledged' });
  const first = mergeAlerts(none, [acknowledged, sampleAlert({ id: 'a' })], page([resolved('d')], 'next'));
  t.deepEqual(
    first.unresolved.map(({ id }) => id),
    ['a', 'b'],
  );
  t.is(first.cursor, 'next');
  const withOlder = { ...first, resolved: [...first.resolved, resolved('c')], cursor: 'later' };
  const second = mergeAlerts(withOlder, [], page([resolved('e'), resolved('d')], 'next'));
  t.deepEqual(
    second.resolved.map(({ id }) => id),
    ['e', 'd', 'c'],
  );
  t.is(second.cursor, 'later');
});

test('the heading counts open alerts, and explains when there is none', t => {
  const lists = { unresolved: [sampleAlert({ state: 'acknowledged' })], resolved: [], cursor: null };
  t.deepEqual(textsOf(renderLists(lists, row), 'h2'), ['No open alerts']);
  t.deepEqual(textsOf(renderLists(lists, row), 'p'), []);
  const open = { ...lists, unresolved: [sampleAlert(), sampleAlert({ id: 'alr_2' })], resolved: [resolved('x')] };
  t.deepEqual(textsOf(renderLists(open, row), 'h2'), ['2 open alerts', 'Resolved']);
  t.regex(textOf(renderLists({ ...lists, unresolved: [] }, row)), /An alert opens when a quorum of regions/);
});

test('an alert that opens while the page is shown is announced; those of the first load are not', async t => {
  const answers: Record<string, unknown> = { 'GET /v0/alerts': page([sampleAlert()], null) };
  const { context, announcements } = fakeContext(answers, { nowMs });
  const view = alerts.open(context, {});
  await view.load();
  t.deepEqual(announcements, []);
  answers['GET /v0/alerts'] = page([sampleAlert(), sampleAlert({ id: 'alr_2', title: 'Search is down' })], null);
  await view.load();
  t.deepEqual(announcements, ['New alert: Search is down']);
});

test('acknowledging replaces the alert before the next load', async t => {
  const acknowledged = sampleAlert({ state: 'acknowledged' });
  const { context, announcements } = fakeContext(
    { 'GET /v0/alerts': unresolved(sampleAlert()), 'POST /v0/alerts/alr_1/acknowledge': acknowledged },
    { nowMs },
  );
  const view = alerts.open(context, {});
  await view.load();
  dispatch(find(view.render(), 'button', 'Acknowledge'), 'click');
  await new Promise(setImmediate);
  t.deepEqual(announcements, ['Shop is down: acknowledged']);
  t.false(textsOf(view.render(), 'button').includes('Acknowledge'));
});

test('a token without write scopes is offered no actions, and a published alert links to its incident', async t => {
  const readOnly = fakeContext({ 'GET /v0/alerts': unresolved(sampleAlert()) }, { scopes: ['alerts:read'] });
  const view = alerts.open(readOnly.context, {});
  await view.load();
  t.deepEqual(textsOf(view.render(), 'button'), []);
  const published = sampleAlert({ incident_id: 'inc_1' });
  const operator = fakeContext({ 'GET /v0/alerts': unresolved(published) });
  const other = alerts.open(operator.context, {});
  await other.load();
  t.is(find(other.render(), 'a', 'Incident').attributes.href, '#/incidents/inc_1');
  t.false(textsOf(other.render(), 'button').includes('Promote…'));
});

test('the facts of an alert name reason, regions and times, and leave out what is unknown', t => {
  const terms = textsOf(renderFacts(sampleAlert(), 'Shop', nowMs), 'dt');
  t.deepEqual(terms, [
    'Reason',
    'Expected',
    'Actual',
    'Status code',
    'Failing regions',
    'Monitor',
    'Started',
    'Last seen',
  ]);
  const reason = {
    summary: 'late',
    region: null,
    expected: null,
    actual: null,
    status_code: null,
    error_code: 'timeout',
  };
  const facts = renderFacts(sampleAlert({ reason, resolved_at: '2026-11-21T09:59:00.000Z' }), 'Shop', nowMs);
  t.deepEqual(textsOf(facts, 'dt'), [
    'Reason',
    'Error code',
    'Failing regions',
    'Monitor',
    'Started',
    'Last seen',
    'Resolved',
  ]);
  t.is(textsOf(facts, 'dd')[2], 'eu, us (of eu, us, ap; quorum 2)');
});
