import { gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { type ShownStatus, shownStatuses } from '#control-plane/components/status.ts';
import type { Day } from '#control-plane/status-pages/page-model.ts';
import { renderPage } from '#control-plane/status-pages/render/page.ts';
import { dangersOf, find, readHtml } from '#test/support/html.ts';
import {
  largeModel,
  measured,
  outageModel,
  sampleComponent,
  sampleDays,
  sampleModel,
  samplePage,
} from '#test/support/page-model.ts';

const outage = readHtml(renderPage(outageModel()));
const squeeze = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

test('a page is valid and runs, loads and keeps nothing', t => {
  for (const model of [outageModel(), sampleModel(), sampleModel({ components: [] }), largeModel()]) {
    const html = readHtml(renderPage(model));
    t.deepEqual(html.errors, []);
    t.deepEqual(dangersOf(html), []);
    const ids = html.elements.flatMap(({ attributes }) => attributes.id ?? []);
    t.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
  }
});

test('the page tells what is wrong, of which component, and what is being done', t => {
  t.is(find(outage, 'h1')[0]?.text, 'Some systems are down');
  t.deepEqual(
    find(outage, '.chip').map(({ text }) => text),
    [
      'Checkout: Major outage',
      'Payouts: Partial outage',
      'REST API: Degraded performance',
      'Search: Under maintenance',
      'Data export: No data',
    ],
  );
  const [incident] = find(outage, '.incident');
  const said = squeeze(incident?.text ?? '');
  t.regex(
    said,
    /Card payments fail in Europe\s?Identified · Major outage Since 21 Nov 2026, 13:08 UTC · 57 min so far/,
  );
  t.true(said.indexOf('A certificate of our') < said.indexOf('About half of all card payments'));
  t.regex(said, /\(edited 21 Nov 2026, 13:43 UTC\)/);
  const past = find(outage, '.past').map(({ text }) => squeeze(text));
  t.is(past.length, 2);
  t.regex(
    past[0] ?? '',
    /Webhooks arrive late\s?Resolved · Degraded performance .* lasted 1 h 35 min.*Affects Webhooks.*None was lost\..*Post-mortem/,
  );
});

test('each component has its status in words beside a shape of its own', t => {
  const rows = find(outage, '.component').map(({ text }) => squeeze(text));
  t.is(rows[1], 'CheckoutMajor outage');
  t.is(rows.at(-1), 'Data exportNo data');
  const shapes = find(outage, 'use').map(({ attributes }) => attributes.href?.slice(1));
  const symbols = find(outage, 'symbol').map(({ attributes }) => attributes.id);
  t.deepEqual(
    shapes.filter(id => !symbols.includes(id)),
    [],
  );
});

test('components of one group stand under its name, with the worst of them', t => {
  const groups = find(outage, '.group').map(({ text }) => squeeze(text));
  t.is(groups.length, 2);
  t.regex(groups[0] ?? '', /^Payments3 componentsMajor outageCheckout/);
});

for (const count of [7, 90, 365])
  test(`every day of ${count} has its text, the latest first, and every day its bar`, t => {
    const component = measured({ id: 'comp_0' }, 5, count, 0.2);
    const html = readHtml(renderPage(sampleModel({ components: [component] })));
    const list = html.elements.filter(
      ({ tag, inside }) => tag === 'li' && inside.filter(each => each === 'details').length === 1,
    );
    const days = list.map(({ text }) => squeeze(text)).filter(text => /\d{4}/.test(text));
    t.is(days.length, count);
    t.regex(days[0] ?? '', /^21 Nov 2026 /);
    const bars = html.elements.filter(
      ({ tag, attributes }) => tag === 'path' && /^b-/.test(attributes.class ?? '') && attributes.d,
    );
    const loud = component.days?.filter(({ level }) => level !== 'up' && level !== 'none') ?? [];
    t.is(find(html, 'title').length - 1, loud.length);
    t.true(bars.length >= loud.length);
    t.notRegex(renderPage(sampleModel({ components: [component] })), /NaN|undefined|Infinity/);
  });

const dayCases: [words: string, day: Omit<Day, 'date'>][] = [
  ['100% up', { level: 'up', uptime: 1, downMs: 0, degradedMs: 0 }],
  ['no data', { level: 'none', uptime: null, downMs: 0, degradedMs: 0 }],
  ['100% up, 5 min degraded', { level: 'degraded', uptime: 1, downMs: 0, degradedMs: 300_000 }],
  ['99.30% up, 10 min down', { level: 'partial', uptime: 0.9930555, downMs: 600_000, degradedMs: 0 }],
  ['50% up, 12 h down, 1 h 1 min degraded', { level: 'down', uptime: 0.5, downMs: 43_200_000, degradedMs: 3_660_000 }],
  ['99.99% up, 0 s down', { level: 'partial', uptime: 0.99999999, downMs: 1, degradedMs: 0 }],
];
for (const [words, day] of dayCases)
  test(`a day reads: ${words}`, t => {
    const component = sampleComponent({ days: [{ date: '2026-11-21', ...day }], uptime: day.uptime });
    const html = renderPage(sampleModel({ components: [component] }));
    t.true(html.includes(`<span>21 Nov 2026</span> <b>${words}</b>`));
  });

test('no data is never shown as up', t => {
  const none = sampleDays(90, 1).map(day => ({
    ...day,
    level: 'none' as const,
    uptime: null,
    downMs: 0,
    degradedMs: 0,
  }));
  const html = readHtml(renderPage(sampleModel({ components: [sampleComponent({ status: 'unknown', days: none })] })));
  const [bars] = find(html, '.bars');
  t.truthy(bars);
  t.is(find(html, 'h1')[0]?.text, 'No data at the moment');
  t.is(find(html, '.uptime')[0]?.text, 'No data');
  t.notRegex(find(html, '.components')[0]?.text ?? '', /100%|up\b|[Oo]perational/);
});

test('all systems are operational only when each is', t => {
  const statuses = fc.array(fc.constantFrom<ShownStatus>(...shownStatuses), { maxLength: 6 });
  fc.assert(
    fc.property(statuses, fc.constantFrom<ShownStatus>(...shownStatuses), (each, whole) => {
      const components = each.map((status, index) => sampleComponent({ id: `comp_${index}`, status }));
      const html = renderPage(sampleModel({ components, status: whole }));
      const well = whole === 'operational' && each.length > 0 && each.every(status => status === 'operational');
      t.is(html.includes('All systems operational'), well);
    }),
  );
});

test('a page without components, days or incidents still reads well', t => {
  const html = readHtml(renderPage(sampleModel({ components: [] })));
  t.is(find(html, 'h1')[0]?.text, 'No open incidents');
  t.deepEqual(find(html, '.choice'), []);
  const plain = readHtml(renderPage(sampleModel({ components: [sampleComponent({ days: null })] })));
  t.deepEqual(find(plain, '.legend'), []);
});

test('who wants to hear more can: a form with a choice of components, history, feeds and data', t => {
  const [form] = find(outage, 'form');
  t.like(form?.attributes, { method: 'post', action: '/status/acme/subscribe' });
  const inputs = find(outage, 'input').map(
    ({ attributes }) => `${attributes.type} ${attributes.name} ${attributes.value ?? ''}`,
  );
  t.is(inputs[0], 'email email ');
  t.deepEqual(
    inputs.slice(1),
    Array.from({ length: 8 }, (_, index) => `checkbox component_ids comp_${index}`),
  );
  t.true(
    find(outage, 'input')
      .slice(1)
      .every(({ inside }) => inside.includes('details') && inside.includes('label')),
  );
  const links = new Set(find(outage, 'a').map(({ attributes }) => attributes.href));
  for (const end of ['history', 'feed.rss', 'feed.atom', 'summary.json']) t.true(links.has(`/status/acme/${end}`), end);
  t.regex(squeeze(find(outage, 'footer')[0]?.text ?? ''), /As of 21 Nov 2026, 14:05 UTC\./);
});

test('headings are in order and landmarks are there', t => {
  const levels = outage.elements.flatMap(({ tag }) => (/^h[1-6]$/.test(tag) ? [Number(tag[1])] : []));
  t.is(levels.filter(level => level === 1).length, 1);
  t.deepEqual(
    levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1),
    [],
  );
  for (const tag of ['main', 'footer', 'nav']) t.is(find(outage, tag).length, 1, tag);
  t.is(find(outage, 'html')[0]?.attributes.lang, 'en');
  const named = outage.elements.flatMap(({ attributes }) => attributes['aria-labelledby'] ?? []);
  t.deepEqual(
    named.filter(id => !outage.elements.some(({ attributes }) => attributes.id === id)),
    [],
  );
});

test('a theme is kept, and times are those of the page', t => {
  t.regex(renderPage(sampleModel({ page: samplePage({ theme: 'dark' }) })), /content="dark"/);
  t.regex(renderPage(sampleModel({ page: samplePage({ timezone: 'Asia/Tokyo' }) })), /21 Nov 2026, 23:05 GMT\+9/);
});

test('the same model gives the same bytes', t => {
  t.is(renderPage(structuredClone(largeModel())), renderPage(largeModel()));
});

test('ninety components of ninety days are at most 50 KB on the wire', t => {
  const html = renderPage(largeModel());
  t.true(gzipSync(html).length <= 50_000, `${gzipSync(html).length}`);
  t.is(find(readHtml(html), '.history').length, 90);
});
