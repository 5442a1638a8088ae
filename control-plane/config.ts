import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Env, EnvReader } from '#shared/env.ts';
import { type AddressPolicy, type AddressRange, addressPolicies, parseRange } from '#shared/network/guard.ts';
import { parseServer } from '#shared/network/resolver.ts';
import type { Edition } from './db/edition.ts';
import { stateFolder } from './db/embedded/state-folder.ts';

/** All settings of the control plane; the README's table says what each is for. */
export type ControlPlaneConfig = Readonly<{
  databaseUrl: string;
  storage: 'auto' | Edition;
  host: string;
  port: number;
  publicUrl: string;
  secretsKeys: readonly string[];
  metricsToken: string | null;
  rateLimitPerMinute: number;
  rateLimitBurst: number;
  /** Proxies whose word on a caller's address counts. */
  trustedProxies: readonly AddressRange[];
  /** What requests on a customer's behalf may reach. */
  outboundPolicy: AddressPolicy;
  dnsServers: readonly string[];
  smtpUrl: string | null;
  /** Sender of all mails, an address alone. */
  mailFrom: string;
  slackApiUrl: string;
  sweepHoldSeconds: number;
  /** Folder of the published status pages on this machine; null keeps them in memory and table only. */
  pagesDir: string | null;
  stopWithStdin: boolean;
  logLevel: string;
}>;

/** Reads and checks the environment once. Throws ConfigError with every fault. */
export function readConfig(env: Env): ControlPlaneConfig {
  const reader = new EnvReader(env);
  const port = reader.integer('PORT', 8080, 0, 65_535);
  const publicUrl = reader.url('PUBLIC_URL', `http://localhost:${port}`, ['http:', 'https:']).replace(/\/+$/, '');
  const config: ControlPlaneConfig = Object.freeze({
    databaseUrl: reader.required('DATABASE_URL', 'a postgres:// address'),
    storage: reader.oneOf('STORAGE', ['auto', 'plain', 'apache', 'community'] as const, 'auto'),
    host: reader.text('HOST', '127.0.0.1'),
    port,
    publicUrl,
    secretsKeys: Object.freeze(reader.list('SECRETS_KEYS')),
    metricsToken: reader.optional('METRICS_TOKEN'),
    rateLimitPerMinute: reader.integer('RATE_LIMIT_PER_MINUTE', 600, 1, 10_000_000),
    rateLimitBurst: reader.integer('RATE_LIMIT_BURST', 100, 1, 10_000_000),
    trustedProxies: Object.freeze(reader.listOf('TRUSTED_PROXIES', parseRange, 'no range such as 10.0.0.0/8')),
    outboundPolicy: Object.freeze({
      base: reader.oneOf('OUTBOUND_ADDRESS_POLICY', addressPolicies, 'public'),
      allow: Object.freeze(reader.listOf('OUTBOUND_ADDRESS_ALLOW', parseRange, 'no range such as 10.0.0.0/8')),
    }),
    dnsServers: Object.freeze(reader.listOf('DNS_SERVERS', parseServer, 'no address')),
    smtpUrl: readSmtpUrl(reader),
    mailFrom: readMailFrom(reader, new URL(publicUrl).hostname),
    slackApiUrl: reader.url('SLACK_API_URL', 'https://slack.com/api', ['http:', 'https:']).replace(/\/+$/, ''),
    sweepHoldSeconds: reader.integer('SWEEP_HOLD_SECONDS', 30, 0, 600),
    pagesDir: reader.text('PAGES_DIR', join(stateFolder(env), 'pages')),
    stopWithStdin: reader.flag('STOP_WITH_STDIN', false),
    logLevel: reader.oneOf(
      'LOG_LEVEL',
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const,
      'info',
    ),
  });
  if (config.secretsKeys.length === 0)
    reader.fault('SECRETS_KEYS is not set: make a key with `openssl rand -base64 32`');
  reader.check();
  return config;
}

/** smtp:// or smtps://, with user and password in it. The fault does not repeat it. */
function readSmtpUrl(reader: EnvReader): string | null {
  const url = reader.optional('SMTP_URL');
  if (url !== null && !(URL.canParse(url) && /^smtps?:$/.test(new URL(url).protocol)))
    reader.fault('SMTP_URL must be a URL such as smtps://user:password@mail.example.com');
  return url;
}

/** An address alone: the name beside it is the page's. */
function readMailFrom(reader: EnvReader, host: string): string {
  const address = reader.text('MAIL_FROM', `notifications@${host}`);
  if (!/^[^\s<>@,;:"()[\]]+@[^\s<>@,;:"()]+$/.test(address))
    reader.fault('MAIL_FROM must be an address such as status@example.com');
  return address;
}

/** The configuration as it may be printed. */
export function redactConfig(config: ControlPlaneConfig): Record<string, unknown> {
  const url = new URL(config.databaseUrl);
  return {
    ...config,
    databaseUrl: `${url.protocol}//${url.host}${url.pathname}`,
    secretsKeys: `${config.secretsKeys.length} keys`,
    smtpUrl: config.smtpUrl === null ? null : new URL(config.smtpUrl).host,
    metricsToken: config.metricsToken === null ? null : '[redacted]',
  };
}

/** What the admin command needs: from the environment, or from the files that `npm start` leaves in DATA_DIR. */
export function readAdminConfig(env: Env): { databaseUrl: string; secretsKeys: readonly string[] } {
  const reader = new EnvReader(env);
  const folder = reader.text('DATA_DIR', stateFolder(env));
  const databaseUrl = reader.optional('DATABASE_URL') ?? readField(join(folder, 'local.json'), 'database_url');
  if (databaseUrl === null) {
    throw new ConfigError(
      'DATABASE_URL is not set, and no local installation was found: run `npm start` first, or set DATABASE_URL or DATA_DIR',
    );
  }
  const given = reader.list('SECRETS_KEYS');
  const kept = given.length > 0 ? null : readField(join(folder, 'secrets.json'), 'secrets_keys');
  return { databaseUrl, secretsKeys: kept === null ? given : [kept] };
}

function readField(path: string, name: string): string | null {
  try {
    const value = (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
