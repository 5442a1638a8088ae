import test from 'ava';
import fc from 'fast-check';
import { parseMarkdown } from '#control-plane/platform/markup/markdown.ts';
import { find, readHtmlFragment } from '#test/support/html.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

/** Each row has one long cell and is completed to all columns. */
const table = (columns: number, rows: number, row = `|${'x'.repeat(100)}`) =>
  ['|a'.repeat(columns), '|-'.repeat(columns), ...Array.from({ length: rows }, () => row)].join('\n');
const cellsOf = (text: string) => {
  const html = readHtmlFragment(parseMarkdown(text));
  return [...find(html, 'td'), ...find(html, 'th')].length;
};

test('a table of ordinary size is a table, also within a list and after a paragraph', t => {
  t.is(cellsOf(table(50, 49)), 2500);
  t.is(cellsOf(`words\n${table(3, 2)}`), 9);
  t.is(cellsOf(`- words\n\n${table(3, 2).replaceAll(/^/gm, '  ')}`), 9);
  t.is(cellsOf('a | b\n--|--\n1 | 2'), 4);
});

test('a table with too many columns is text', t => {
  const html = parseMarkdown(`before\n\n${table(51, 1)}\n\nafter`);
  t.notRegex(html, /<table/);
  t.regex(html, /^<p>before<\/p>\n<p>\|a\|a/);
  t.regex(html, /\|x+<\/p>\n<p>after<\/p>$/);
});

test('tables count by the cells that they become, all of one text together', t => {
  t.is(cellsOf(table(50, 60)), 0);
  const several = Array.from({ length: 6 }, () => table(20, 29)).join('\n\n');
  t.is(cellsOf(several), 4 * 600);
});

test('no text becomes many times its length', t => {
  const piece = fc.constantFrom('|a', '|-', '\n', '|', 'x', '- ', '> ', '# ', '`', '<http://a>', '"', '\n\n', ' ');
  const runs = fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 400 })), { maxLength: 30 });
  fc.assert(
    fc.property(runs, some => {
      const text = some.map(([mark, count]) => mark.repeat(count)).join('');
      t.true(parseMarkdown(text).length <= 8 * text.length + 2048);
    }),
    { numRuns: 150 },
  );
});

test('rows of one character that would be completed to a thousand cells cost little', async t => {
  const text = `${'a|'.repeat(1200)}\n${'-|'.repeat(1200)}\n${'x\n'.repeat(10_000)}`;
  const ms = await leastThreadMs(150, () => t.true(parseMarkdown(text).length < 100_000));
  t.true(ms < 150, `${ms} ms`);
});
