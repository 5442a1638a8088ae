import { gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import type { PublishedDocument } from '#control-plane/publishing/status-pages/serve/page-files.ts';
import { PlainDocuments, plainLength } from '#control-plane/publishing/status-pages/serve/plain-documents.ts';

const documentOf = (text: string, etag = text.slice(0, 20)) =>
  ({ etag, gzip: gzipSync(text), contentType: 'text/html' }) as PublishedDocument;

test('the length of a document is known without inflating it', t => {
  fc.assert(
    fc.property(fc.string({ maxLength: 5000 }), text => {
      t.is(plainLength(gzipSync(text)), Buffer.byteLength(text));
    }),
  );
});

test('a document is inflated once for all who ask meanwhile, and then cached', async t => {
  const documents = new PlainDocuments();
  const document = documentOf('hello');
  t.is(documents.get(document), null);
  const first = documents.inflate(document);
  t.is(documents.inflate(document), first);
  t.is(String(await first), 'hello');
  t.is(documents.get(document), await first);
});

test('what was used longest ago goes when 32 MiB are full', async t => {
  const documents = new PlainDocuments();
  const large = Array.from({ length: 5 }, (_, index) => documentOf('x'.repeat(8 * 1024 * 1024), `large ${index}`));
  const [first, second, ...others] = large;
  for (const document of [first, second, ...others.slice(0, 2)]) if (document) await documents.inflate(document);
  if (first === undefined || second === undefined || others[2] === undefined) return t.fail();
  t.truthy(documents.get(first));
  await documents.inflate(others[2]);
  t.is(documents.get(second), null);
  t.truthy(documents.get(first));
});

test('a damaged document is an error, and the next request tries again', async t => {
  const documents = new PlainDocuments();
  const damaged = { ...documentOf('hello'), gzip: Buffer.from('no gzip at all') };
  await t.throwsAsync(documents.inflate(damaged));
  await t.throwsAsync(documents.inflate(damaged));
});
