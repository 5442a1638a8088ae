import { createServer } from 'node:http';
import { createOutbound, OutboundError } from '#control-plane/platform/http/outbound.ts';
import { Resolver } from '#shared/network/resolver.ts';
import { allowedTargets, forbiddenTargets, names, rebindingName } from '#test/agent/probe/forbidden-targets.ts';

// Runs in a network namespace where every address is this host, listening on port 80: what passes the guard is reached.

let hits = 0;
const server = createServer((request, response) => {
  hits++;
  if (request.url === '/away') response.writeHead(302, { location: 'http://127.0.0.1/' }).end();
  else response.end('reached');
});
await new Promise<void>(resolve => server.listen(80, '::', resolve));

let asked = 0;
const resolver = new Resolver(async (name, family) => {
  const rebound = name === rebindingName && family === 4 && asked++ >= 1 ? '127.0.0.1' : null;
  const address = rebound ?? names[name];
  if (address === undefined || address.includes(':') !== (family === 6))
    throw Object.assign(new Error('none'), { code: 'ENODATA' });
  return [{ address, ttl: 0 }];
});
const outbound = createOutbound({ resolver, policy: { base: 'public', allow: [] }, userAgent: 'test' });

async function reach(url: string): Promise<{ url: string; hits: number; outcome: string }> {
  const before = hits;
  const outcome = await outbound.post({ url, headers: {}, body: 'hello', bodyBytesMax: 0 }).then(
    answer => String(answer.status),
    error => (error instanceof OutboundError ? error.code : `unexpected ${error}`),
  );
  return { url, hits: hits - before, outcome };
}

const all = async (urls: readonly string[]) => {
  const reached = [];
  for (const url of urls) reached.push(await reach(url));
  return reached;
};
const allowed = await all(allowedTargets);
const forbidden = await all(forbiddenTargets);
const rebinding = await all([`http://${rebindingName}/`, `http://${rebindingName}/`]);
const redirected = await all(['http://93.184.216.34/away']);
process.stdout.write(JSON.stringify({ allowed, forbidden, rebinding, redirected }));
process.exit(0);
