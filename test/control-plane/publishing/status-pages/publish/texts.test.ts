import test from 'ava';
import { Texts } from '#control-plane/publishing/status-pages/publish/texts.ts';

test('a text is rendered once, and listed to be stored', t => {
  const texts = new Texts();
  const rendered = texts.render('update', 'upd_1', 'hash', '**a**');
  t.is(texts.render('update', 'upd_1', 'hash', '**a**'), rendered);
  texts.render('update', 'upd_1', 'other hash', 'b');
  texts.render('postmortem', 'inc_1', 'hash', '# c');
  t.is(rendered.html, '<p><strong>a</strong></p>');
  t.deepEqual(
    texts.list('update').map(({ id, hash }) => [id, hash]),
    [
      ['upd_1', 'hash'],
      ['upd_1', 'other hash'],
    ],
  );
  t.is(texts.list('postmortem').length, 1);
  t.false(texts.isExhausted);
});

test('after its time a text is shown as it was written, and not stored', t => {
  const texts = new Texts(0);
  t.is(texts.render('update', 'upd_1', 'hash', '**a** <b>').html, '<p>**a** &lt;b&gt;</p>');
  t.true(texts.isExhausted);
  t.deepEqual(texts.list('update'), []);
});
