import { join } from 'node:path';
import { type SamplePorts, sampleName } from './sample-site.ts';
import { type Credentials, type LocalAddresses, localApi, localRegions } from './setup.ts';
import { writeState } from './state-file.ts';

/**
 * Creates a monitor of each kind beside HTTP/1.1 that has a target on every machine in the sample project, once:
 * deleted, it is not created again. A kind that the agents cannot do waits for a later start.
 */
export async function createSampleKinds(
  dataDir: string,
  { baseUrl, watchedUrl }: LocalAddresses,
  credentials: Credentials,
  site: SamplePorts | null = null,
): Promise<void> {
  const api = localApi(baseUrl, (credentials.sample ?? credentials).token);
  const { data } = await api.get('v0/regions?limit=200').json<{ data: Region[] }>();
  const ca = credentials.sample_certificate?.authority ?? null;
  for (const { kind, word = kind, ...monitor } of [...sampleKinds(watchedUrl), ...siteKinds(site, ca)]) {
    const made = credentials.sample_kinds ?? [];
    // Stored events are counted by the control plane itself.
    const isChecked = kind !== 'events';
    if (made.includes(kind) || (isChecked && !canAll(data, word))) continue;
    const regions = isChecked ? { regions: localRegions } : {};
    await api.post('v0/monitors', { json: { kind, ...monitor, interval_seconds: 60, ...regions } });
    credentials.sample_kinds = [...made, kind];
    await writeState(join(dataDir, 'credentials.json'), credentials);
  }
}

type Region = { code: string; capabilities: string[] };

/** `word`: what agents must be able to do, if it is not called like the kind. */
type Sample = { kind: string; word?: string; name: string; url?: string; [own: string]: unknown };

/** Only this machine itself is sure to answer a ping: networks may drop those to a public address. */
function sampleKinds(watchedUrl: string): Sample[] {
  const { hostname, port, protocol } = new URL(watchedUrl);
  const openPort = port || (protocol === 'https:' ? '443' : '80');
  const tcp = { kind: 'tcp', name: 'Port of the control plane', url: `tcp://${hostname}:${openPort}` };
  const ping = { kind: 'ping', name: 'This machine', url: `ping://${hostname}` };
  const steps = { kind: 'multistep', name: 'Two pages in order', multistep: { steps: sampleSteps(watchedUrl) } };
  return [tcp, ...(hostname === '127.0.0.1' ? [ping] : []), steps, shopErrors];
}

/** Of the sample shop's pages; nobody needs to visit them for it to be up. */
const shopErrors: Sample = {
  kind: 'events',
  name: 'Errors in the sample shop',
  events: { event: { name: 'checkout failed', type: 'error' } },
  assertions: [{ type: 'measured', operator: 'lte', value: 5 }],
};

/** The kind of the first answer goes into the second request, as a token would. */
function sampleSteps(watchedUrl: string): object[] {
  const type = { name: 'type', from: 'header', header: 'content-type' };
  const health = new URL('/healthz', watchedUrl).href;
  return [
    { name: 'Ask for the first page', url: health, extract: [type] },
    { name: 'Ask for the next', url: `${health}?run={{run.id}}&type={{type}}` },
  ];
}

/** What the sample site serves beside websites. */
function siteKinds(site: SamplePorts | null, ca: string | null): Sample[] {
  if (site === null) return [];
  const websocket = { send: 'hello', read: true };
  const page = { url: `http://127.0.0.1:${site.grpc}/`, http_version: '2' };
  const dns = { kind: 'dns', name: 'Sample name', url: `dns://127.0.0.1:${site.dns}/${sampleName}?type=A` };
  const tls = { kind: 'tls', word: 'egress.1', name: 'Sample certificate', url: `tls://127.0.0.1:${site.tls}` };
  return [
    ...(site.dns === undefined ? [] : [dns]),
    ...(site.tls === undefined || ca === null ? [] : [{ ...tls, egress: { ca } }]),
    { kind: 'http', word: 'http.2', name: 'Sample page by HTTP/2', ...page },
    { kind: 'grpc', name: 'Sample gRPC service', url: `grpc://127.0.0.1:${site.grpc}` },
    { kind: 'websocket', name: 'Sample WebSocket echo', url: `ws://127.0.0.1:${site.websocket}/`, websocket },
  ];
}

function canAll(regions: readonly Region[], word: string): boolean {
  return localRegions.every(code => regions.some(region => region.code === code && region.capabilities.includes(word)));
}
