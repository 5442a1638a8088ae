import test from 'ava';
import fc from 'fast-check';
import { plainText, renderMarkdown } from '#control-plane/platform/markup/markdown.ts';
import { anyText } from '#test/support/any-text.ts';
import { dangersOf, find, readHtmlFragment } from '#test/support/html.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const cases: [title: string, markdown: string, html: string][] = [
  ['emphasis and code', 'a **b** `c`', '<p>a <strong>b</strong> <code>c</code></p>'],
  ['a line end is kept', 'a\nb', '<p>a<br>\nb</p>'],
  ['raw HTML is text', '<b>x</b>', '<p>&lt;b&gt;x&lt;/b&gt;</p>'],
  [
    'a link',
    '[x](https://a.example/?b=1&c=2 "t")',
    '<p><a href="https://a.example/?b=1&amp;c=2" rel="nofollow noopener">x</a></p>',
  ],
  ['an email address', '[x](mailto:a@b.example)', '<p><a href="mailto:a@b.example" rel="nofollow noopener">x</a></p>'],
  [
    'a bare address',
    'https://a.example/b',
    '<p><a href="https://a.example/b" rel="nofollow noopener">https://a.example/b</a></p>',
  ],
  ['a script is not a link', '[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
  ['a data address is not a link', '[x](data:text/html,x)', '<p>[x](data:text/html,x)</p>'],
  ['another scheme is not a link', '[x](ftp://a.example)', '<p>[x](ftp://a.example)</p>'],
  ['a relative address is not a link', '[x](/a) [y](//b.example)', '<p>[x](/a) [y](//b.example)</p>'],
  [
    'an image is a link to it',
    '![cat *a*](https://a.example/c.png)',
    '<p><a href="https://a.example/c.png" rel="nofollow noopener">cat a</a></p>',
  ],
  [
    'an image without a description is a link named image',
    '![](https://a.example/c.png)',
    '<p><a href="https://a.example/c.png" rel="nofollow noopener">image</a></p>',
  ],
  [
    'an image within a link becomes its description',
    '[![cat](https://a.example/c.png)](https://b.example)',
    '<p><a href="https://b.example" rel="nofollow noopener">cat</a></p>',
  ],
  ['headings start at the given level and skip none', '# a\n\n### b\n\n# c', '<h4>a</h4>\n<h5>b</h5>\n<h4>c</h4>'],
  ['headings end at level six', '# a\n## b\n### c\n#### d', '<h4>a</h4>\n<h5>b</h5>\n<h6>c</h6>\n<h6>d</h6>'],
];
for (const [title, markdown, html] of cases)
  test(`Markdown: ${title}`, t => {
    t.is(renderMarkdown(markdown).toString(), html);
  });

test('a table has no style of its own', t => {
  t.notRegex(renderMarkdown('|a|b|\n|:-:|--:|\n|1|2|').toString(), /style/);
});

test('no text makes anything run or load, or links nest', t => {
  const piece = fc.constantFrom(
    ...[
      '[',
      ']',
      '(',
      ')',
      '!',
      '<',
      '>',
      '`',
      '*',
      '_',
      '#',
      '\n',
      '\n\n',
      '|',
      '-',
      ' ',
      '"',
      "'",
      '\\',
      '&#106;',
      '\t',
    ],
    ...[
      'javascript:',
      'https://a.example',
      'data:',
      '<script>',
      '</script>',
      '<img src=x onerror=y>',
      '[a]:',
      'mailto:',
    ],
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, anyText({ maxLength: 4 })), { maxLength: 40 }), pieces => {
      const html = readHtmlFragment(renderMarkdown(pieces.join('')).toString());
      t.deepEqual(dangersOf(html), []);
      t.deepEqual(
        find(html, 'a').filter(({ inside }) => inside.filter(tag => tag === 'a').length > 1),
        [],
      );
    }),
    { numRuns: 400 },
  );
});

test('plain text has the text of every block without its markup', t => {
  t.is(
    plainText('# Now\n\nA **b** [c](https://d.example) <e>\nf\n\n- g\n- ![h](https://i.example)\n\n```\nj < k\n```'),
    'Now\nA b c <e>\nf\ng\nh\nj < k',
  );
});

test('deep nesting and long runs of marks are rendered', t => {
  for (const text of ['*', '[', '![', '> ', '`', '<', '- ', '_*', '[a](', '**a '].map(mark =>
    mark.repeat(25_000 / mark.length),
  ))
    t.deepEqual(dangersOf(readHtmlFragment(renderMarkdown(text).toString())), []);
});

test('no text of the largest size takes long: text with too many marks is shown unformatted', async t => {
  const size = 50_000;
  for (const piece of ['//a.com/', '![[', '*_', '|a', '[a](', '~~', '<a', '`', 'a@b.c ', 'http://a.com ', '- ', '> ']) {
    const text = piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
    const ms = await leastThreadMs(3000, () => {
      renderMarkdown(text);
      plainText(text);
    });
    t.true(ms < 3000, `${piece}: ${ms} ms`);
  }
  t.is(renderMarkdown(`${'*'.repeat(2600)}<b>\nc`).toString(), `<p>${'*'.repeat(2600)}&lt;b&gt;<br>\nc</p>`);
});
