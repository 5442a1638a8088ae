import type { Assertion } from '#shared/assertions/assertion.ts';
import type { MonitorKind } from '#shared/checks/vocabulary.ts';
import { type DnsSettings, dns } from './dns.ts';
import { http } from './http.ts';
import type { Kind } from './kind.ts';
import { type PingSettings, ping } from './ping.ts';
import { type TcpSettings, tcp } from './tcp.ts';
import { type TlsSettings, tls } from './tls.ts';

/** The objects that kinds have of their own, by the name of the kind. */
export type OwnObjects = { tcp: TcpSettings; tls: TlsSettings; dns: DnsSettings; ping: PingSettings };

/** One line for each kind of monitor. */
export const kinds = { http, tcp, tls, dns, ping } as const;

/** The kind by its name, for rules that hold for all of them. */
export function kindOf(name: MonitorKind): Kind<unknown> {
  return kinds[name] as Kind<unknown>;
}

/** Types of assertions that monitors of every kind take. */
const commonAssertions: readonly Assertion['type'][] = ['latency', 'latency_p95'];

export function takesAssertion(name: MonitorKind, type: Assertion['type']): boolean {
  return commonAssertions.includes(type) || kindOf(name).assertions.includes(type);
}

/** The kind whose URLs begin like this one; null if there is none. */
export function kindOfUrl(url: string): MonitorKind | null {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url.trimStart())?.[0].toLowerCase() ?? '';
  return Object.values(kinds).find(({ schemes }) => (schemes as readonly string[]).includes(scheme))?.kind ?? null;
}
