import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Env, EnvReader } from '#shared/env.ts';
import { type AddressPolicy, type AddressRange, addressPolicies, parseRange } from '#shared/network/guard.ts';
import { parseServer } from '#shared/network/name-servers.ts';
import { watchOwnAddresses } from '#shared/network/own-addresses.ts';
import { stateFolder } from '#shared/state-folder.ts';
import { readSignInOrFault, readSignInSettings, type SignInSettings } from './access/oidc/settings.ts';
import { type Dkim, readDkim, readMailFrom, readSmtpUrl } from './delivery/transports/email/settings.ts';
import { type AdminConfig, defaultUrl } from './operations/admin/services.ts';
import { type NatsSettings, readNatsSettings, redactNats } from './operations/intake/settings.ts';
import { type FirstSetup, readFirstSetup } from './operations/setup/first-setup.ts';
import { parseDatabaseUrl } from './platform/db/database-url.ts';
import { isSecretKey, keyFault } from './platform/secrets/keyring.ts';

/**
 * What a process of the control plane does: a gateway holds agents' sockets, records and judges; a front serves the
 * API, events, pages and the dashboard; a worker dispatches facts, publishes, delivers, rolls up and cleans up.
 */
const roles = ['gateway', 'front', 'worker'] as const;
const storages = ['auto', 'plain', 'apache', 'community'] as const;
export type Role = (typeof roles)[number];

/** The settings of the control plane. docs/settings.md describes each. */
export type ControlPlaneConfig = Readonly<{
  databaseUrl: string;
  /** Starts although the database's role bypasses row-level security. */
  allowSuperuser: boolean;
  storage: (typeof storages)[number];
  /** What this process does; at least one. */
  roles: readonly Role[];
  host: string;
  port: number;
  publicUrl: string;
  secretsKeys: readonly string[];
  metricsToken: string | null;
  rateLimitPerMinute: number;
  rateLimitBurst: number;
  /** How long a session of the dashboard lasts. */
  sessionHours: number;
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly AddressRange[];
  /** The addresses that webhooks and Slack calls may reach. */
  outboundPolicy: AddressPolicy;
  dnsServers: readonly string[];
  /** Null: emails are held and shown as not sent. */
  smtpUrl: string | null;
  /** The sender of all emails: an address without a name. */
  mailFrom: string;
  /** The key that signs emails; null leaves it to the SMTP server. */
  dkim: Dkim | null;
  signIn: SignInSettings;
  slackApiUrl: string;
  rdapBootstrapUrl: string | null;
  /** Base addresses that stand in for those of the services, in every region; null: their own. */
  pagerdutyApiUrl: string | null;
  opsgenieApiUrl: string | null;
  telegramApiUrl: string;
  /** Domains whose email addresses get alerts without confirming. */
  channelMailDomains: readonly string[];
  sweepHoldSeconds: number;
  /** How long entries of the audit are kept. */
  auditDays: number;
  /** The project that hears of regions and agents that all share; null: the log and the metrics do. */
  operatorProject: string | null;
  /** Folder for published status pages; null keeps them in memory and in the database only. */
  pagesDir: string | null;
  stopWithStdin: boolean;
  logLevel: string;
  /** What takes in results and events: NATS JetStream, or, if null, PostgreSQL itself. */
  nats: NatsSettings | null;
  /** What a new installation starts with; null leaves that to the admin command. */
  firstSetup: FirstSetup | null;
}>;

/** Reads and checks the environment once. Throws a ConfigError that lists every fault. */
export function readConfig(env: Env): ControlPlaneConfig {
  const reader = new EnvReader(env);
  const port = reader.integer('PORT', 8080, 0, 65_535);
  const publicUrl = reader.origin('PUBLIC_URL', `http://localhost:${port}`);
  const config: ControlPlaneConfig = Object.freeze({
    databaseUrl: readDatabaseUrl(reader),
    allowSuperuser: reader.flag('ALLOW_SUPERUSER', false),
    storage: reader.oneOf('STORAGE', storages, 'auto'),
    roles: readRoles(reader),
    host: reader.text('HOST', '127.0.0.1'),
    port,
    publicUrl,
    secretsKeys: readSecretsKeys(reader),
    metricsToken: reader.optional('METRICS_TOKEN'),
    rateLimitPerMinute: reader.integer('RATE_LIMIT_PER_MINUTE', 600, 1, 10_000_000),
    rateLimitBurst: reader.integer('RATE_LIMIT_BURST', 100, 1, 10_000_000),
    sessionHours: reader.integer('SESSION_HOURS', 12, 1, 720),
    trustedProxies: Object.freeze(reader.listOf('TRUSTED_PROXIES', parseRange, 'not a range such as 10.0.0.0/8')),
    outboundPolicy: Object.freeze({
      base: reader.oneOf('OUTBOUND_ADDRESS_POLICY', addressPolicies, 'public'),
      allow: Object.freeze(reader.listOf('OUTBOUND_ADDRESS_ALLOW', parseRange, 'not a range such as 10.0.0.0/8')),
      deny: Object.freeze(reader.listOf('OUTBOUND_ADDRESS_DENY', parseRange, 'not a range such as 10.0.0.0/8')),
      ownAddresses: watchOwnAddresses(),
    }),
    dnsServers: Object.freeze(reader.listOf('DNS_SERVERS', parseServer, 'not an address')),
    smtpUrl: readSmtpUrl(reader),
    mailFrom: readMailFrom(reader, new URL(publicUrl).hostname),
    dkim: readDkim(reader),
    signIn: readSignInSettings(reader, publicUrl),
    slackApiUrl: reader.url('SLACK_API_URL', 'https://slack.com/api', ['http:', 'https:']).replace(/\/+$/, ''),
    rdapBootstrapUrl: reader.urlOrOff('RDAP_BOOTSTRAP_URL', 'https://data.iana.org/rdap/dns.json'),
    pagerdutyApiUrl: readBaseUrl(reader, 'PAGERDUTY_API_URL'),
    opsgenieApiUrl: readBaseUrl(reader, 'OPSGENIE_API_URL'),
    telegramApiUrl: reader.url('TELEGRAM_API_URL', 'https://api.telegram.org', ['http:', 'https:']).replace(/\/+$/, ''),
    channelMailDomains: Object.freeze(reader.listOf('CHANNEL_MAIL_DOMAINS', readDomain, 'not a domain')),
    sweepHoldSeconds: reader.integer('SWEEP_HOLD_SECONDS', 30, 0, 600),
    auditDays: reader.integer('AUDIT_DAYS', 400, 30, 3650),
    operatorProject: reader.optional('OPERATOR_PROJECT'),
    pagesDir: reader.text('PAGES_DIR', join(stateFolder(env), 'pages')),
    stopWithStdin: reader.flag('STOP_WITH_STDIN', false),
    logLevel: reader.oneOf(
      'LOG_LEVEL',
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const,
      'info',
    ),
    nats: readNatsSettings(reader),
    firstSetup: readFirstSetup(reader),
  });
  reader.check();
  return config;
}

/** A fault does not repeat the keys. */
function readSecretsKeys(reader: EnvReader): readonly string[] {
  const keys = reader.list('SECRETS_KEYS');
  if (keys.length === 0) reader.fault('SECRETS_KEYS is not set: create a key with `openssl rand -base64 32`');
  if (!keys.every(isSecretKey)) reader.fault(keyFault);
  return Object.freeze(keys);
}

/** What stands before a method's path; null leaves the service's own address. */
function readBaseUrl(reader: EnvReader, name: string): string | null {
  return reader.optional(name) === null ? null : reader.url(name, '', ['http:', 'https:']).replace(/\/+$/, '');
}

function readDomain(text: string): string | null {
  const domain = text.toLowerCase();
  return /^([a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/.test(domain) ? domain : null;
}

const urlFault =
  'DATABASE_URL must be a URL such as postgres://user:password@host/database ' +
  'or postgres:///database?host=/run/postgresql';

/** The fault does not repeat the URL, because it may hold a password. */
function readDatabaseUrl(reader: EnvReader): string {
  const url = reader.required('DATABASE_URL', 'a postgres:// URL');
  if (url !== '' && parseDatabaseUrl(url) === null) {
    reader.fault(urlFault);
  }
  return url;
}

/** All roles unless ROLES names some. */
function readRoles(reader: EnvReader): readonly Role[] {
  const isNot = `none of ${roles.join(', ')}`;
  const named = reader.listOf('ROLES', text => roles.find(role => role === text) ?? null, isNot);
  return Object.freeze(named.length === 0 ? [...roles] : roles.filter(role => named.includes(role)));
}

/** The configuration without secrets, for the log. */
export function redactConfig(config: ControlPlaneConfig): Record<string, unknown> {
  return {
    ...config,
    databaseUrl: parseDatabaseUrl(config.databaseUrl)?.place ?? null,
    secretsKeys: `${config.secretsKeys.length} keys`,
    smtpUrl: config.smtpUrl === null ? null : new URL(config.smtpUrl).host,
    dkim: config.dkim === null ? null : `${config.dkim.selector}._domainkey.${config.dkim.domain}`,
    metricsToken: config.metricsToken === null ? null : '[redacted]',
    nats: redactNats(config.nats),
    signIn: { ...config.signIn, oidc: config.signIn.oidc?.issuer ?? null },
    firstSetup: config.firstSetup === null ? null : config.firstSetup.project,
  };
}

/**
 * The settings of the admin command: from the environment, or from the files that `npm start` writes to DATA_DIR.
 * Throws ConfigError if there is no database in either.
 */
export function readAdminConfig(env: Env): AdminConfig {
  const reader = new EnvReader(env);
  const folder = reader.text('DATA_DIR', stateFolder(env));
  const databaseUrl = reader.optional('DATABASE_URL') ?? readField(join(folder, 'local.json'), 'database_url');
  if (databaseUrl !== null && parseDatabaseUrl(databaseUrl) === null) throw new ConfigError(urlFault);
  if (databaseUrl === null) {
    throw new ConfigError(
      'DATABASE_URL is not set and no local installation was found: ' +
        'run `npm start` first, or set DATABASE_URL or DATA_DIR',
    );
  }
  const given = reader.list('SECRETS_KEYS');
  const smtpUrl = readSmtpUrl(reader);
  reader.check();
  const stored = given.length > 0 ? null : readField(join(folder, 'secrets.json'), 'secrets_keys');
  const publicUrl = reader.optional('PUBLIC_URL') ?? readField(join(folder, 'local.json'), 'base_url');
  return {
    databaseUrl,
    secretsKeys: stored === null ? given : [stored],
    publicUrl,
    smtpUrl,
    signIn: readSignInOrFault(env, publicUrl ?? defaultUrl),
    dataDir: readField(join(folder, 'embedded.json'), 'password') === null ? null : folder,
  };
}

function readField(path: string, name: string): string | null {
  try {
    const value = (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
