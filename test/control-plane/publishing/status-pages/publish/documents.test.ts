import { gunzipSync } from 'node:zlib';
import test from 'ava';
import type { DocumentRow } from '#control-plane/publishing/status-pages/publish/document-store.ts';
import {
  currentDocuments,
  historyDocument,
  incidentDocument,
  redirectDocument,
} from '#control-plane/publishing/status-pages/publish/documents.ts';
import { renderPage } from '#control-plane/publishing/status-pages/render/page.ts';
import { etagOf } from '#control-plane/publishing/status-pages/serve/page-files.ts';
import {
  entriesOf,
  measured,
  outageModel,
  resolvedIncidents,
  sampleIncident,
  sampleModel,
  sampleUpdate,
  stagedIncident,
} from '#test/support/page-model.ts';

const model = outageModel();
const entries = entriesOf(resolvedIncidents());

test('a page has six documents below its slug, each with its content type', t => {
  t.deepEqual(
    currentDocuments(sampleModel(), []).map(document => [document.path, document.content_type]),
    [
      ['acme', 'text/html; charset=utf-8'],
      ['acme/feed.rss', 'application/rss+xml; charset=utf-8'],
      ['acme/feed.atom', 'application/atom+xml; charset=utf-8'],
      ['acme/summary.json', 'application/json; charset=utf-8'],
      ['acme/badge.svg', 'image/svg+xml; charset=utf-8'],
      ['acme/icon.svg', 'image/svg+xml; charset=utf-8'],
    ],
  );
});

test('a logo is a document with the bytes and the type of its file', t => {
  const bytes = Buffer.from([1, 2, 3]);
  const document = currentDocuments(sampleModel({ logo: { contentType: 'image/png', bytes } }), []).at(-1);
  t.like(document, { path: 'acme/logo', content_type: 'image/png' });
  t.deepEqual(gunzipSync(document?.body_gzip ?? ''), bytes);
});

test('a document is compressed, and its ETag is that of its uncompressed text', t => {
  const documents = currentDocuments(model, entries);
  for (const { body_gzip, etag } of documents) t.is(etagOf(gunzipSync(body_gzip)), etag);
  const [page] = documents;
  t.is(gunzipSync(page?.body_gzip ?? '').toString(), renderPage(model));
});

test('the same model gives the same documents, and they belong to no incident', t => {
  t.deepEqual(currentDocuments(model, entries), currentDocuments(structuredClone(model), entries));
  for (const { incident_id, source } of currentDocuments(model, entries))
    t.deepEqual([incident_id, source], [null, '']);
});

test('the document of an incident names it and its source', t => {
  t.like(incidentDocument(model, stagedIncident(), 'rows of 14:05'), {
    path: `${model.page.slug}/incidents/inc_staged`,
    incident_id: 'inc_staged',
    source: 'rows of 14:05',
    content_type: 'text/html; charset=utf-8',
  });
});

test('a page of the history is below its status page', t => {
  const position = { number: 2, newer: 3, older: 1 };
  const document = historyDocument(model, resolvedIncidents(), position, 'x');
  t.like(document, { path: `${model.page.slug}/history/2`, incident_id: null, source: 'x' });
  const newest = historyDocument(model, [], { number: null, newer: null, older: null }, 'x');
  t.is(newest.path, `${model.page.slug}/history`);
});

test('a former slug has a document that leads to the present one', t => {
  t.like(redirectDocument('old', 'new'), { path: 'old', content_type: 'redirect:new', etag: etagOf('new') });
});

const documentBytesMax = 2 * 1024 * 1024;
const textOf = (document: DocumentRow | undefined) => gunzipSync(document?.body_gzip ?? '').toString();
const hostile = '"<&>\'|`*'.repeat(3000);

/** Open incidents with many long updates each, all of them affecting many components with long names. */
const longIncidents = (count: number, updates: number, body: string) =>
  Array.from({ length: count }, (_, index) =>
    sampleIncident({
      id: `inc_${index}`,
      title: '"'.repeat(255),
      components: Array.from({ length: 300 }, (_, component) => ({ id: `comp_${component}`, name: '"'.repeat(200) })),
      updates: Array.from({ length: updates }, (_, update) =>
        sampleUpdate({ id: `upd_${index}_${update}`, body, rendered: { html: body, excerpt: body.slice(0, 300) } }),
      ),
    }),
  );

test('no document is longer than 2 MiB, whatever people wrote', t => {
  const incidents = longIncidents(60, 20, hostile);
  const components = Array.from({ length: 300 }, (_, index) =>
    measured({ id: `comp_${index}`, name: '"'.repeat(200), description: '"'.repeat(1000) }, index + 1, 60, 1),
  );
  const huge = sampleModel({ components, openIncidents: incidents, recentIncidents: incidents.slice(0, 30) });
  for (const document of currentDocuments(huge, entriesOf(incidents).slice(0, 50)))
    t.true(textOf(document).length <= documentBytesMax, `${document.path}: ${textOf(document).length}`);
  const [incident] = longIncidents(1, 400, hostile.slice(0, 600));
  if (incident === undefined) return t.fail();
  t.true(textOf(incidentDocument(huge, incident, '')).length <= documentBytesMax);
  const [long] = longIncidents(1, 400, hostile);
  if (long === undefined) return t.fail();
  const document = textOf(incidentDocument(huge, long, ''));
  t.true(document.length <= documentBytesMax);
  t.regex(document, /upd_0_399/);
});

test('a feed that would be too long has fewer entries, the newest', t => {
  const incidents = longIncidents(50, 1, 'word '.repeat(3500));
  const [, rss] = currentDocuments(sampleModel(), entriesOf(incidents));
  const items = textOf(rss).match(/<item>/g)?.length ?? 0;
  t.true(items >= 25 && items <= 50);
});
