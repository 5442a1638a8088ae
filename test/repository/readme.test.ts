import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { usage } from '#control-plane/operations/admin/command.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { documentAt, documents } from './documents.ts';
import { top } from './sources.ts';

for (const { path, text } of documents) {
  test(`every path named in ${path} exists`, t => {
    const folder = path.split('/').slice(0, -1).join('/');
    const named = [...text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+(?:\.(?:ts|sql|json|md)|\/))`/g)].map(
      match => match[1] ?? '',
    );
    const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(match => match[1] ?? '');
    const paths = [...named, ...linked].filter(
      name =>
        !/^((local|secrets|credentials|embedded|sample)\.json|(logs|agents|postgres|server|artifacts)\/)$/.test(name),
    );
    const missing = paths.filter(name => !existsSync(join(top, folder, name)) && !existsSync(join(top, name)));
    t.deepEqual(missing, []);
  });
}

test('no document keeps both sides of a merge', t => {
  const merged = documents.filter(({ text }) => /^(<{7}|>{7}) /m.test(text));
  t.deepEqual(
    merged.map(({ path }) => path),
    [],
  );
});

test('docs/dependencies.md names a reason for every dependency', t => {
  const { text } = documentAt('docs/dependencies.md');
  t.deepEqual(
    Object.keys(packageJson.dependencies).filter(name => !text.includes(`\`${name}\``)),
    [],
  );
});

test('every npm script that a document names exists', t => {
  const missing = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/npm run (?:--silent )?([\w-]*\w)/g)]
      .map(match => match[1] ?? '')
      .filter(name => !(name in packageJson.scripts))
      .map(name => `${path}: ${name}`),
  );
  t.deepEqual(missing, []);
});

test('docs/admin-commands.md names every admin command', t => {
  const { text } = documentAt('docs/admin-commands.md');
  const names = commandNames();
  t.true(names.length > 20);
  t.deepEqual(
    names.filter(name => !new RegExp(`\`${name}[ \`]`).test(text)),
    [],
  );
});

function commandNames(): string[] {
  return [...usage.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?)(?= |$)/gm)].map(match => match[1] ?? '');
}

test('samples create what a later call is to show', t => {
  const at = (path: string, call: string) => {
    const { text } = documentAt(path);
    t.true(text.includes(call), call);
    return text.indexOf(call);
  };
  t.true(
    at('docs/tutorial.md', '/v0/status-pages/$PAGE/subscribers -d') <
      at('docs/tutorial.md', '/v0/alerts/$ALERT/promote -d'),
    'deliveries need a subscriber',
  );
  t.true(
    at('docs/events.md', '/v0/releases -d') < at('docs/events.md', '/v0/events -d'),
    'a release before its events',
  );
});

test('the functions of the README and of the tutorial are the same', t => {
  const block = /LOCAL=.*?\nid\(\) .*?\n/s;
  t.is(block.exec(documentAt('docs/tutorial.md').text)?.[0], block.exec(documentAt('README.md').text)?.[0]);
});

test('every variable a program reads is in the settings or in the agent’s README', t => {
  const text = documentAt('docs/settings.md').text + documentAt('agent/README.md').text;
  const readers = [
    'agent/config.ts',
    'control-plane/config.ts',
    'control-plane/access/oidc/settings.ts',
    'control-plane/delivery/transports/email/settings.ts',
    'deploy/local/config.ts',
  ]
    .map(path => readFileSync(join(top, path), 'utf8'))
    .join('\n');
  const variables = new Set([...readers.matchAll(/reader\.\w+\(\s*'([A-Z_]+)'/g)].map(match => match[1] ?? ''));
  t.true(variables.size > 10);
  t.deepEqual(
    [...variables].filter(name => !text.includes(`\`${name}\``)),
    [],
  );
});
