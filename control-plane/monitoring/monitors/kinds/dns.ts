import { domainToASCII } from 'node:url';
import { z } from 'zod';
import type { DnsServer } from '#shared/checks/check.ts';
import { dnsTransports } from '#shared/checks/vocabulary.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import type { Kind } from './kind.ts';
import { targetOf } from './target.ts';

const defaultPort = 53;
const serversMax = 7;
const recordTypes = new Set(
  'A AAAA CAA CNAME DNAME DNSKEY DS HTTPS MX NAPTR NS PTR SOA SRV SSHFP SVCB TLSA TXT'.split(' '),
);
const form = 'dns://[server[:port]]/name?type=T';

const own = z
  .object({
    transport: z.enum(dnsTransports).default('udp'),
    recursion: z.boolean().default(true).describe('Whether the server is asked to look the answer up elsewhere.'),
    agree_with: z
      .array(z.string().max(262))
      .max(serversMax)
      .default([])
      .describe('Servers, with a port if it is not 53, whose answers `dns_agree` compares.'),
  })
  .meta({ title: 'DnsCheck' });
export type DnsSettings = z.output<typeof own>;

type Query = { server: DnsServer | null; name: string; type: string };

/** The type of record that a stored URL asks for. */
export function typeAskedBy(url: string): string {
  return queryOf(url)?.type ?? 'A';
}

/** Null if the URL does not have the form. */
function queryOf(url: string): Query | null {
  const target = targetOf(url);
  if (target === null || target.path === null || (target.host === '' && target.port !== null)) return null;
  const name = nameOf(target.path.slice(1));
  const type = typeOf(target.query ?? '?type=A');
  if (name === null || type === null) return null;
  const server = target.host === '' ? null : { host: target.host, port: target.port ?? defaultPort };
  return { server, name, type };
}

/** The root is a dot; labels may begin with an underscore. */
function nameOf(text: string): string | null {
  if (text === '.') return text;
  const name = /^[\x21-\x7e]*$/.test(text) ? text.toLowerCase() : domainToASCII(text);
  const labels = name.replace(/\.$/, '').split('.');
  const isName = name.length <= 253 && labels.every(label => /^[a-z0-9_*-]{1,63}$/.test(label));
  return isName ? labels.join('.') : null;
}

/** A name of a type, or TYPE and its number without those that only a query or a transport has. */
function typeOf(query: string): string | null {
  const type = /^\?type=([a-z0-9]{1,10})$/i.exec(query)?.[1]?.toUpperCase();
  if (type === undefined || recordTypes.has(type)) return type ?? null;
  const number = Number(/^TYPE([1-9]\d{0,4})$/.exec(type)?.[1]);
  return number >= 1 && number <= 65_534 && number !== 41 && !(number >= 249 && number <= 255) ? type : null;
}

function serverOf(text: string): DnsServer | null {
  const target = targetOf(`dns://${text}`);
  if (target === null || target.host === '' || target.path !== null || target.query !== null) return null;
  return { host: target.host, port: target.port ?? defaultPort };
}

function serverErrors(url: string | undefined, servers: readonly string[]): FieldError[] {
  const hasServer = url === undefined || queryOf(url)?.server != null;
  const seen = new Set<string>();
  return servers.flatMap((text, index): FieldError[] => {
    const pointer = `/dns/agree_with/${index}`;
    if (!hasServer) return [{ pointer, code: 'not_allowed', detail: 'needs a server in the URL to agree with' }];
    const server = serverOf(text);
    if (server === null)
      return [{ pointer, code: 'format', detail: 'must be an address or a name, with a port or not' }];
    const key = `${server.host} ${server.port}`;
    if (seen.has(key)) return [{ pointer, code: 'not_allowed', detail: 'is given twice' }];
    seen.add(key);
    return [];
  });
}

function urlError(url: string): string | null {
  if (queryOf(url) !== null) return null;
  const { path = null, query = null } = targetOf(url) ?? {};
  const isName = path !== null && nameOf(path.slice(1)) !== null;
  const isType = query === null || typeOf(query) !== null;
  const what =
    path === null || (isName && isType)
      ? 'an address or a name as its server'
      : isName
        ? 'a known type'
        : 'a name to look up';
  return `must have the form ${form}, with ${what}`;
}

export const dns: Kind<DnsSettings> = {
  kind: 'dns',
  schemes: ['dns:'],
  own,
  intervalMin: 10,
  intervalMax: 86_400,
  withoutAgents: null,
  assertions: ['dns_rcode', 'dns_record', 'dns_agree', 'dns_changed'],
  hasCertificate: false,
  egress: 'none',
  takesAuth: false,
  takesHttpVersion: false,
  encodedUrl: url => url.trim(),
  urlError,
  errors: ({ url, own: settings }) => serverErrors(url, settings?.agree_with ?? []),
  needs: ({ url }) => (queryOf(url)?.server == null ? ['dns', 'dns.own'] : ['dns']),
  check: ({ url, own: { transport, recursion, agree_with } }) => {
    const query = queryOf(url);
    if (query === null) return null;
    return {
      kind: 'dns',
      ...query,
      transport,
      recursion,
      agree_with: agree_with.flatMap(text => serverOf(text) ?? []),
    };
  },
};
