import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import packageJson from '../../package.json' with { type: 'json' };
import { top } from '../repository/sources.ts';

const folders = ['compose', 'helm', 'images', 'kubernetes', 'systemd', 'package/debian'];
const files = folders.flatMap(folder =>
  readdirSync(join(top, 'deploy', folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.ts'))
    .map(entry => {
      const path = join(entry.parentPath, entry.name);
      return { path: path.slice(top.length), text: readFileSync(path, 'utf8') };
    }),
);

/** Variables of others: the shell, Compose and its secrets.ts, images, and those that only interpolate. */
const foreign = new Set([
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'POD_NAME', 'POSTGRES_PASSWORD_FILE', 'DOMAIN', 'RELEASE'],
  ...['SECRET', 'DATABASE_USER_ID'],
]);

test('manifests set only variables that a program reads', t => {
  const readers = [
    'agent/config.ts',
    'control-plane/config.ts',
    'control-plane/access/oidc/settings.ts',
    'control-plane/delivery/transports/email/settings.ts',
    'control-plane/operations/setup/first-setup.ts',
  ]
    .map(path => readFileSync(join(top, path), 'utf8'))
    .join('\n');
  const known = new Set([...readers.matchAll(/'([A-Z][A-Z_]+)'/g)].map(match => match[1] ?? ''));
  const set = files.flatMap(({ path, text }) =>
    [...text.matchAll(/^ {4,8}([A-Z][A-Z_]+):|name: ([A-Z][A-Z_]+),|^Environment=([A-Z_]+)=|^#?([A-Z][A-Z_]+)=/gm)]
      .map(match => match.slice(1).find(name => name !== undefined) ?? '')
      .filter(name => !known.has(name) && !foreign.has(name))
      .map(name => `${path} sets ${name}`),
  );
  t.deepEqual(set, []);
  t.true(known.has('AGENT_SECRET_FILE') && known.has('FIRST_TOKEN'));
});

test('charts have the version of the programs', t => {
  const charts = files.filter(({ path }) => path.endsWith('Chart.yaml'));
  t.is(charts.length, 2);
  for (const { path, text } of charts) {
    t.is(/^version: (.*)$/m.exec(text)?.[1], packageJson.version, path);
    t.is(/^appVersion: (.*)$/m.exec(text)?.[1], packageJson.version, path);
  }
});

test('containers run without an account, without rights and on a file system they cannot write', t => {
  for (const { path, text } of files.filter(file => file.path.endsWith('.Dockerfile'))) {
    t.regex(text, /^USER 10001:10001$/m, path);
    t.regex(text, /^HEALTHCHECK /m, path);
    const last = text.slice(text.lastIndexOf('\nFROM'));
    t.notRegex(last, /^RUN /m, `${path} runs something in its final stage, which another architecture could not`);
  }
  for (const { path, text } of files.filter(file =>
    /(helm\/.*\/(control-plane|agent)|kubernetes\/\w+)\.yaml$/.test(file.path),
  )) {
    t.regex(text, /readOnlyRootFilesystem: true/, path);
    t.regex(text, /runAsNonRoot: true/, path);
    t.regex(text, /capabilities: \{ drop: \[ALL\] \}/, path);
  }
});

test('both systemd units are closed alike', t => {
  const sandbox = (name: string) => {
    const text = readFileSync(join(top, 'deploy/systemd', name), 'utf8');
    return text.slice(text.indexOf('NoNewPrivileges'), text.indexOf('[Install]'));
  };
  t.true(sandbox('upquorum.service').length > 500);
  t.is(sandbox('upquorum.service'), sandbox('upquorum-agent.service'));
});

test('no command of ours has a secret among its arguments', t => {
  const guides = ['docs/deployment.md', 'docs/backup.md'].map(path => ({
    path,
    text: readFileSync(join(top, path), 'utf8'),
  }));
  for (const { path, text } of [...files, ...guides])
    t.notRegex(text, /--from-literal|--set password|psql -c .*password|-W |PGPASSWORD=/, path);
});

test('the file with the master secret is neither committed nor in an image', t => {
  const rules = (name: string) => readFileSync(join(top, name), 'utf8').trim().split('\n');
  t.true(rules('.gitignore').includes('.env'));
  const sent = rules('.dockerignore');
  t.true(sent.indexOf('**/.env') > sent.findLastIndex(rule => rule.startsWith('!')), 'a later rule brings it back');
  for (const { path, text } of files.filter(file => file.path.endsWith('.Dockerfile')))
    for (const [, source] of text.slice(text.lastIndexOf('\nFROM')).matchAll(/^COPY (?!--from=)(\S+)/gm))
      t.fail(`${path} copies ${source} into its final stage`);
  const installed = files.find(({ path }) => path.endsWith('control-plane.Dockerfile'))?.text ?? '';
  t.deepEqual(installed.match(/^COPY .*\bdeploy\b.*$/gm), [
    'COPY deploy/cli deploy/cli',
    'COPY deploy/compose/secrets.ts deploy/compose/secrets.ts',
  ]);
});

test('status pages are served while the database is away, and agents are not sent to who cannot store', t => {
  for (const path of ['compose/Caddyfile', 'proxy/Caddyfile']) {
    const text = readFileSync(join(top, 'deploy', path), 'utf8');
    const checks = [...text.matchAll(/^\t+handle (@agents )?\{|health_uri (\S+)$/gm)].map(
      match => match[2] ?? (match[1] === undefined ? 'site' : 'agents'),
    );
    t.deepEqual(checks, ['agents', '/readyz', 'site', '/healthz'], path);
  }
  const chart = readFileSync(join(top, 'deploy/helm/upquorum/templates/control-plane.yaml'), 'utf8');
  t.regex(chart, /startupProbe: \{ httpGet: \{ path: \/readyz,/);
  t.regex(chart, /readinessProbe: .* \{\{ include "upquorum.readiness" \(list \$role \$settings\) \}\},/);
});
