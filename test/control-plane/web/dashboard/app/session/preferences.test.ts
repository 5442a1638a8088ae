import test from 'ava';
import { read } from '#control-plane/web/dashboard/app/session/preferences.ts';

test('a stored choice counts only if it is one of those offered', t => {
  const stored = (value: string | null) => read({ getItem: () => value }, 'zone', ['utc', 'local']);
  t.is(stored('local'), 'local');
  t.is(stored('mars'), 'utc');
  t.is(stored(null), 'utc');
});
