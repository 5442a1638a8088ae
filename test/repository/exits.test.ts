import test from 'ava';
import { sourcesOf } from './sources.ts';

test('programs end by exitProcess: process.exit may wait for ever', t => {
  const others = ['agent', 'control-plane', 'deploy/local', 'shared']
    .flatMap(folder => sourcesOf(folder))
    .filter(({ path, text }) => path !== 'shared/exit-process.ts' && text.includes('process.exit('));
  t.deepEqual(
    others.map(({ path }) => path),
    [],
  );
});
