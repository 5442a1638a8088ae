import type { Assertion } from '#shared/assertions/assertion.ts';
import type { MonitorKind } from '#shared/checks/vocabulary.ts';
import { dns } from './dns.ts';
import { domain } from './domain.ts';
import { events } from './events.ts';
import { grpc } from './grpc.ts';
import { heartbeat } from './heartbeat.ts';
import { http } from './http.ts';
import type { Kind } from './kind.ts';
import { multistep } from './multistep.ts';
import { ping } from './ping.ts';
import { tcp } from './tcp.ts';
import { tls } from './tls.ts';
import { websocket } from './websocket.ts';

/** One line for each kind of monitor. */
export const kinds = { http, tcp, tls, dns, ping, grpc, websocket, multistep, heartbeat, domain, events } as const;

/** The kind by its name, for rules that hold for all of them. */
export function kindOf(name: MonitorKind): Kind<unknown> {
  return kinds[name] as Kind<unknown>;
}

/** Types of assertions that monitors of every kind take which agents check. */
const commonAssertions: readonly Assertion['type'][] = ['latency', 'latency_p95'];

export function takesAssertion(name: MonitorKind, type: Assertion['type']): boolean {
  const { assertions, withoutAgents } = kindOf(name);
  return assertions.includes(type) || (withoutAgents === null && commonAssertions.includes(type));
}

/** The kind whose URLs begin like this one; null if there is none. */
export function kindOfUrl(url: string): MonitorKind | null {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url.trimStart())?.[0].toLowerCase() ?? '';
  return Object.values(kinds).find(({ schemes }) => (schemes as readonly string[]).includes(scheme))?.kind ?? null;
}
