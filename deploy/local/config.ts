import { stateFolder } from '#control-plane/db/embedded/state-folder.ts';
import { type Env, EnvReader } from '#shared/env.ts';

/** Settings of `npm start`. */
export type LocalConfig = Readonly<{
  port: number;
  dataDir: string;
  databaseUrl: string | null;
  requireTimescale: boolean;
  /** Handed on to the programs as they are. */
  inherited: Env;
}>;

const handedOn = [
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
  'DNS_SERVERS',
  'SMTP_URL',
  'MAIL_FROM',
  'SLACK_API_URL',
  'TRUSTED_PROXIES',
  'OUTBOUND_ADDRESS_POLICY',
  'OUTBOUND_ADDRESS_ALLOW',
];

export function readConfig(env: Env): LocalConfig {
  const reader = new EnvReader(env);
  const config = Object.freeze({
    port: reader.integer('PORT', 8080, 1, 65_535),
    dataDir: reader.text('DATA_DIR', stateFolder(env)),
    databaseUrl: reader.optional('DATABASE_URL'),
    requireTimescale: reader.flag('REQUIRE_TIMESCALE', false),
    inherited: Object.freeze(
      Object.fromEntries(handedOn.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]]))),
    ),
  });
  reader.check();
  return config;
}
