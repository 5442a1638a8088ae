import test from 'ava';
import { english } from '#control-plane/publishing/status-pages/locale/english.ts';
import { french } from '#control-plane/publishing/status-pages/locale/french.ts';
import { german } from '#control-plane/publishing/status-pages/locale/german.ts';
import { sourcesOf } from '#test/repository/sources.ts';
import { textsOf } from '#test/repository/texts.ts';

type Node = string | { readonly [key: string]: Node };

/** Every word of a dictionary by its path: `headline.partial`. */
function wordsIn(node: Node, path = ''): [path: string, text: string][] {
  if (typeof node === 'string') return [[path, node]];
  return Object.entries(node).flatMap(([key, value]) => wordsIn(value, path === '' ? key : `${path}.${key}`));
}

const holesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([hole]) => hole).sort();
const reference = wordsIn(english);

for (const [name, words] of Object.entries({ german, french }))
  test(`${name} has each key of English, with the same holes, and nothing else`, t => {
    const found = wordsIn(words);
    t.deepEqual(
      found.map(([path, text]) => [path, holesIn(text)]).sort(),
      reference.map(([path, text]) => [path, holesIn(text)]).sort(),
    );
    for (const [path, text] of found) t.true(text.trim() === text && text !== '', path);
  });

test('German and French are not left in English', t => {
  const [inGerman, inFrench] = [new Map(wordsIn(german)), new Map(wordsIn(french))];
  const same = reference.filter(([path, text]) => [inGerman.get(path), inFrench.get(path)].includes(text));
  t.deepEqual(
    same.map(([path]) => path).sort(),
    [
      'badge.incident',
      'badge.name',
      'badge.under_maintenance',
      'components.incidents.one',
      'components.incidents.other',
      'incident.impact',
      'maintenance.kind',
    ].filter(path => same.some(([other]) => other === path)),
  );
});

test('French has a no-break space before double punctuation', t => {
  for (const [path, text] of wordsIn(french)) t.notRegex(text, /[^\u00a0\u202f][:;?!]( |$)/, path);
});

/** Names of formats are the same in every language; the last two are for machines. */
const names = new Set([
  'RSS',
  'Atom',
  'JSON',
  '{name} (RSS)',
  '{name} (Atom)',
  'light dark',
  'M{left} {round}v{round}',
]);
const rendering = [
  ...sourcesOf('control-plane/publishing/status-pages/render').filter(({ path }) => !/-rules\.ts$/.test(path)),
  ...sourcesOf('control-plane/publishing/subscribers').filter(({ path }) => path.endsWith('/public-routes.ts')),
];

test('no fixed word of a page is outside of the dictionary', t => {
  t.true(rendering.length > 15);
  const outside = rendering.flatMap(source =>
    textsOf(source)
      .filter(text => !names.has(text))
      .map(text => `${source.path}: ${text}`),
  );
  t.deepEqual(outside, []);
});
