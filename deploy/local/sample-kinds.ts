import { join } from 'node:path';
import { type Credentials, type LocalAddresses, localApi, localRegions } from './setup.ts';
import { writeState } from './state-file.ts';

/**
 * Creates a monitor of each kind beside HTTP that has a target on every machine in the sample project, once: deleted,
 * it is not created again. A kind that the agents cannot do waits for a later start.
 */
export async function createSampleKinds(
  dataDir: string,
  { baseUrl, watchedUrl }: LocalAddresses,
  credentials: Credentials,
): Promise<void> {
  const api = localApi(baseUrl, (credentials.sample ?? credentials).token);
  const { data } = await api.get('v0/regions?limit=200').json<{ data: Region[] }>();
  for (const { kind, ...monitor } of sampleKinds(watchedUrl)) {
    const made = credentials.sample_kinds ?? [];
    if (made.includes(kind) || !canAll(data, kind)) continue;
    await api.post('v0/monitors', { json: { ...monitor, interval_seconds: 60, regions: localRegions } });
    credentials.sample_kinds = [...made, kind];
    await writeState(join(dataDir, 'credentials.json'), credentials);
  }
}

type Region = { code: string; capabilities: string[] };

/** Only this machine itself is sure to answer a ping: networks may drop those to a public address. */
function sampleKinds(watchedUrl: string): { kind: string; name: string; url: string }[] {
  const { hostname, port, protocol } = new URL(watchedUrl);
  const openPort = port || (protocol === 'https:' ? '443' : '80');
  const tcp = { kind: 'tcp', name: 'Port of the control plane', url: `tcp://${hostname}:${openPort}` };
  const ping = { kind: 'ping', name: 'This machine', url: `ping://${hostname}` };
  return hostname === '127.0.0.1' ? [tcp, ping] : [tcp];
}

function canAll(regions: readonly Region[], kind: string): boolean {
  return localRegions.every(code => regions.some(region => region.code === code && region.capabilities.includes(kind)));
}
