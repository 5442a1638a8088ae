import test from 'ava';
import { PageHeaders } from '#control-plane/publishing/status-pages/serve/page-headers.ts';
import type { DocumentHead } from '#control-plane/publishing/status-pages/serve/page-index.ts';

const head: DocumentHead = {
  path: 'acme',
  pageId: 'sp_1',
  contentType: 'application/json',
  etag: 'abc',
  publishedAt: 0,
  gzipLength: 10,
  plainLength: 20,
};
const fieldsOf = (raw: readonly (string | number)[]) =>
  Object.fromEntries(raw.flatMap((name, place) => (place % 2 === 0 ? [[name, raw[place + 1]]] : [])));

test('a document has the headers of every answer, unless it has its own, each once', t => {
  const headers = new PageHeaders({ 'Cache-Control': 'no-store', 'Strict-Transport-Security': 'max-age=1' });
  for (const raw of [
    headers.of(head, true, 'r1'),
    headers.ofUnchanged(head, true, 'r1'),
    headers.ofRedirect(308, '/', 'r1'),
  ]) {
    const fields = fieldsOf(raw);
    t.is(fields['Strict-Transport-Security'], 'max-age=1');
    t.regex(String(fields['Cache-Control']), /^public/);
    t.is(fields['X-Request-Id'], 'r1');
    t.is(Object.keys(fields).length * 2, raw.length);
  }
});

test('what is remembered of a document is of one encoding and one version, and of no request', t => {
  const headers = new PageHeaders();
  const first = fieldsOf(headers.of(head, true, 'r1'));
  t.like(first, { ETag: '"abc-gz"', 'Content-Encoding': 'gzip', 'Content-Length': 10 });
  t.deepEqual(fieldsOf(headers.of(head, true, 'r2')), { ...first, 'X-Request-Id': 'r2' });
  const plain = fieldsOf(headers.of(head, false, 'r1'));
  t.like(plain, { ETag: '"abc"', 'Content-Length': 20 });
  t.false('Content-Encoding' in plain);
  t.is(fieldsOf(headers.of({ ...head, etag: 'def' }, true, 'r1')).ETag, '"def-gz"');
});
