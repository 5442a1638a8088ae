import test from 'ava';
import fc from 'fast-check';
import { placeHeadings, renderMarkdown } from '#control-plane/platform/markup/markdown.ts';
import { cut, renderText } from '#control-plane/platform/markup/rendered-text.ts';

test('a stored text is what Markdown renders to, at every heading level', t => {
  const piece = fc.constantFrom(
    '# a\n\n',
    '### b\n',
    '<h2>c</h2>\n\n',
    '**d** ',
    '`<h1>` ',
    '- e\n',
    '\n---\n',
    '&lt;h3&gt; ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 6 }), (pieces, level) => {
      const text = pieces.join('');
      t.is(placeHeadings(renderText(text).html, level).toString(), renderMarkdown(text, level).toString());
    }),
  );
  t.is(renderMarkdown('# a <h1>\n\n## b', 5).toString(), '<h5>a &lt;h1&gt;</h5>\n<h6>b</h6>');
});

test('an excerpt is the beginning of the words', t => {
  t.is(renderText('**One**\n\n- two').excerpt, 'One\ntwo');
  t.is([...renderText('😀'.repeat(400)).excerpt].length, 300);
});

test('a cut never splits a character, and says that something is left out', t => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.integer({ min: 1, max: 30 }), (text, max) => {
      const short = cut(text, max);
      t.true([...short].length <= max && short.isWellFormed());
      t.is(short === text, [...text].length <= max || `${short}` === text);
      if (short !== text) t.true(short.endsWith('…'));
    }),
  );
});
