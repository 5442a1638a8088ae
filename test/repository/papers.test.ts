import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { anchorsOf, documentAt, documents, linksOf, withoutCode, wordsOf } from './documents.ts';
import { top } from './sources.ts';

const wordsMax = 3000;
const readmeWordsMax = 1300;
const columnsMax = 120;
const pictureBytesMax = 200_000;

test(`no document but the changelog has more than ${wordsMax} words, the README at most ${readmeWordsMax}`, t => {
  const long = documents
    .filter(({ path }) => path !== 'CHANGELOG.md')
    .map(document => ({ path: document.path, words: wordsOf(document) }))
    .filter(({ path, words }) => words > (path === 'README.md' ? readmeWordsMax : wordsMax));
  t.deepEqual(long, []);
});

test('every relative link leads to a file, and to a heading of it if it names one', t => {
  const broken = documents.flatMap(document =>
    linksOf(document)
      .filter(({ target, anchor }) => {
        if (!existsSync(join(top, target))) return true;
        return anchor !== null && !anchorsOf(documentAt(target)).has(anchor);
      })
      .map(({ target, anchor }) => `${document.path} → ${target}${anchor === null ? '' : `#${anchor}`}`),
  );
  t.deepEqual(broken, []);
});

test('docs/README.md leads to every page of docs', t => {
  const linked = (path: string) => linksOf(documentAt(path)).map(({ target }) => target);
  const index = linked('docs/README.md');
  const pages = documents.map(({ path }) => path).filter(path => path.startsWith('docs/') && path !== 'docs/README.md');
  t.deepEqual(
    pages.filter(path => dirname(path) === 'docs' && !index.includes(path)),
    [],
  );
  // The pages of a folder are linked from the page about them.
  const reached = new Set(index.filter(path => path.endsWith('.md')).flatMap(linked));
  t.deepEqual(
    pages.filter(path => dirname(path) !== 'docs' && !index.includes(path) && !reached.has(path)),
    [],
  );
});

test(`no line of a document is wider than ${columnsMax} columns, tables, links and code aside`, t => {
  const wide = documents
    .filter(({ path }) => path !== 'CHANGELOG.md')
    .flatMap(({ path, text }) =>
      withoutCode(text)
        .split('\n')
        .flatMap((line, index) => {
          const mayBeWide = /^\s*\||\]\([^)\s]+\)|https?:|^<img /.test(line);
          return line.length > columnsMax && !mayBeWide ? [`${path}:${index + 1}`] : [];
        }),
    );
  t.deepEqual(wide, []);
});

test(`a picture has at most ${pictureBytesMax / 1000} kB`, t => {
  const pictures = linksOf(documentAt('README.md')).filter(({ target }) => target.endsWith('.png'));
  t.true(pictures.length >= 2);
  t.deepEqual(
    pictures.filter(({ target }) => statSync(join(top, target)).size > pictureBytesMax),
    [],
  );
});
