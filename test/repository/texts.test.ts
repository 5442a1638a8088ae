import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { changedTexts, describeChange } from './changed-texts.ts';
import { textsOf } from './texts.ts';

test('the check shows which texts that people read have changed', t => {
  const change = changedTexts();
  t.log(describeChange(change));
  t.pass();
});

test('a changed text is shown, also before it is committed, and one that only moved is not', t => {
  const root = mkdtempSync(join(tmpdir(), 'texts-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  t.is(changedTexts(root), null);
  const git = (...command: string[]) => spawnSync('git', ['-C', root, ...command]).status;
  if (git('init', '--quiet', '--initial-branch=main') !== 0) return t.log('git is not installed');
  mkdirSync(join(root, 'shared'));
  const path = join(root, 'shared/a.ts');
  writeFileSync(path, "say('This text stays.');\nsay('This text goes.');\n");
  git('add', '.');
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  t.is(git(...author, 'commit', '--quiet', '--no-verify', '-m', 'a'), 0);
  renameSync(path, join(root, 'shared/b.ts'));
  writeFileSync(join(root, 'shared/b.ts'), "say('This text stays.');\nsay('This text comes.');\n");
  const change = changedTexts(root);
  t.deepEqual([change?.removed, change?.added], [['This text goes.'], ['This text comes.']]);
  t.regex(describeChange(change), /aloud:\n- This text goes\.\n\+ This text comes\.$/);
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
