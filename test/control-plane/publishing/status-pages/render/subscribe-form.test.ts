import test from 'ava';
import { renderSubscribeForm } from '#control-plane/publishing/status-pages/render/subscribe-form.ts';
import { find, type Html, readHtmlFragment } from '#test/support/html.ts';
import { sampleComponent, sampleView } from '#test/support/page-model.ts';

const components = [
  sampleComponent({ id: 'comp_a', name: 'Website' }),
  sampleComponent({ id: 'comp_b', name: '<API>', group: 'Platform "x"' }),
  sampleComponent({ id: 'comp_c', name: 'Webhooks', group: 'Platform "x"' }),
];
const formOf = (count: number): Html =>
  readHtmlFragment(renderSubscribeForm(sampleView({ components: components.slice(0, count) })).toString());

test('the form asks for an email address, and says what happens next', t => {
  const html = formOf(3);
  t.deepEqual(html.errors, []);
  t.is(find(html, 'h2')[0]?.text, 'Get updates by email');
  t.like(find(html, 'form')[0]?.attributes, { method: 'post', action: '/status/acme/subscribe' });
  const [email] = find(html, 'input');
  t.like(email?.attributes, { type: 'email', name: 'email', maxlength: '254', required: '' });
  const note = html.elements.find(({ attributes }) => attributes.id === email?.attributes['aria-describedby']);
  t.is(note?.text, 'We’ll ask you to confirm first; every email has a one-click unsubscribe link.');
});

test('components can be chosen by group, and none is chosen at first', t => {
  const html = formOf(3);
  t.deepEqual(
    find(html, 'legend').map(({ text }) => text),
    ['Components', 'Platform "x"'],
  );
  const boxes = find(html, 'input').slice(1);
  t.deepEqual(
    boxes.map(({ attributes }) => [attributes.name, attributes.value, attributes.checked]),
    components.map(({ id }) => ['component_ids', id, undefined]),
  );
  t.deepEqual(
    find(html, 'label')
      .slice(1)
      .map(({ text }) => text),
    ['Website', '<API>', 'Webhooks'],
  );
});

test('without a second component there is nothing to choose', t => {
  for (const count of [0, 1]) t.deepEqual(find(formOf(count), 'details'), []);
});

test('feeds are offered to those who do not want emails', t => {
  t.deepEqual(
    find(formOf(1), 'a').map(({ text, attributes }) => [text, attributes.href]),
    [
      ['RSS', '/status/acme/feed.rss'],
      ['Atom', '/status/acme/feed.atom'],
    ],
  );
});

test('without an SMTP server there is no form, but the feeds', t => {
  const html = readHtmlFragment(renderSubscribeForm(sampleView({ canMail: false })).toString());
  t.deepEqual(find(html, 'form'), []);
  t.is(find(html, 'section')[0]?.attributes.id, 'subscribe');
  t.deepEqual(
    find(html, 'a').map(({ attributes }) => attributes.href),
    ['/status/acme/feed.rss', '/status/acme/feed.atom'],
  );
});
