import test from 'ava';
import { checkProps } from '#control-plane/web/dashboard/app/guard.ts';

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
  for (const [href, kept] of cases) {
    const props: Record<string, unknown> = { href };
    checkProps(props);
    t.is(props.href, kept ? href : undefined, href);
  }
});

test('properties that would run or style text are refused', t => {
  const refused = ['style', 'srcDoc', 'srcdoc', 'innerHTML', 'dangerouslySetInnerHTML', 'onclick', 'onClick'];
  for (const name of refused) t.throws(() => checkProps({ [name]: 'text' }), { instanceOf: TypeError }, name);
  t.notThrows(() => checkProps({ onClick: () => undefined, onFocus: null, style: { height: '1px' } }));
});
