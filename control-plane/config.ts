import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Env, EnvReader } from '#shared/env.ts';
import type { Edition } from './db/edition.ts';
import { stateFolder } from './db/embedded/state-folder.ts';
import { areRanges } from './http/caller-address.ts';

/** All settings of the control plane; the README's table says what each is for. */
export type ControlPlaneConfig = Readonly<{
  databaseUrl: string;
  storage: 'auto' | Edition;
  host: string;
  port: number;
  publicUrl: string;
  trustedProxies: readonly string[];
  secretsKeys: readonly string[];
  metricsToken: string | null;
  rateLimitPerMinute: number;
  rateLimitBurst: number;
  sweepHoldSeconds: number;
  stopWithStdin: boolean;
  logLevel: string;
}>;

/** Reads and checks the environment once. Throws ConfigError with every fault. */
export function readConfig(env: Env): ControlPlaneConfig {
  const reader = new EnvReader(env);
  const port = reader.integer('PORT', 8080, 0, 65_535);
  const config: ControlPlaneConfig = Object.freeze({
    databaseUrl: reader.required('DATABASE_URL', 'a postgres:// address'),
    storage: reader.oneOf('STORAGE', ['auto', 'plain', 'apache', 'community'] as const, 'auto'),
    host: reader.text('HOST', '127.0.0.1'),
    port,
    publicUrl: reader.url('PUBLIC_URL', `http://localhost:${port}`, ['http:', 'https:']).replace(/\/+$/, ''),
    trustedProxies: Object.freeze(reader.list('TRUSTED_PROXIES')),
    secretsKeys: Object.freeze(reader.list('SECRETS_KEYS')),
    metricsToken: reader.optional('METRICS_TOKEN'),
    rateLimitPerMinute: reader.integer('RATE_LIMIT_PER_MINUTE', 600, 1, 10_000_000),
    rateLimitBurst: reader.integer('RATE_LIMIT_BURST', 100, 1, 10_000_000),
    sweepHoldSeconds: reader.integer('SWEEP_HOLD_SECONDS', 30, 0, 600),
    stopWithStdin: reader.flag('STOP_WITH_STDIN', false),
    logLevel: reader.oneOf(
      'LOG_LEVEL',
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const,
      'info',
    ),
  });
  if (config.secretsKeys.length === 0)
    reader.fault('SECRETS_KEYS is not set: make a key with `openssl rand -base64 32`');
  if (!areRanges(config.trustedProxies))
    reader.fault('TRUSTED_PROXIES must be a comma list of addresses or ranges such as 10.0.0.0/8');
  reader.check();
  return config;
}

/** The configuration as it may be printed. */
export function redactConfig(config: ControlPlaneConfig): Record<string, unknown> {
  const url = new URL(config.databaseUrl);
  return {
    ...config,
    databaseUrl: `${url.protocol}//${url.host}${url.pathname}`,
    secretsKeys: `${config.secretsKeys.length} keys`,
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
