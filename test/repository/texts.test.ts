import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { top } from './sources.ts';
import { listTexts, textsOf, textsPath } from './texts.ts';

test('the list of all texts that people read is the one in the code', t => {
  const [listed, found] = [readFileSync(join(top, textsPath), 'utf8'), listTexts()];
  if (listed === found) return t.pass();
  const [before, after] = [linesOf(listed), linesOf(found)];
  t.fail(
    [
      `${textsPath} differs from the code. Read the new texts aloud, then run \`npm run texts\`.`,
      ...before.filter(line => !after.includes(line)).map(line => `- ${line}`),
      ...after.filter(line => !before.includes(line)).map(line => `+ ${line}`),
    ].join('\n'),
  );
});

const cases: readonly [title: string, code: string, texts: readonly string[]][] = [
  ['a sentence', "const line = 'the database is ready';", ['the database is ready']],
  ['holes by their names', `say(\`port \${options.port} is in use\`);`, ['port {port} is in use']],
  [
    'a sum of strings as one text',
    "const line = 'set DATABASE_URL to ' + url + ' and retry';",
    ['set DATABASE_URL to {url} and retry'],
  ],
  ['single words where people read them', "element('dt', { class: 'a b c' }, 'Slot')", ['Slot']],
  ['markup without its tags', 'html`<p class="one two">Read <b>this</b> now</p>`', ['Read this now']],
  ['readable attributes', 'html`<img alt="A red dot" src="dot one.svg">`', ['A red dot']],
  ['no SQL', `sql.rows\`select id from monitors where name = \${name}\``, []],
  [
    'no name of a class, no key, no comparison',
    "const x = { class: 'card wide open', 'a key of words': text === 'some more words' };",
    [],
  ],
];

for (const [title, code, texts] of cases)
  test(`the list holds ${title}`, t => {
    t.deepEqual(textsOf({ path: 'case.js', text: code, imports: [] }), texts);
  });

/** Each text with its file, since several files may have the same. */
function linesOf(list: string): string[] {
  let path = '';
  return list.split('\n').flatMap(line => {
    if (/^\S/.test(line)) path = line;
    return line.startsWith('  ') ? [`${path}: ${line.trim()}`] : [];
  });
}
