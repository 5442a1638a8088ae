import { parseDatabaseUrl } from '#control-plane/platform/db/database-url.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { type Env, EnvReader } from '#shared/env.ts';
import { stateFolder } from '#shared/state-folder.ts';

/** Settings of `npm start`. */
export type LocalConfig = Readonly<{
  port: number;
  dataDir: string;
  databaseUrl: string | null;
  requireTimescale: boolean;
  /** The edition of storage to insist on. */
  storage: 'auto' | Edition;
  /** The public address; null for `http://localhost:PORT`. */
  publicUrl: string | null;
  /** Whether agents, webhooks and Slack may reach this machine itself: not once others can use it. */
  addressPolicy: 'loopback' | 'public';
  /** Passed through to the programs unchanged. */
  passedThrough: Env;
}>;

const passedThrough = [
  'PATH',
  'HOME',
  'LANG',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'PUBLIC_URL',
  'TRUSTED_PROXIES',
  'METRICS_TOKEN',
  'SECRETS_KEYS',
  'STORAGE',
  'LOG_LEVEL',
  'RATE_LIMIT_PER_MINUTE',
  'RATE_LIMIT_BURST',
  'ALLOW_SUPERUSER',
  'DNS_SERVERS',
  'DNS_CHECK_SERVERS',
  'PING_CONCURRENCY',
  'BIND_IPV4',
  'BIND_IPV6',
  'EXTRA_CA_FILE',
  'SMTP_URL',
  'MAIL_FROM',
  'MAIL_DKIM_DOMAIN',
  'MAIL_DKIM_SELECTOR',
  'MAIL_DKIM_KEY_FILE',
  'SLACK_API_URL',
  'RDAP_BOOTSTRAP_URL',
  'PAGERDUTY_API_URL',
  'OPSGENIE_API_URL',
  'TELEGRAM_API_URL',
  'CHANNEL_MAIL_DOMAINS',
  'OPERATOR_PROJECT',
  'AUDIT_DAYS',
  'SESSION_HOURS',
  'SIGN_IN_METHODS',
  'OPERATORS',
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_NAME',
  'OIDC_SCOPES',
  'OIDC_GROUPS_CLAIM',
  'OIDC_ALLOWED_DOMAINS',
  'OIDC_ALLOWED_GROUPS',
  'OIDC_TRUST_EMAIL',
  'OIDC_OPERATOR_GROUPS',
  'OUTBOUND_ADDRESS_POLICY',
  'OUTBOUND_ADDRESS_ALLOW',
  'OUTBOUND_ADDRESS_DENY',
  'ADDRESS_POLICY',
  'ADDRESS_ALLOW',
  'ADDRESS_DENY',
];

/** Reads and checks the environment once. Throws ConfigError with every fault. */
export function readConfig(env: Env): LocalConfig {
  const reader = new EnvReader(env);
  const publicUrl = reader.optional('PUBLIC_URL') === null ? null : reader.origin('PUBLIC_URL', '');
  const config = Object.freeze({
    port: reader.integer('PORT', 8080, 1, 65_535),
    dataDir: reader.text('DATA_DIR', stateFolder(env)),
    publicUrl,
    addressPolicy: publicUrl === null || isLocal(publicUrl) ? ('loopback' as const) : ('public' as const),
    databaseUrl: readDatabaseUrl(reader),
    requireTimescale: reader.flag('REQUIRE_TIMESCALE', false),
    storage: reader.oneOf('STORAGE', ['auto', 'plain', 'apache', 'community'] as const, 'auto'),
    passedThrough: Object.freeze(
      Object.fromEntries(passedThrough.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]]))),
    ),
  });
  reader.check();
  return config;
}

/** The value holds a password: it is never repeated. */
function readDatabaseUrl(reader: EnvReader): string | null {
  const url = reader.optional('DATABASE_URL');
  if (url !== null && parseDatabaseUrl(url) === null)
    reader.fault(
      'DATABASE_URL is not a postgres:// URL: special characters in its password must be percent-encoded, / as %2F',
    );
  return url;
}

/** Whether an address can only be meant for this machine. */
function isLocal(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
