import test from 'ava';
import { html } from '#control-plane/platform/markup/html.ts';
import { languageOf } from '#control-plane/publishing/status-pages/locale/language.ts';
import {
  type Document,
  noticeSecurityPolicy,
  pageFooter,
  pageHeader,
  pageSecurityPolicy,
  pathOf,
  renderDocument,
  subscribeLink,
} from '#control-plane/publishing/status-pages/render/layout.ts';
import { dangersOf, find, type Html, readHtml, readHtmlFragment } from '#test/support/html.ts';
import { samplePage, sampleView } from '#test/support/page-model.ts';

const page = samplePage({ name: 'Tom & "Jerry"' });
const language = languageOf('en');
const documentOf = (changes: Partial<Document> = {}) =>
  readHtml(
    renderDocument({
      page,
      language,
      tone: 'ok',
      title: 'A < B',
      description: 'It says "C"',
      address: 'https://status.example/status/acme',
      url: 'https://status.example/status/acme',
      body: html`<main id="main">${'<x>'}</main>`,
      ...changes,
    }),
  );
const metaOf = (document: Html, name: string) =>
  find(document, 'meta').find(({ attributes }) => attributes.name === name || attributes.property === name)?.attributes
    .content;

test('a document is valid, and has its title, its description and its body', t => {
  const document = documentOf();
  t.deepEqual([document.errors, dangersOf(document)], [[], []]);
  t.is(find(document, 'title')[0]?.text, 'A < B');
  t.is(metaOf(document, 'description'), 'It says "C"');
  t.is(find(document, 'main')[0]?.text, '<x>');
});

test('a document with an address can be shared and indexed, one without cannot', t => {
  const shared = documentOf();
  t.is(metaOf(shared, 'og:title'), 'A < B');
  t.is(metaOf(shared, 'robots'), undefined);
  t.true(find(shared, 'link').some(({ attributes }) => attributes.rel === 'canonical'));
  const hidden = documentOf({ address: null });
  t.is(metaOf(hidden, 'robots'), 'noindex');
  t.is(metaOf(hidden, 'og:title'), undefined);
});

test('feeds are announced where there is a page', t => {
  const feeds = (document: Html) =>
    find(document, 'link')
      .filter(({ attributes }) => attributes.rel === 'alternate')
      .map(({ attributes }) => [attributes.title, attributes.href]);
  t.deepEqual(feeds(documentOf()), [
    ['Tom & "Jerry" (RSS)', '/status/acme/feed.rss'],
    ['Tom & "Jerry" (Atom)', '/status/acme/feed.atom'],
  ]);
  t.deepEqual(feeds(documentOf({ page: null })), []);
  t.deepEqual(feeds(documentOf({ url: null })), []);
});

for (const [theme, schemes] of [
  ['auto', 'light dark'],
  ['light', 'light'],
  ['dark', 'dark'],
] as const)
  test(`theme ${theme} declares the colour schemes: ${schemes}`, t => {
    t.is(metaOf(documentOf({ page: samplePage({ theme }) }), 'color-scheme'), schemes);
  });

test('the header names the page and leads to it, with an action if there is one', t => {
  const links = (markup: string) =>
    find(readHtmlFragment(markup), 'a').map(({ text, attributes }) => `${text} ${attributes.href}`);
  t.deepEqual(links(pageHeader(page, language).toString()), ['Tom & "Jerry" /status/acme']);
  t.deepEqual(
    links(pageHeader(page, language, subscribeLink(page, language)).toString()).at(1),
    'Get updates /status/acme#subscribe',
  );
});

test('the footer says as of when the page is, and in which zone its times are', t => {
  const footer = readHtmlFragment(
    pageFooter(sampleView({ page: samplePage({ timezone: 'Europe/Berlin' }) })).toString(),
  );
  t.regex(footer.text, /As of 21 Nov 2026, 15:05 CET\. All times are in Europe\/Berlin\./);
});

test('a slug is one segment of the path, whatever it contains', t => {
  t.is(pathOf({ slug: 'a/../b' }), '/status/a%2F..%2Fb');
});

test('the policy lets nothing run or load, and forms post to this host only', t => {
  const directives = new Map(pageSecurityPolicy.split('; ').map(part => [part.split(' ')[0], part]));
  t.is(directives.get('default-src'), "default-src 'none'");
  t.is(directives.get('form-action'), "form-action 'self'");
  t.is(directives.get('base-uri'), "base-uri 'none'");
  t.false(directives.has('script-src'));
});

test('a page may be framed, a notice with its button may not', t => {
  t.regex(pageSecurityPolicy, /frame-ancestors \*/);
  t.regex(noticeSecurityPolicy, /frame-ancestors 'none'/);
  t.is(pageSecurityPolicy.split('; ').length, noticeSecurityPolicy.split('; ').length);
});
