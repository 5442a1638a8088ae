import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readAdminConfig, readConfig, redactConfig } from '#control-plane/config.ts';
import { ConfigError, type Env } from '#shared/env.ts';
import { isAllowed } from '#shared/network/guard.ts';

const keys = [Buffer.alloc(32, 1).toString('base64'), 'ab'.repeat(32)];
const required = {
  DATABASE_URL: 'postgres://upquorum:hunter2@db.example:5432/upquorum',
  SECRETS_KEYS: keys.join(),
};

test('with the required variables alone everything else has its default', t => {
  t.like(readConfig(required), {
    storage: 'auto',
    host: '127.0.0.1',
    port: 8080,
    publicUrl: 'http://localhost:8080',
    secretsKeys: keys,
    metricsToken: null,
    rateLimitPerMinute: 600,
    rateLimitBurst: 100,
    sessionHours: 12,
    trustedProxies: [],
    outboundPolicy: { base: 'public', allow: [], deny: [] },
    smtpUrl: null,
    mailFrom: 'notifications@localhost',
    slackApiUrl: 'https://slack.com/api',
    sweepHoldSeconds: 30,
    stopWithStdin: false,
    logLevel: 'info',
  });
});

const settings: readonly [env: Env, expected: object][] = [
  [{ PORT: '9000' }, { port: 9000, publicUrl: 'http://localhost:9000' }],
  [{ PUBLIC_URL: 'https://up.example/' }, { publicUrl: 'https://up.example', mailFrom: 'notifications@up.example' }],
  [{ SLACK_API_URL: 'http://slack.example/api//' }, { slackApiUrl: 'http://slack.example/api' }],
  [{ MAIL_FROM: 'status@example.com' }, { mailFrom: 'status@example.com' }],
  [{ SMTP_URL: 'smtps://u:p@mail.example' }, { smtpUrl: 'smtps://u:p@mail.example' }],
  [{ STOP_WITH_STDIN: '1' }, { stopWithStdin: true }],
  [{ PAGES_DIR: '/srv/pages' }, { pagesDir: '/srv/pages' }],
  [{ METRICS_TOKEN: '  ' }, { metricsToken: null }],
  [{ OUTBOUND_ADDRESS_POLICY: 'loopback' }, { outboundPolicy: { base: 'loopback', allow: [] } }],
];

for (const [env, expected] of settings)
  test(`${JSON.stringify(env)} is read as ${JSON.stringify(expected)}`, t => {
    t.like(readConfig({ ...required, ...env }), expected);
  });

const dkim = { MAIL_DKIM_DOMAIN: 'example.com', MAIL_DKIM_SELECTOR: 's1', MAIL_DKIM_KEY_FILE: '/nowhere.pem' };

const faults: readonly [env: Env, fault: RegExp][] = [
  [{ DATABASE_URL: undefined }, /DATABASE_URL is not set/],
  [{ SECRETS_KEYS: ' , ' }, /SECRETS_KEYS is not set: create a key/],
  [{ SECRETS_KEYS: `${keys[0]},hunter2` }, /^each key in SECRETS_KEYS must be 32 bytes in base64 or hex$/],
  [{ SESSION_HOURS: '0' }, /SESSION_HOURS must be a whole number from 1 to 720/],
  [{ PORT: '70000' }, /PORT must be a whole number from 0 to 65535/],
  [{ STORAGE: 'sqlite' }, /STORAGE must be one of auto, plain, apache, community/],
  [{ PUBLIC_URL: 'ftp://up.example' }, /PUBLIC_URL must be a URL/],
  [{ PUBLIC_URL: 'https://up.example/monitoring' }, /PUBLIC_URL must be scheme, host and port only: below a path/],
  [{ PUBLIC_URL: 'https://up.example/?a=1' }, /PUBLIC_URL must be scheme, host and port only/],
  [{ PUBLIC_URL: 'https://up.example/#a' }, /PUBLIC_URL must be scheme, host and port only/],
  [{ PUBLIC_URL: 'https://me:secret@up.example' }, /^PUBLIC_URL must be scheme[^@]*$/],
  [{ TRUSTED_PROXIES: '10.0.0.0/8, proxy' }, /TRUSTED_PROXIES .*"proxy".* range/],
  [{ OUTBOUND_ADDRESS_DENY: '10.0.0.0/99' }, /OUTBOUND_ADDRESS_DENY .*"10\.0\.0\.0\/99"/],
  [{ OUTBOUND_ADDRESS_ALLOW: '10.0.0.0/99' }, /OUTBOUND_ADDRESS_ALLOW .*"10\.0\.0\.0\/99"/],
  [{ DNS_SERVERS: 'nowhere' }, /DNS_SERVERS .*"nowhere".* address/],
  [{ SMTP_URL: 'https://mail.example' }, /SMTP_URL must be a URL such as smtps:/],
  [{ MAIL_FROM: 'Acme <status@example.com>' }, /MAIL_FROM must be an address/],
  [
    { MAIL_DKIM_DOMAIN: 'example.com' },
    /MAIL_DKIM_DOMAIN, MAIL_DKIM_SELECTOR, MAIL_DKIM_KEY_FILE must be set together/,
  ],
  [{ ...dkim, MAIL_DKIM_DOMAIN: 'a b' }, /MAIL_DKIM_DOMAIN must be a domain/],
  [{ ...dkim, MAIL_DKIM_SELECTOR: 's;' }, /MAIL_DKIM_SELECTOR must be a DNS name/],
  [dkim, /MAIL_DKIM_KEY_FILE must be a readable file with an RSA private key in PEM/],
  [{ SWEEP_HOLD_SECONDS: '-1' }, /SWEEP_HOLD_SECONDS must be a whole number from 0 to 600/],
  [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL must be one of/],
];

for (const [env, fault] of faults)
  test(`${JSON.stringify(env)} is refused by name`, t => {
    t.throws(() => readConfig({ ...required, ...env }), { instanceOf: ConfigError, message: fault });
  });

test('webhooks reach no range of OUTBOUND_ADDRESS_DENY, whatever the others say', t => {
  const ranges = { OUTBOUND_ADDRESS_ALLOW: '203.0.114.0/24', OUTBOUND_ADDRESS_DENY: '203.0.114.8/29, 8.8.8.8' };
  const { outboundPolicy } = readConfig({ ...required, ...ranges });
  t.true(isAllowed('203.0.114.7', outboundPolicy));
  for (const address of ['203.0.114.8', '8.8.8.8']) t.false(isAllowed(address, outboundPolicy), address);
});

test('all faults are reported at once', t => {
  for (const SECRETS_KEYS of ['', 'short']) {
    const message = t.throws(() => readConfig({ PORT: 'x', MAIL_FROM: 'x', SECRETS_KEYS }))?.message ?? '';
    for (const name of ['DATABASE_URL', 'SECRETS_KEYS', 'PORT', 'MAIL_FROM']) t.true(message.includes(name), name);
  }
});

test('a DATABASE_URL that cannot be read is named without its content', t => {
  for (const url of [
    'postgres://u:hunter2@:99999/db',
    'mysql://u:hunter2@h/db',
    'hunter2',
    'postgres://u:hunter2@[/',
  ]) {
    const message = t.throws(() => readConfig({ ...required, DATABASE_URL: url }))?.message ?? '';
    t.regex(message, /DATABASE_URL must be a URL such as/);
    t.false(message.includes('hunter2'), url);
  }
});

test('a fault of SMTP_URL does not repeat the password', t => {
  const message = t.throws(() => readConfig({ ...required, SMTP_URL: 'http://u:hunter3@mail' }))?.message ?? '';
  t.false(message.includes('hunter3'));
});

test('the printed configuration holds no secret', t => {
  const env = {
    ...required,
    SMTP_URL: 'smtp://u:hunter3@mail.example',
    METRICS_TOKEN: 'scrape',
  };
  const printed = JSON.stringify(redactConfig(readConfig(env)));
  for (const secret of ['hunter2', 'hunter3', ...keys, 'scrape']) t.false(printed.includes(secret), secret);
  t.true(printed.includes('postgres://db.example:5432/upquorum'));
});

test('the admin command reads the environment first, then the files of npm start', t => {
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-config-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  t.throws(() => readAdminConfig({ DATA_DIR: folder }), { instanceOf: ConfigError, message: /npm start/ });
  writeFileSync(join(folder, 'local.json'), '{"database_url":"postgres://local"}');
  t.like(readAdminConfig({ DATA_DIR: folder }), { databaseUrl: 'postgres://local', secretsKeys: [], dataDir: null });
  writeFileSync(join(folder, 'secrets.json'), '{"secrets_keys":"stored"}');
  t.like(readAdminConfig({ DATA_DIR: folder }), { databaseUrl: 'postgres://local', secretsKeys: ['stored'] });
  const given = { DATA_DIR: folder, DATABASE_URL: 'postgres://given', SECRETS_KEYS: 'a,b' };
  t.like(readAdminConfig(given), { databaseUrl: 'postgres://given', secretsKeys: ['a', 'b'] });
  const malformed = { DATA_DIR: folder, DATABASE_URL: 'postgres://u:hunter2/pw@host/db' };
  const error = t.throws(() => readAdminConfig(malformed), { instanceOf: ConfigError, message: /^DATABASE_URL must/ });
  t.false(error?.message.includes('hunter2'));
  writeFileSync(join(folder, 'embedded.json'), '{"password":"p"}');
  t.is(readAdminConfig({ DATA_DIR: folder }).dataDir, folder);
});

test('a DKIM key is read, and never printed', t => {
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-test-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'dkim.pem');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const config = readConfig({ ...required, ...dkim, MAIL_DKIM_KEY_FILE: file });
  t.like(config.dkim, { domain: 'example.com', selector: 's1' });
  t.is(redactConfig(config).dkim, 's1._domainkey.example.com');
  t.false(JSON.stringify(redactConfig(config)).includes('PRIVATE KEY'));
});
