import test from 'ava';
import { allowedText } from '#control-plane/platform/markup/escape.ts';
import type { PageIncident, PageModel } from '#control-plane/publishing/status-pages/publish/page-model.ts';
import { renderBadge } from '#control-plane/publishing/status-pages/render/badge.ts';
import { renderAtom, renderRss } from '#control-plane/publishing/status-pages/render/feed.ts';
import { renderHistory } from '#control-plane/publishing/status-pages/render/history.ts';
import { renderIncident } from '#control-plane/publishing/status-pages/render/incident.ts';
import { renderNotice } from '#control-plane/publishing/status-pages/render/notice.ts';
import { renderPage } from '#control-plane/publishing/status-pages/render/page.ts';
import { styleFor } from '#control-plane/publishing/status-pages/render/style.ts';
import { renderSummary } from '#control-plane/publishing/status-pages/render/summary.ts';
import { dangersOf, find, type Html, readHtml, readHtmlFragment } from '#test/support/html.ts';
import {
  entriesOf,
  measured,
  sampleIncident,
  sampleModel,
  samplePage,
  sampleUpdate,
} from '#test/support/page-model.ts';
import { scriptPayloads } from '#test/support/script-payloads.ts';
import { elementsOf, readXml } from '#test/support/xml.ts';

/** Every place that holds words of somebody, with the same words. */
function modelOf(words: string): PageModel {
  const incident = incidentOf(words);
  return sampleModel({
    page: samplePage({ id: words, name: words, description: words, slug: words, timezone: words }),
    components: [0, 1].map(index =>
      measured({ id: words, name: words, description: words, group: words, status: 'major_outage' }, index + 1),
    ),
    openIncidents: [incident],
    recentIncidents: [{ ...incident, resolvedAt: incident.startedAt + 1000, state: 'resolved' }],
  });
}

function incidentOf(words: string): PageIncident {
  const bodies = [words, `[link](${words})`, `![image](${words})`, `<${words}>`, `[a]: ${words}\n\n[a] ![a]`];
  return sampleIncident({
    id: words,
    title: words,
    components: [{ id: words, name: words }],
    updates: bodies.map((body, index) =>
      sampleUpdate({ id: `${words}${index}`, body, feedAt: 1_800_000_000_000 + index * 1000 }),
    ),
    postmortemUrl: words,
    postmortemBody: bodies.join('\n\n'),
  });
}

function noticeOf(words: string) {
  return { title: words, text: words, form: { action: words, button: words } };
}

function pagesOf(words: string): Record<string, string> {
  const model = modelOf(words);
  const incident = incidentOf(words);
  return {
    page: renderPage(model),
    history: renderHistory(model, [incident, ...model.recentIncidents], { number: 2, newer: 'newest', older: 1 }),
    incident: renderIncident(model, incident),
    'incident with a link': renderIncident(model, { ...incident, postmortemBody: null }),
    notice: renderNotice(model.page, noticeOf(words)),
    'notice without a page': renderNotice(null, noticeOf(words)),
  };
}

/** Tags in order, without incidents, where Markdown makes some of its own. */
function skeleton(html: Html): string[] {
  return html.elements.filter(({ inside }) => !inside.includes('article')).map(({ tag }) => tag);
}

test('there are sixty attacks', t => {
  t.true(new Set(scriptPayloads).size >= 60);
});

for (const [number, payload] of scriptPayloads.entries()) {
  const name = `${number + 1} ${JSON.stringify(payload).slice(0, 60)}`;

  test(`words stay words on every page: ${name}`, t => {
    for (const [sink, text] of Object.entries(pagesOf(payload))) {
      const html = readHtml(text);
      t.deepEqual(dangersOf(html), [], sink);
      t.deepEqual(
        find(html, 'style').map(({ text }) => text),
        [styleFor('auto')],
        sink,
      );
      const title = find(html, sink.startsWith('notice') || sink.startsWith('incident') ? 'h1' : 'h3').map(
        each => each.text,
      );
      t.true(title.includes(allowedText(payload).replaceAll(/\r\n?/g, '\n')), `${sink}: ${title}`);
    }
  });

  test(`words stay words in feeds, badge and summary: ${name}`, t => {
    const model = modelOf(payload);
    const entries = entriesOf([incidentOf(payload)]);
    for (const feed of [renderRss(model, entries), renderAtom(model, entries)]) {
      const elements = elementsOf(readXml(feed));
      t.deepEqual(
        elements.filter(({ name }) => !feedElements.has(name)),
        [],
      );
      const bodies = elements.filter(
        ({ name, text }) => (name === 'description' || name === 'content') && text.startsWith('<'),
      );
      for (const { text } of bodies)
        if (text !== allowedText(payload)) t.deepEqual(dangersOf(readHtmlFragment(text)), []);
    }
    const badge = elementsOf(readXml(renderBadge(model)));
    t.deepEqual(
      badge.filter(({ name }) => !badgeElements.has(name)),
      [],
    );
    t.false(badge.some(({ attributes }) => Object.keys(attributes).some(name => /^on|href/i.test(name))));
    const summary = renderSummary(model);
    t.notRegex(summary, /[<>&\u2028\u2029]/);
    const { page } = JSON.parse(summary) as { page: { name: string } };
    t.is(page.name, payload.toWellFormed() === payload ? payload : page.name);
  });
}

test('an attack makes no element that plain words do not make', t => {
  const plain = skeleton(readHtml(renderPage({ ...modelOf('words'), openIncidents: [] })));
  for (const payload of scriptPayloads)
    t.deepEqual(skeleton(readHtml(renderPage({ ...modelOf(payload), openIncidents: [] }))), plain, payload);
});

test('a form of a notice leads to a path of this host only', t => {
  for (const action of ['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)', ''])
    t.deepEqual(find(readHtml(renderNotice(null, { ...noticeOf('x'), form: { action, button: 'x' } })), 'form'), []);
  const html = readHtml(
    renderNotice(samplePage(), { ...noticeOf('x'), form: { action: '/status/acme/confirm?a=1&b=2', button: 'x' } }),
  );
  t.is(find(html, 'form')[0]?.attributes.action, '/status/acme/confirm?a=1&b=2');
});

const feedElements = new Set(
  `rss channel title link description language lastBuildDate ttl atom:link item guid pubDate category
  feed subtitle id updated author name entry published content`.split(/\s+/),
);
const badgeElements = new Set(['svg', 'title', 'clipPath', 'rect', 'g', 'path', 'text']);
