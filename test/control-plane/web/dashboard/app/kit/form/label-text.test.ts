import test from 'ava';
import { parseLabels } from '#control-plane/web/dashboard/app/kit/form/label-text.ts';

test('labels are read as people write them', t => {
  const rows: readonly (readonly [text: string, labels: Record<string, string>])[] = [
    ['', {}],
    [' , ,\n', {}],
    ['team=web', { team: 'web' }],
    ['team = web , tier=1', { team: 'web', tier: '1' }],
    ['legacy', { legacy: '' }],
    ['query=a=b', { query: 'a=b' }],
    ['a=1\nb=2', { a: '1', b: '2' }],
    ['a=1, a=2', { a: '2' }],
  ];
  for (const [text, labels] of rows) t.deepEqual(parseLabels(text), labels);
});
