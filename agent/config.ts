import { readFileSync } from 'node:fs';
import { isIP, SocketAddress } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Env, EnvReader } from '#shared/env.ts';
import { type AddressPolicy, type AddressRange, addressPolicies, parseRange } from '#shared/network/guard.ts';
import { parseServer } from '#shared/network/name-servers.ts';
import type { SourceAddresses } from './probe/egress/source.ts';
import { type Endpoint, parseEndpoint } from './probe/kinds/dns/endpoint.ts';

/** The configuration of an agent, checked and frozen. `secret` is the bearer token of its connection. */
export type AgentConfig = Readonly<{
  controlPlaneUrl: string;
  secret: string;
  dataDir: string;
  addressPolicy: AddressPolicy;
  concurrency: number;
  spoolBytesMax: number;
  spoolAgeHoursMax: number;
  logLevel: string;
  extraCaFile: string | null;
  dnsServers: readonly string[];
  /** Whom checks of DNS ask that name no server. */
  dnsCheckServers: readonly Endpoint[];
  pingConcurrency: number;
  source: SourceAddresses;
  /** Where programs of the host are looked for. */
  programPath: string;
  stopWithStdin: boolean;
  /** A file to touch while the agent works, for health checks. */
  heartbeatFile: string | null;
}>;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Reads and checks the environment; throws one ConfigError that names every invalid variable. */
export function readConfig(env: Env): AgentConfig {
  const reader = new EnvReader(env);
  const config: AgentConfig = {
    controlPlaneUrl: reader.url('CONTROL_PLANE_URL', 'http://127.0.0.1:8080', ['http:', 'https:']),
    secret: readSecret(reader),
    dataDir: reader.text('DATA_DIR', './data/agent'),
    addressPolicy: Object.freeze({
      base: reader.oneOf('ADDRESS_POLICY', addressPolicies, 'public'),
      allow: Object.freeze(reader.listOf('ADDRESS_ALLOW', parseRange, 'not a range such as 10.0.0.0/8')),
      deny: Object.freeze(reader.listOf('ADDRESS_DENY', parseRange, 'not a range such as 10.0.0.0/8')),
    }),
    concurrency: reader.integer('CONCURRENCY', 1000, 1, 20_000),
    spoolBytesMax: reader.integer('SPOOL_MAX_BYTES', 67_108_864, 65_536, 17_179_869_184),
    spoolAgeHoursMax: reader.integer('SPOOL_MAX_AGE_HOURS', 24, 1, 720),
    logLevel: reader.oneOf('LOG_LEVEL', logLevels, 'info'),
    extraCaFile: reader.optional('EXTRA_CA_FILE'),
    dnsServers: Object.freeze(reader.listOf('DNS_SERVERS', parseServer, 'not an address')),
    dnsCheckServers: Object.freeze(reader.listOf('DNS_CHECK_SERVERS', parseEndpoint, 'not an address')),
    pingConcurrency: reader.integer('PING_CONCURRENCY', 32, 1, 256),
    source: Object.freeze({ ipv4: readSource(reader, 'ipv4'), ipv6: readSource(reader, 'ipv6') }),
    programPath: reader.text('PATH', '/usr/bin:/bin'),
    stopWithStdin: reader.flag('STOP_WITH_STDIN', false),
    heartbeatFile: reader.optional('HEARTBEAT_FILE'),
  };
  reader.check();
  return Object.freeze(config);
}

/** True if the secret would cross a network in clear text: over http, and not to this host. */
export function isInClear({ controlPlaneUrl }: Pick<AgentConfig, 'controlPlaneUrl'>): boolean {
  const { protocol, hostname } = new URL(controlPlaneUrl);
  return protocol === 'http:' && !/^(localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

/** The configuration as it may be logged: without the secret. */
export function describeConfig(config: AgentConfig): Record<string, unknown> {
  const { secret: _, addressPolicy, ...loggable } = config;
  const { base, allow, deny } = addressPolicy;
  return {
    ...loggable,
    secret: '[redacted]',
    addressPolicy: { base, allow: allow.map(describeRange), deny: deny?.map(describeRange) },
  };
}

function describeRange([first, length]: AddressRange): string {
  return `${first.toString()}/${length}`;
}

/** An address that this host has now. One that it loses later is a fault of the probe in each check. */
function readSource(reader: EnvReader, family: 'ipv4' | 'ipv6'): string | null {
  const name = `BIND_IP${family.slice(2).toUpperCase()}`;
  const text = reader.optional(name);
  if (text === null) return null;
  const address =
    isIP(text) === Number(family.slice(3)) && !text.includes('%')
      ? new SocketAddress({ address: text, family }).address
      : null;
  const own = Object.values(networkInterfaces()).flatMap(list => list ?? []);
  // A link-local address means nothing without its interface.
  if (address !== null && own.some(found => found.address === address && !found.address.startsWith('fe80:')))
    return address;
  reader.fault(`${name} must be an IPv${family.slice(3)} address of this host`);
  return null;
}

function readSecret(reader: EnvReader): string {
  const file = reader.optional('AGENT_SECRET_FILE');
  if (file === null)
    return reader.required('AGENT_SECRET', 'the secret of an enrolled agent (or set AGENT_SECRET_FILE)');
  try {
    const secret = readFileSync(file, 'utf8').trim();
    if (secret === '') reader.fault('AGENT_SECRET_FILE is an empty file');
    return secret;
  } catch {
    reader.fault('AGENT_SECRET_FILE cannot be read');
    return '';
  }
}
