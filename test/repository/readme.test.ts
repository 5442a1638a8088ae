import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import packageJson from '../../package.json' with { type: 'json' };
import { top } from './sources.ts';

const skipped = new Set(['node_modules', '.git', 'artifacts']);

function readmes(folder = ''): string[] {
  return readdirSync(join(top, folder), { withFileTypes: true }).flatMap(entry => {
    if (skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? readmes(path) : entry.name.endsWith('.md') ? [path] : [];
  });
}

for (const path of readmes()) {
  test(`every path named in ${path} exists`, t => {
    const text = readFileSync(join(top, path), 'utf8');
    const folder = path.split('/').slice(0, -1).join('/');
    const named = [...text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+(?:\.(?:ts|sql|json|md)|\/))`/g)].map(
      match => match[1] ?? '',
    );
    const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(match => match[1] ?? '');
    const paths = [...named, ...linked].filter(
      name => !/^((local|secrets|credentials|embedded|sample)\.json|(logs|agents|postgres|server)\/)$/.test(name),
    );
    const missing = paths.filter(name => !existsSync(join(top, folder, name)) && !existsSync(join(top, name)));
    t.deepEqual(missing, []);
  });
}

test('the README names a reason for every dependency, and its commands exist', t => {
  const text = readFileSync(join(top, 'README.md'), 'utf8');
  t.deepEqual(
    Object.keys(packageJson.dependencies).filter(name => !text.includes(`\`${name}\``)),
    [],
  );
  const scripts = [...text.matchAll(/npm run ([\w-]+)/g)].map(match => match[1] ?? '');
  t.deepEqual(
    scripts.filter(name => !(name in packageJson.scripts)),
    [],
  );
});

test('the README’s samples create what a later call is to show', t => {
  const text = readFileSync(join(top, 'README.md'), 'utf8');
  const at = (call: string) => {
    t.true(text.includes(call), call);
    return text.indexOf(call);
  };
  t.true(
    at('/v0/status-pages/$PAGE/subscribers -d') < at('/v0/alerts/$ALERT/promote -d'),
    'deliveries need a subscriber',
  );
  t.true(at('/v0/releases -d') < at('/v0/events -d'), 'events count for the release before them');
});

test('every variable a program reads is in a README', t => {
  const text = readmes()
    .map(path => readFileSync(join(top, path), 'utf8'))
    .join('\n');
  const readers = ['agent/config.ts', 'control-plane/config.ts', 'deploy/local/config.ts']
    .map(path => readFileSync(join(top, path), 'utf8'))
    .join('\n');
  const variables = new Set([...readers.matchAll(/reader\.\w+\(\s*'([A-Z_]+)'/g)].map(match => match[1] ?? ''));
  t.true(variables.size > 10);
  t.deepEqual(
    [...variables].filter(name => !text.includes(`\`${name}\``)),
    [],
  );
});
