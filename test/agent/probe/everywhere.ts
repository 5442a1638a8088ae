import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import { TokenRefusal } from '#agent/probe/auth/signed-in.ts';
import { TokenCache } from '#agent/probe/auth/token-cache.ts';
import { tokenSourceOf } from '#agent/probe/auth/token-source.ts';
import { PingLimit } from '#agent/probe/kinds/ping/ping-limit.ts';
import { NetworkHealth } from '#agent/probe/network-health.ts';
import { probe } from '#agent/probe/probe-http.ts';
import { StandStillWatch } from '#agent/probe/stand-still.ts';
import { createTrust } from '#agent/probe/trust.ts';
import type { Check } from '#shared/checks/check.ts';
import type { WireEgress } from '#shared/checks/egress.ts';
import { systemClock } from '#shared/clock.ts';
import { FairPool } from '#shared/fairness/fair-pool.ts';
import { Resolver } from '#shared/network/resolver.ts';
import { makeFakePing, printing } from '../../support/fake-ping.ts';
import { probeKindOnce, stepOf } from '../../support/probe.ts';
import { allowedTargets, forbiddenTargets, names, rebindingName } from './forbidden-targets.ts';

// Runs in a network namespace where every address is this host and answers on port 80, so no failure hides a hole.

const program = makeFakePing(printing('64 bytes from any: icmp_seq=1 ttl=64 time=0.045 ms'));
let hits = 0;
const server = createServer((request, response) => {
  hits++;
  const to = new URL(request.url ?? '/', 'http://any').searchParams.get('to');
  if (to === null) response.end('reached');
  else response.writeHead(302, { location: Buffer.from(to).toString('latin1') }).end();
});
await new Promise<void>(resolve => server.listen(80, '::', resolve));

// What other kinds of checks reach: connections, datagrams, runs of the program that pings.
let reached = 0;
server.on('connection', () => reached++);
const names53 = createSocket('udp6').on('message', () => reached++);
await new Promise<void>(resolve => names53.bind(53, '::', resolve));
const pinged = () => {
  try {
    return program.arguments().length > 0 ? 1 : 0;
  } catch {
    return 0;
  }
};

let queries = 0;
const resolver = new Resolver(async (name, family) => {
  const rebound = name === rebindingName && family === 4 && queries++ >= 1 ? '127.0.0.1' : null;
  const address = rebound ?? names[name];
  const isSix = address?.includes(':') ?? false;
  if (address === undefined || isSix !== (family === 6)) throw Object.assign(new Error('none'), { code: 'ENODATA' });
  return [{ address, ttl: 0 }];
});
const tools = {
  resolver,
  trust: createTrust(null),
  policy: { base: 'public' as const, allow: [] },
  health: new NetworkHealth(() => false),
  clock: systemClock,
  standStill: new StandStillWatch(),
  ping: { path: program.path, interval: '0.2' as const, limit: new PingLimit(1, () => 1) },
  checkServers: [],
};

async function reach(url: string): Promise<{ url: string; hits: number; code: string | null }> {
  const before = hits;
  const outcome = await probe(
    { url, method: 'GET', headers: {}, body: null, timeoutMs: 3000, followRedirects: true, takeBytes: null },
    tools,
  );
  return { url, hits: hits - before, code: outcome.error?.code ?? null };
}

/** All kinds of checks of one host, and the forbidden one beside an allowed server. */
function checksOf(url: string): Check[] {
  const host = new URL(url).hostname.replace(/^\[(.+)\]$/, '$1');
  const [public53, here] = [
    { host: '93.184.216.34', port: 53 },
    { host, port: 53 },
  ];
  const dns = { kind: 'dns', name: 'a.example', type: 'A', recursion: true } as const;
  return [
    { kind: 'tcp', host, port: 80, send: 'x', read: false },
    { kind: 'tls', host, port: 80, starttls: null },
    { kind: 'tls', host, port: 80, starttls: 'smtp' },
    { ...dns, server: here, transport: 'udp', agree_with: [] },
    { ...dns, server: { host, port: 80 }, transport: 'tcp', agree_with: [] },
    { ...dns, server: public53, transport: 'udp', agree_with: [here] },
    { kind: 'ping', host, count: 1 },
    { kind: 'grpc', secure: false, host, port: 80, service: '' },
    { kind: 'websocket', secure: false, host, port: 80, path: '/', subprotocols: [], send: null, read: false },
    { kind: 'multistep', steps: [stepOf({ url: `http://${host.includes(':') ? `[${host}]` : host}/` })] },
  ];
}

/** Through a proxy at the host, and to the host through another proxy, which could resolve and reach it. */
function proxied(url: string): [Check, WireEgress][] {
  const host = new URL(url).hostname.replace(/^\[(.+)\]$/, '$1');
  const check = { kind: 'tcp', host: '93.184.216.34', port: 80, send: null, read: false } as const;
  const by = (protocol: 'http' | 'socks5', at: string): WireEgress => ({
    proxy: { protocol, host: at, port: 80, username: null, password: null },
  });
  const at: [Check, WireEgress][] = [
    [check, by('http', host)],
    [check, by('socks5', host)],
  ];
  // What a name leads to is a matter of the proxy.
  if (host in names) return at;
  return [
    ...at,
    [{ ...check, host }, by('http', '93.184.216.34')],
    [{ ...check, host }, by('socks5', '93.184.216.34')],
  ];
}

async function reachByKind(url: string): Promise<{ url: string; hits: number; code: string | null }[]> {
  const found = [];
  const ways: [Check, WireEgress?][] = [...checksOf(url).map((check): [Check] => [check]), ...proxied(url)];
  for (const [check, egress] of ways) {
    program.forget();
    const before = reached;
    const outcome = await probeKindOnce(check, tools, { timeoutMs: 300, egress });
    // A datagram or a connection that was sent is counted before this turn of the loop ends twice.
    for (let turn = 0; turn < 2; turn++) await new Promise(resolve => setImmediate(resolve));
    const hits = reached - before + pinged();
    found.push({ url: `${check.kind} ${url}`, hits, code: outcome.error?.code ?? null });
  }
  return found;
}

async function fetchToken(token_url: string): Promise<{ url: string; hits: number; code: string | null }> {
  const before = hits;
  const client = { type: 'oauth2', client_id: 'a', client_secret: 'b', audience: null } as const;
  const source = tokenSourceOf(
    { url: 'http://93.184.216.34/', auth: { ...client, scopes: [], client_auth: 'header', token_url } },
    { ...tools, tokens: new TokenCache(), bodies: new FairPool(1_000_000, () => 1) },
  );
  const error = await source?.get().catch((reason: unknown) => reason);
  const code = error instanceof TokenRefusal ? error.code : null;
  return { url: `token ${token_url}`, hits: hits - before, code };
}

const allowed = [];
for (const url of allowedTargets) allowed.push(await reach(url));
const forbidden = [];
for (const url of forbiddenTargets) forbidden.push(await reach(url));
const redirected = [];
for (const url of forbiddenTargets) redirected.push(await reach(`http://93.184.216.34/?to=${encodeURIComponent(url)}`));
const rebinding = [await reach(`http://${rebindingName}/`), await reach(`http://${rebindingName}/`)];
const kinds = {
  allowed: [...(await reachByKind('http://1.1.1.1/')), await fetchToken('http://1.1.1.1/')],
  forbidden: [] as Awaited<ReturnType<typeof reachByKind>>,
};
for (const url of forbiddenTargets) kinds.forbidden.push(...(await reachByKind(url)), await fetchToken(url));
process.stdout.write(JSON.stringify({ allowed, forbidden, redirected, rebinding, kinds }));
program[Symbol.dispose]();
process.exit(0);
