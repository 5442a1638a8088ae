import type { EnvReader } from '#shared/env.ts';

/** How the NATS servers are reached. Holds a password or a token: not for the log. */
export type NatsSettings = {
  connection: { servers: string[]; user?: string; pass?: string; token?: string; tls?: Record<string, never> };
  /** The monitoring address of each server of the cluster. */
  monitorUrls: readonly string[];
  replicas: number;
  /** Of each of the 16 streams. */
  streamBytes: number;
  prefix: string;
};

const mib = 1_048_576;

/** Null with INTAKE=postgres. Faults are left with the reader. */
export function readNatsSettings(reader: EnvReader): NatsSettings | null {
  if (reader.oneOf('INTAKE', ['postgres', 'nats'] as const, 'postgres') === 'postgres') return null;
  const monitorUrls = reader.listOf('NATS_MONITOR_URL', toMonitorUrl, 'not an http:// URL such as http://nats:8222');
  const replicas = reader.integer('NATS_REPLICAS', monitorUrls.length > 1 ? 3 : 1, 1, 5);
  if (monitorUrls.length < replicas)
    reader.fault(
      'NATS_MONITOR_URL must name the monitoring address of each NATS server: it proves that they write to disk',
    );
  const prefix = reader.text('NATS_PREFIX', 'upquorum');
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(prefix)) reader.fault('NATS_PREFIX must be a word such as upquorum');
  return {
    connection: readConnection(reader),
    monitorUrls,
    replicas,
    streamBytes: reader.integer('NATS_STREAM_MB', 256, 8, 1_000_000) * mib,
    prefix,
  };
}

/** The fault does not repeat the address, because it may hold a password. */
function readConnection(reader: EnvReader): NatsSettings['connection'] {
  const urls = reader.list('NATS_URL').map(toServerUrl);
  const [first] = urls;
  if (first == null || urls.includes(null)) {
    reader.fault('NATS_URL must list addresses such as nats://user:password@nats-1:4222,nats://nats-2:4222');
    return { servers: [] };
  }
  const servers = urls.flatMap(url => (url === null ? [] : [url.host]));
  const tls = first.protocol === 'tls:' ? { tls: {} } : {};
  const [user, pass] = [decodeURIComponent(first.username), decodeURIComponent(first.password)];
  if (user === '') return { servers, ...tls };
  return pass === '' ? { servers, token: user, ...tls } : { servers, user, pass, ...tls };
}

function toServerUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && ['nats:', 'tls:'].includes(url.protocol) && url.hostname !== '' ? url : null;
}

function toMonitorUrl(text: string): string | null {
  const isUrl = URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
  return isUrl ? text.replace(/\/+$/, '') : null;
}

/** What the log may show of the settings. */
export function redactNats(settings: NatsSettings | null): Record<string, unknown> | null {
  if (settings === null) return null;
  const { connection, monitorUrls, ...rest } = settings;
  return { servers: connection.servers, monitors: monitorUrls.map(url => new URL(url).host), ...rest };
}
