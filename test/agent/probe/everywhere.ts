import { createServer } from 'node:http';
import { NetworkHealth } from '#agent/probe/network-health.ts';
import { probe } from '#agent/probe/probe-http.ts';
import { StandStillWatch } from '#agent/probe/stand-still.ts';
import { createTrust } from '#agent/probe/trust.ts';
import { systemClock } from '#shared/clock.ts';
import { Resolver } from '#shared/network/resolver.ts';
import { allowedTargets, forbiddenTargets, names, rebindingName } from './forbidden-targets.ts';

// Runs in a network namespace where every address is this host and answers on port 80, so no failure hides a hole.

let hits = 0;
const server = createServer((request, response) => {
  hits++;
  const to = new URL(request.url ?? '/', 'http://any').searchParams.get('to');
  if (to === null) response.end('reached');
  else response.writeHead(302, { location: Buffer.from(to).toString('latin1') }).end();
});
await new Promise<void>(resolve => server.listen(80, '::', resolve));

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
  ping: null,
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

const allowed = [];
for (const url of allowedTargets) allowed.push(await reach(url));
const forbidden = [];
for (const url of forbiddenTargets) forbidden.push(await reach(url));
const redirected = [];
for (const url of forbiddenTargets) redirected.push(await reach(`http://93.184.216.34/?to=${encodeURIComponent(url)}`));
const rebinding = [await reach(`http://${rebindingName}/`), await reach(`http://${rebindingName}/`)];
process.stdout.write(JSON.stringify({ allowed, forbidden, redirected, rebinding }));
process.exit(0);
