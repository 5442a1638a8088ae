import test from 'ava';
import fc from 'fast-check';
import { referencesIn, replaceReferences } from '#control-plane/monitoring/monitors/secrets/references.ts';

const values: Record<string, string> = { A: 'a"\n', B_2: 'x y+ü', C: '{{secret.A}}' };
const valueNamed = (name: string) => values[name];

for (const [text, names, malformed, replaced] of [
  ['plain', [], false, 'plain'],
  ['Bearer {{secret.A}}', ['A'], false, 'Bearer a"\n'],
  ['{"k":"{{secret.A|json}}"}', ['A'], false, '{"k":"a\\"\\n"}'],
  ['k={{secret.B_2|url}}', ['B_2'], false, 'k=x%20y%2B%C3%BC'],
  ['{{secret.A}}{{secret.A}}{{secret.B_2}}', ['A', 'B_2'], false, 'a"\na"\nx y+ü'],
  ['{{secret.C}}', ['C'], false, '{{secret.A}}'],
  ['{{secret.NONE}}', ['NONE'], false, '{{secret.NONE}}'],
  ['{{other}} {{ secret.A }} {secret.A}', [], false, '{{other}} {{ secret.A }} {secret.A}'],
  ['{{secret.a}}', [], true, '{{secret.a}}'],
  ['{{secret.A|html}}', [], true, '{{secret.A|html}}'],
  ['{{secret.A }}', [], true, '{{secret.A }}'],
  ['{{secret.', [], true, '{{secret.'],
  ['{{secret.{{secret.A}}', ['A'], true, '{{secret.a"\n'],
  [`{{secret.${'A'.repeat(65)}}}`, [], true, `{{secret.${'A'.repeat(65)}}}`],
] as const) {
  test(`references in ${text}`, t => {
    t.deepEqual(referencesIn(text), { names: [...names], malformed });
    t.is(replaceReferences(text, valueNamed), replaced);
  });
}

test('a value is what a reader of JSON and of a form gets', t => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), value => {
      const of = () => value;
      t.is(JSON.parse(replaceReferences('"{{secret.V|json}}"', of)), value);
      t.is(new URLSearchParams(`v=${replaceReferences('{{secret.V|url}}', of)}`).get('v'), value);
      t.is(replaceReferences('{{secret.V}}', of), value);
    }),
  );
});
