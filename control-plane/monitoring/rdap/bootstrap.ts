import { z } from 'zod';

/** Which server answers for the names under a suffix: addresses by suffix, each ending in a slash. */
export type Registries = ReadonlyMap<string, string>;

const suffix = z.string().min(1).max(253);
const address = z.string().min(1).max(512);
const documentSchema = z.object({
  services: z
    .array(z.tuple([z.array(suffix).max(2000), z.array(address).max(10)]).rest(z.unknown()))
    .min(1)
    .max(5000),
});

/** Reads IANA's bootstrap file (RFC 9224); null if it is none. A service without a usable address is left out. */
export function readBootstrap(text: string): Registries | null {
  const parsed = documentSchema.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const registries = new Map<string, string>();
  for (const [suffixes, addresses] of parsed.data.services) {
    const base = preferred(addresses);
    if (base !== null) for (const one of suffixes) registries.set(one.toLowerCase(), base);
  }
  return registries.size === 0 ? null : registries;
}

/** The server for a name, by the longest suffix that is listed; null if there is none. */
export function registryOf(registries: Registries, name: string): string | null {
  const labels = name.split('.');
  for (const start of labels.keys()) {
    const server = registries.get(labels.slice(start).join('.'));
    if (server !== undefined) return server;
  }
  return null;
}

/** HTTPS where there is a choice. */
function preferred(addresses: readonly string[]): string | null {
  const usable = addresses.flatMap(text => {
    const url = URL.parse(text);
    return url !== null && /^https?:$/.test(url.protocol) ? [url.href.replace(/\/*$/, '/')] : [];
  });
  return usable.find(url => url.startsWith('https:')) ?? usable[0] ?? null;
}

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
