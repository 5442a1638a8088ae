import test from 'ava';
import fc from 'fast-check';
import { allowedText } from '#control-plane/platform/markup/escape.ts';
import { Html, html, joinLines, type MarkupHole, trusted } from '#control-plane/platform/markup/html.ts';
import { anyText } from '#test/support/any-text.ts';
import { readHtmlFragment } from '#test/support/html.ts';
import { scriptPayloads } from '#test/support/script-payloads.ts';
import { readXml } from '#test/support/xml.ts';

const holes: [title: string, hole: MarkupHole, markup: string][] = [
  ['text is escaped', '<b>&"\'', '&lt;b&gt;&amp;&quot;&#39;'],
  ['text that looks escaped is escaped again', '&lt;', '&amp;lt;'],
  ['characters that no document may contain are dropped', 'a\u0000b\ud800c\ufffe', 'abc'],
  ['a number is written as it is', -1.5, '-1.5'],
  ['zero is a number', 0, '0'],
  ['markup is not escaped again', html`<b>${'<'}</b>`, '<b>&lt;</b>'],
  ['trusted text is not escaped', trusted('<hr>'), '<hr>'],
  ['null leaves nothing', null, ''],
  ['undefined leaves nothing', undefined, ''],
  ['false leaves nothing', false, ''],
  ['an empty text leaves nothing', '', ''],
  ['a list is joined without separators', ['<', html`<i>${'>'}</i>`, 1, null, false], '&lt;<i>&gt;</i>1'],
  ['a list of lists is joined too', [['a', ['&']], []], 'a&amp;'],
];
for (const [title, hole, markup] of holes)
  test(`in a hole, ${title}`, t => {
    t.is(html`<p>${hole}</p>`.toString(), `<p>${markup}</p>`);
  });

test('a template without holes is kept, and holes may be at both ends', t => {
  t.is(html`<br>`.toString(), '<br>');
  t.is(html`${'a'}${'b'}`.toString(), 'ab');
});

test('a look-alike of markup from JSON is no markup', t => {
  const forged: MarkupHole = JSON.parse('["<script>", {"toString": "<script>"}]')[0];
  t.is(html`${forged}`.toString(), '&lt;script&gt;');
  t.true(html`x` instanceof Html);
  t.is(JSON.stringify(html`<b>`), '{}');
});

test('pieces are joined by line ends', t => {
  t.is(joinLines([html`<i>`, html`</i>`]).toString(), '<i>\n</i>');
  t.is(joinLines([]).toString(), '');
});

const anyPiece = fc.oneof(
  anyText({ maxLength: 40 }),
  fc
    .array(fc.constantFrom('<', '>', '&', '"', "'", '=', '`', ']]>', '<!--', '</p>', 'amp;', '\0', ' '), {
      maxLength: 20,
    })
    .map(pieces => pieces.join('')),
  fc.constantFrom(...scriptPayloads),
);
// Parsers turn CR into LF; HTML's drops a LF at the start of some elements, hence the x in front.
const normalized = (text: string) => allowedText(text).replaceAll(/\r\n?/g, '\n');

test('an HTML parser reads any text in any hole as that text, and no element more', t => {
  fc.assert(
    fc.property(anyPiece, anyPiece, (text, value) => {
      const { elements, errors } = readHtmlFragment(html`<p title="${value}" lang='${value}'>x${text}</p>`.toString());
      // Noncharacters are legal in XML; an HTML parser remarks on them and keeps them.
      t.deepEqual(
        errors.filter(code => !code.endsWith('-in-input-stream')),
        [],
      );
      t.is(elements.length, 1);
      t.deepEqual(elements[0]?.attributes, { title: normalized(value), lang: normalized(value) });
      t.is(elements[0]?.text, `x${normalized(text)}`);
    }),
    { numRuns: 500 },
  );
});

test('an XML parser reads any text in any hole as that text, and no element more', t => {
  fc.assert(
    fc.property(anyPiece, anyPiece, (text, value) => {
      const root = readXml(html`<p title="${value}" lang='${value}'>x${text}</p>`.toString());
      t.deepEqual(root.children, []);
      t.is(root.text, `x${normalized(text)}`);
      // XML normalizes white space in attributes to spaces.
      const spaced = normalized(value).replaceAll(/[\t\n]/g, ' ');
      t.deepEqual(root.attributes, { title: spaced, lang: spaced });
    }),
    { numRuns: 500 },
  );
});
