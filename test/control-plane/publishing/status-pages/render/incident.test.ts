import test from 'ava';
import type { HistoryPosition } from '#control-plane/publishing/status-pages/publish/history-pages.ts';
import { renderHistory } from '#control-plane/publishing/status-pages/render/history.ts';
import { renderIncident } from '#control-plane/publishing/status-pages/render/incident.ts';
import { renderNotice } from '#control-plane/publishing/status-pages/render/notice.ts';
import { dangersOf, find, type Html, readHtml } from '#test/support/html.ts';
import {
  outageModel,
  resolvedIncidents,
  sampleAsOf,
  sampleIncident,
  samplePage,
  stagedIncident,
} from '#test/support/page-model.ts';

const model = outageModel();
const [webhooks = sampleIncident()] = resolvedIncidents();
const squeeze = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
const links = (html: Html) => find(html, 'a').map(({ attributes }) => attributes.href);
const page = (incident = webhooks) => readHtml(renderIncident(model, incident));

const only: HistoryPosition = { number: null, newer: null, older: null };

test('an incident has its facts, every update with an anchor, latest first, and what was edited', t => {
  const html = page(stagedIncident());
  t.is(find(html, 'h1')[0]?.text, 'Card payments fail in Europe');
  t.is(squeeze(find(html, 'dl')[0]?.text ?? ''), 'StateIdentifiedImpactMajor outageAffectsCheckout, Payouts');
  const updates = html.elements.filter(({ attributes }) => attributes.id?.startsWith('upd_'));
  t.deepEqual(
    updates.map(({ attributes }) => attributes.id),
    ['upd_staged_1', 'upd_staged_0'],
  );
  t.regex(updates[0]?.text ?? '', /edited 21 Nov 2026, 13:43 UTC/);
  t.notRegex(updates[1]?.text ?? '', /edited/);
});

test('what is over says from when to when and how long', t => {
  t.regex(squeeze(page().text), /17 Nov 2026, 14:05 to 15:40 UTC lasted 1 hour 35 minutes/);
});

test('a post-mortem stands on the page, with headings that fit', t => {
  const [part] = page().elements.filter(({ attributes }) => attributes.id === 'postmortem');
  t.regex(squeeze(part?.text ?? ''), /Post-mortem\s?What happened A queue had one reader too few/);
  const levels = page().elements.flatMap(({ tag }) => (/^h[1-6]$/.test(tag) ? [tag] : []));
  t.deepEqual(levels, ['h1', 'h2', 'h3', 'h4', 'h2', 'h3', 'h3']);
});

test('a post-mortem elsewhere is a link, if it is one that a click may follow', t => {
  const outside = { ...webhooks, postmortemBody: null };
  t.true(
    links(page({ ...outside, postmortemUrl: 'https://blog.example/a?b=1&c' })).includes('https://blog.example/a?b=1&c'),
  );
  t.notRegex(renderIncident(model, { ...outside, postmortemUrl: 'javascript:alert(1)' }), /postmortem/);
  t.notRegex(renderIncident(model, outside), /postmortem/);
  const own = `${model.url}/incidents/${webhooks.id}#postmortem`;
  t.false(links(page({ ...webhooks, postmortemUrl: own })).includes(own));
});

test('an incident without updates, components or words still reads', t => {
  const html = page(sampleIncident({ updates: [], components: [] }));
  t.deepEqual([html.errors, dangersOf(html)], [[], []]);
  t.regex(html.text, /No updates yet/);
});

test('history is by month of the page’s zone, with links to newer and older', t => {
  const at = (month: number, day: number) => Date.UTC(2026, month, day, 23, 30);
  const incidents = [at(10, 30), at(10, 2), at(9, 31)].map((startedAt, index) =>
    sampleIncident({ id: `inc_${index}`, title: `Trouble ${index}`, startedAt, resolvedAt: startedAt + 1000 }),
  );
  const tokyo = { ...model, page: samplePage({ timezone: 'Asia/Tokyo' }) };
  const headings = (of: typeof model) =>
    find(readHtml(renderHistory(of, incidents, only)), 'h2').map(({ text }) => text);
  t.deepEqual(headings({ ...model, page: samplePage() }), ['November 2026', 'October 2026']);
  t.deepEqual(headings(tokyo), ['December 2026', 'November 2026']);
  const turns = (position: HistoryPosition) =>
    find(readHtml(renderHistory(model, incidents, position)), 'a')
      .filter(({ attributes }) => attributes.rel === 'prev' || attributes.rel === 'next')
      .map(({ text, attributes }) => `${text} ${attributes.href}`);
  const path = `/status/${model.page.slug}/history`;
  t.deepEqual(turns(only), []);
  t.deepEqual(turns({ number: null, newer: null, older: 2 }), [`Older ${path}/2`]);
  t.deepEqual(turns({ number: 2, newer: 'newest', older: 1 }), [`Newer ${path}`, `Older ${path}/1`]);
  t.deepEqual(turns({ number: 1, newer: 2, older: null }), [`Newer ${path}/2`]);
});

test('an empty history says so', t => {
  const html = readHtml(renderHistory(model, [], only));
  t.regex(html.text, /No past incidents/);
  t.deepEqual([html.errors, dangersOf(html)], [[], []]);
});

test('a notice says one thing and is not indexed', t => {
  for (const settings of [null, samplePage()]) {
    const html = readHtml(renderNotice(settings, { title: 'Not here', text: 'There is no such page.', form: null }));
    t.deepEqual([html.errors, dangersOf(html)], [[], []]);
    t.is(find(html, 'h1')[0]?.text, 'Not here');
    t.true(find(html, 'meta').some(({ attributes }) => attributes.content === 'noindex'));
    t.is(links(html).includes('/status/acme'), settings !== null);
  }
});

test('a button posts', t => {
  const notice = {
    title: 'Confirm',
    text: 'One click.',
    form: { action: '/status/acme/confirm?token=a', button: 'Confirm' },
  };
  const [form] = find(readHtml(renderNotice(samplePage(), notice)), 'form');
  t.like(form?.attributes, { method: 'post', action: '/status/acme/confirm?token=a' });
});

test('a page of the past does not change by being read later, but for when it was made', t => {
  const later = renderIncident({ ...model, asOf: sampleAsOf + 60_000 }, webhooks);
  const without = (html: string) => html.replace(/<footer[\s\S]*<\/footer>/, '');
  t.is(without(later), without(renderIncident(model, webhooks)));
});
