import test from 'ava';
import { element } from '#control-plane/dashboard/app/dom/element.ts';

test('an address that could run script is dropped, others are kept', t => {
  const cases: [string, boolean][] = [
    ['https://a.example/x', true],
    ['HTTP://a.example/', true],
    ['/v0/openapi.json', true],
    ['#/monitors', true],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['//evil.example', false],
    ['relative', false],
    ['', false],
  ];
  for (const [href, kept] of cases) t.is(element('a', { href }).attributes.href, kept ? href : null, href);
});

test('attributes that would run or style text are refused', t => {
  for (const name of ['style', 'srcdoc', 'innerHTML', 'onclick'])
    t.throws(() => element('p', { [name]: 'text' }), { instanceOf: TypeError }, name);
  t.notThrows(() => element('p', { onclick: () => undefined, onfocus: null }));
});

test('content is flattened, and what renders nothing is left out', t => {
  const { children } = element('p', {}, ['a', [1, null, undefined, false, '']], element('b'));
  t.deepEqual(children, ['a', '1', element('b')]);
});

test('the key is not an attribute', t => {
  const { attributes, key } = element('li', { key: 7, class: 'x' });
  t.is(key, '7');
  t.deepEqual(attributes, { class: 'x' });
  t.is(element('li').key, null);
});
