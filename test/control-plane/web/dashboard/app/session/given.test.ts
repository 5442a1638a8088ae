import test from 'ava';
import { choicesOf, given } from '#control-plane/web/dashboard/app/session/given.ts';

test('what asks for nothing is left out of a query, and a choice may be several', t => {
  t.deepEqual(given({ a: '', b: null, c: undefined, d: 0, e: false, f: 'x' }), { d: 0, e: false, f: 'x' } as object);
  t.is(choicesOf(''), undefined);
  t.deepEqual(choicesOf('open,acknowledged'), ['open', 'acknowledged']);
});
