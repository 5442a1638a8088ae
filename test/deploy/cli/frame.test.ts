import { readFileSync } from 'node:fs';
import test from 'ava';
import fc from 'fast-check';
import { commands, nouns } from '#deploy/cli/commands.ts';
import { parseEnvFile } from '#deploy/cli/configuration/env-file.ts';
import { commonFlags } from '#deploy/cli/frame/command.ts';
import { completionOf, shells } from '#deploy/cli/frame/completion.ts';
import { helpOf, overview } from '#deploy/cli/frame/help.ts';
import { nearest } from '#deploy/cli/frame/nearest.ts';
import { pageOf } from '#deploy/cli/frame/page.ts';
import { plainLine, renderTable } from '#deploy/cli/frame/table.ts';
import { cut, painter, visible, widthOf } from '#deploy/cli/frame/text.ts';
import { anyText } from '#test/support/any-text.ts';

test('help fits a screen of 80 columns: 24 lines for the overview, 40 for a command', t => {
  const texts = [['overview', overview(commands, nouns), 30] as const, ...commands.map(helped)];
  for (const [name, text, most] of texts) {
    const lines = text.split('\n');
    t.true(lines.length <= most, `${name} has ${lines.length} lines`);
    for (const line of lines) t.true(widthOf(line) <= 80, line);
  }
  function helped(command: (typeof commands)[number]) {
    return [command.name, helpOf(command), 40] as const;
  }
});

test('each command has its own name, and no flag twice', t => {
  t.is(new Set(commands.map(({ name }) => name)).size, commands.length);
  for (const { name, flags = [] } of commands) {
    const all = [...flags, ...commonFlags];
    t.is(new Set(all.map(flag => flag.name)).size, all.length, name);
    const shorts = all.flatMap(({ short }) => short ?? []);
    t.is(new Set(shorts).size, shorts.length, name);
    t.false(
      flags.some(flag => /token|password/.test(flag.name) && flag.value !== undefined),
      'no flag takes a token',
    );
  }
});

test('completion names each command and flag', t => {
  for (const shell of shells) {
    const script = completionOf(shell, commands);
    for (const { name, flags = [] } of commands)
      for (const word of [...name.split(' '), ...flags.map(flag => flag.name)]) t.true(script.includes(word), word);
  }
});

test('a table fits the width, whatever is in it', t => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 }),
      fc.integer({ min: 30, max: 200 }),
      (rows, width) => {
        const lines = renderTable(['A', 'B', 'C'], rows, width, painter(false));
        t.is(lines.length, rows.length + 1);
        for (const line of lines) t.true(widthOf(line) <= width, line);
      },
    ),
  );
  t.is(cut('abcdef', 4), 'abc…');
  t.is(widthOf('日本'), 4);
});

test('no control character reaches a terminal', t => {
  t.is(visible('a\u001b[2Jb\u202e'), 'a\\u001b[2Jb\\u202e');
  t.is(plainLine(['a\tb', 'c\nd']), 'a\\u0009b\tc\\u000ad');
  t.is(visible('\u001b[31mred\u001b[39m\u001b[2J', true), '\u001b[31mred\u001b[39m\\u001b[2J');
  fc.assert(fc.property(anyText(), text => !/[\p{Cc}]/u.test(visible(text))));
});

test('the nearest name is what was probably meant', t => {
  t.is(nearest('moniters', ['monitors', 'alerts']), 'monitors');
  t.is(nearest('plna', ['plan', 'apply']), 'plan');
  t.is(nearest('xyz', ['plan', 'apply']), null);
});

test('environment files are read as a shell would, without expanding', t => {
  const text = `
# a comment
A=plain
export B='two words' # why
C="a \\"b\\" $HOME"
D='it'\\''s'
E="two
lines"
F=
`;
  t.deepEqual(parseEnvFile(text, 'f.env'), {
    A: 'plain',
    B: 'two words',
    C: 'a "b" $HOME',
    D: "it's",
    E: 'two\nlines',
    F: '',
  });
  t.throws(() => parseEnvFile('A=1\n\nB=two words\n', 'f.env'), { message: 'f.env:3 is not NAME=value' });
  t.throws(() => parseEnvFile("A='open\n", 'f.env'), { message: 'f.env:1 is not NAME=value' });
});

test('the docs have the commands as they are', t => {
  const page = readFileSync(new URL('../../../docs/command-line.md', import.meta.url), 'utf8');
  t.true(page.includes(pageOf(commands)), 'run `npm run cli-page`');
});
