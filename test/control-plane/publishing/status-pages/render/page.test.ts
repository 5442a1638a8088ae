import { gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { locales } from '#control-plane/publishing/status-pages/locale/language.ts';
import type { Day, PageSettings, PageUpdate } from '#control-plane/publishing/status-pages/publish/page-model.ts';
import { renderRss } from '#control-plane/publishing/status-pages/render/feed.ts';
import { renderHistory } from '#control-plane/publishing/status-pages/render/history.ts';
import { renderIncident } from '#control-plane/publishing/status-pages/render/incident.ts';
import { renderPage } from '#control-plane/publishing/status-pages/render/page.ts';
import { type ShownStatus, shownStatuses } from '#shared/vocabulary.ts';
import { dangersOf, find, readHtml } from '#test/support/html.ts';
import {
  largeModel,
  measured,
  outageModel,
  resolvedIncidents,
  sampleAsOf,
  sampleComponent,
  sampleDays,
  sampleIncident,
  sampleModel,
  samplePage,
  sampleUpdate,
  stagedIncident,
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
    /Card payments fail in Europe\s?Identified Major outage Since 21 Nov 2026, 13:08 UTC 57 minutes so far/,
  );
  t.true(said.indexOf('A certificate of our') < said.indexOf('About half of all card payments'));
  t.regex(said, /\(edited 21 Nov 2026, 13:43 UTC\)/);
  const past = find(outage, '.past').map(({ text }) => squeeze(text));
  t.is(past.length, 2);
  t.regex(
    past[0] ?? '',
    /Webhooks arrive late\s?Resolved Degraded performance .* lasted 1 hour 35 minutes.*Affects Webhooks.*was lost\./,
  );
  t.true(
    find(outage, 'a').some(({ attributes }) => attributes['aria-label'] === 'Post-mortem of Webhooks arrive late'),
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
  test(`the list of ${count} days is shorter than they are, the latest first, and every day has its bar`, t => {
    const component = measured({ id: 'comp_0' }, 5, count, 0.2);
    const html = readHtml(renderPage(sampleModel({ components: [component] })));
    const list = html.elements.filter(
      ({ tag, inside }) => tag === 'li' && inside.filter(each => each === 'details').length === 1,
    );
    const days = list.map(({ text }) => squeeze(text)).filter(text => /\d{4}/.test(text));
    t.true(days.length < count);
    t.regex(days[0] ?? '', /^(\d+ – )?21 Nov 2026 /);
    const bars = html.elements.filter(
      ({ tag, attributes }) => tag === 'path' && /^b-/.test(attributes.class ?? '') && attributes.d,
    );
    const loud = component.days?.filter(({ level }) => level !== 'up' && level !== 'none') ?? [];
    t.is(find(html, 'title').length - 1, loud.length);
    t.true(days.length >= loud.length);
    t.true(bars.length >= loud.length);
    t.notRegex(renderPage(sampleModel({ components: [component] })), /NaN|undefined|Infinity/);
  });

const dayCases: [words: string, day: Omit<Day, 'date'>][] = [
  ['100% up', { level: 'up', uptime: 1, downMs: 0, degradedMs: 0 }],
  ['no data', { level: 'none', uptime: null, downMs: 0, degradedMs: 0 }],
  ['100% up, 5 min degraded', { level: 'degraded', uptime: 1, downMs: 0, degradedMs: 300_000 }],
  ['99.30% up, 10 min down', { level: 'partial', uptime: 0.9930555, downMs: 600_000, degradedMs: 0 }],
  [
    '50% up, 12 hr down, 1 hr 1 min degraded',
    { level: 'down', uptime: 0.5, downMs: 43_200_000, degradedMs: 3_660_000 },
  ],
  ['99.99% up, less than a minute down', { level: 'partial', uptime: 0.99999999, downMs: 1, degradedMs: 0 }],
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
  t.is(find(html, 'h1')[0]?.text, 'Status unavailable');
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
  t.is(find(html, 'h1')[0]?.text, 'No active incidents');
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

const updatesOf = (count: number, body = 'x') =>
  Array.from({ length: count }, (_, index) => sampleUpdate({ id: `upd_${index}`, body }));
const foldedOf = (updates: PageUpdate[]) => {
  const html = readHtml(renderPage(sampleModel({ openIncidents: [sampleIncident({ updates })] })));
  return {
    shown: html.elements.filter(
      ({ attributes, inside }) => attributes.id?.startsWith('upd_') && !inside.includes('details'),
    ),
    folded: find(html, '.earlier').map(({ text }) => squeeze(text)),
  };
};

test('an open incident shows its latest two updates, and folds the earlier ones', t => {
  t.deepEqual(foldedOf(updatesOf(2)).folded, []);
  const { shown, folded } = foldedOf(updatesOf(7));
  t.deepEqual(
    shown.map(({ attributes }) => attributes.id),
    ['upd_6', 'upd_5'],
  );
  t.regex(folded[0] ?? '', /^5 earlier updates/);
  t.is(foldedOf(updatesOf(2, 'long '.repeat(200))).shown.length, 1);
});

test('of many open incidents the lightest are brief, and none is missing', t => {
  const openIncidents = Array.from({ length: 6 }, (_, index) => sampleIncident({ id: `inc_${index}` }));
  const html = readHtml(renderPage(sampleModel({ openIncidents })));
  t.deepEqual(
    find(html, '.incident').map(({ attributes }) => attributes.class?.includes('brief')),
    [false, false, false, true, true, true],
  );
  t.deepEqual(find(html, '.past'), []);
});

test('an incident of a moment ago has just started', t => {
  const soFar = (ms: number) => {
    const incident = sampleIncident({ startedAt: sampleAsOf - ms });
    return squeeze(find(readHtml(renderPage(sampleModel({ openIncidents: [incident] }))), '.facts')[0]?.text ?? '');
  };
  t.regex(soFar(0), /UTC just started$/);
  t.regex(soFar(59_999), /UTC just started$/);
  t.regex(soFar(3 * 86_400_000), /UTC 3 days so far$/);
});

test('tables can be scrolled by keyboard, and have a label', t => {
  const body = '|a|b|\n|-|-|\n|1|<table>|';
  const html = readHtml(
    renderPage(sampleModel({ openIncidents: [sampleIncident({ updates: [sampleUpdate({ body })] })] })),
  );
  t.deepEqual(dangersOf(html), []);
  t.deepEqual(
    find(html, '.wide').map(({ attributes }) => [attributes.tabindex, attributes.role, attributes['aria-label']]),
    [['0', 'region', 'Table']],
  );
  t.is(find(html, 'table').length, 1);
});

for (const locale of locales)
  test(`every hole of every text is filled: ${locale}`, t => {
    const model = outageModel({ page: samplePage({ locale, description: '' }) });
    const texts = [
      renderPage(model),
      renderPage({ ...model, components: [], openIncidents: [] }),
      renderIncident(model, stagedIncident()),
      renderHistory(model, resolvedIncidents(), { number: 2, newer: 3, older: 1 }),
      renderRss(model, []),
    ];
    for (const text of texts) t.notRegex(text.replace(/<style>.*<\/style>/, ''), /\{\w+\}|undefined/);
    t.like(find(readHtml(texts[0] ?? ''), 'html')[0]?.attributes, { lang: locale, dir: 'ltr' });
  });

test('names from right to left stand in rows of the page’s direction', t => {
  const name = 'الدفع';
  const components = [sampleComponent({ id: 'comp_0', name, description: name, group: name })];
  const html = readHtml(renderPage(sampleModel({ page: samplePage({ name, description: name }), components })));
  const around = html.elements.filter(({ text, tag }) => text === name && tag !== 'title');
  t.true(around.filter(({ tag }) => tag === 'bdi').length >= 5);
  t.deepEqual(
    around.filter(({ attributes }) => attributes.dir !== undefined),
    [],
  );
});

test('the name leads home, a wide logo stands for it, and help is one link away', t => {
  const looks = {
    homeUrl: 'https://acme.example',
    supportUrl: 'mailto:a@acme.example',
    logo: { width: 90, height: 30 },
  };
  const headOf = (changes: Partial<PageSettings>) => {
    const html = readHtml(renderPage(sampleModel({ page: samplePage({ ...looks, ...changes }) })));
    t.deepEqual([html.errors, dangersOf(html)], [[], []]);
    const [brand, support] = find(html, 'a').slice(1, 3);
    return [brand?.attributes.href, brand?.text, find(html, 'img')[0]?.attributes.alt, support?.attributes.href];
  };
  t.deepEqual(headOf({}), ['https://acme.example/', '', 'Acme', 'mailto:a@acme.example']);
  t.deepEqual(headOf({ logo: { width: 30, height: 30 } }).slice(1, 3), ['Acme', '']);
  t.deepEqual(headOf({ logo: null, homeUrl: null, supportUrl: 'javascript:alert(1)' }), [
    '/status/acme',
    'Acme',
    undefined,
    '/status/acme#subscribe',
  ]);
});

test('the tab shows a logo that fits there, else the state', t => {
  const iconOf = (logo: PageSettings['logo']) =>
    find(readHtml(renderPage(sampleModel({ page: samplePage({ logo }) }))), 'link').find(
      ({ attributes }) => attributes.rel === 'icon',
    )?.attributes.href;
  t.is(iconOf(null), '/status/acme/icon.svg?ok');
  t.is(iconOf({ width: 64, height: 64 }), '/status/acme/logo');
  t.is(iconOf({ width: 640, height: 64 }), '/status/acme/icon.svg?ok');
});

test('the same model gives the same bytes', t => {
  t.is(renderPage(structuredClone(largeModel())), renderPage(largeModel()));
});

test('ninety components of ninety days are at most 40 KB on the wire', t => {
  const html = renderPage(largeModel());
  t.true(gzipSync(html).length <= 40_000, `${gzipSync(html).length}`);
  t.is(find(readHtml(html), '.history').length, 90);
});
