import type { DnsCheck, DnsServer } from '#shared/checks/check.ts';
import { allowedAddresses, hostAndPort } from '../../connect.ts';
import { Deadline } from '../../deadline.ts';
import { DialError } from '../../dial.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import type { KindAttempt } from '../kind.ts';
import { someAddresses } from '../some-addresses.ts';
import type { Endpoint } from './endpoint.ts';

/** A server of a check; `endpoints` are the addresses it may be asked at. */
export type NameServer = Readonly<{ label: string; endpoints: readonly Endpoint[] }>;

/** The server of the check, or those of the agent, which are `own` and are not the target. */
export type MainServer = NameServer & Readonly<{ own: boolean }>;

/** Rejects with what a connection to a host rejects with before it begins: ResolveError, DialError, DeadlineError. */
export async function findMain({ server }: DnsCheck, attempt: KindAttempt): Promise<MainServer> {
  const { outcome, tools } = attempt;
  outcome.phase = 'dns';
  if (server === null) {
    const endpoints = tools.checkServers;
    if (endpoints.length === 0)
      throw new ProbeRefusal('dns_failure', 'this agent has no DNS_CHECK_SERVERS to ask', 'probe');
    const label = endpoints.map(({ address, port }) => hostAndPort(address, port)).join(', ');
    return { label, endpoints, own: true };
  }
  outcome.host = hostAndPort(server.host, server.port);
  return { ...(await find(server, attempt)), own: false };
}

/**
 * The servers of `agree_with`; one whose name cannot be resolved has no addresses and is silent. Rejects with DialError
 * if one is forbidden: then nobody is asked anything.
 */
export async function findOthers({ agree_with }: DnsCheck, attempt: KindAttempt): Promise<NameServer[]> {
  return await Promise.all(
    agree_with.map(server =>
      find(server, attempt).catch((error: unknown) => {
        if (error instanceof DialError) {
          attempt.outcome.host = hostAndPort(server.host, server.port);
          throw error;
        }
        return { label: hostAndPort(server.host, server.port), endpoints: [] };
      }),
    ),
  );
}

/** The time that its name takes is not the time of the query. */
async function find({ host, port }: DnsServer, { tools, deadline, outcome }: KindAttempt): Promise<NameServer> {
  using own = new Deadline(Math.max(0, deadline.leftMs));
  const timings = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, download_ms: null };
  const addresses = await allowedAddresses(host, tools, own, { phase: 'dns', timings });
  const allowed = await someAddresses(addresses, own, outcome);
  return { label: hostAndPort(host, port), endpoints: allowed.map(address => ({ address, port })) };
}
