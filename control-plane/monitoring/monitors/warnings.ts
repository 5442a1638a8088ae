import { isIP } from 'node:net';
import type { MonitorKind } from '#shared/checks/vocabulary.ts';
import { type AddressPolicy, isAllowed } from '#shared/network/guard.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { registryOf } from '../rdap/bootstrap.ts';
import { findBootstrap } from '../rdap/bootstrap-store.ts';
import type { AuthSettings } from './auth/auth.ts';
import type { Meter } from './measures/meter.ts';
import type { MonitorWarning } from './shown.ts';
import { hasPrivateRegion } from './store.ts';

/**
 * What is valid but probably not meant: an address that agents of shared regions refuse, in shared regions only. The
 * policy is the control plane's own: its operator's agents are likely to have the same.
 */
export async function monitorWarnings(
  sql: Sql,
  monitor: {
    projectId: string;
    kind: MonitorKind;
    url: string;
    regions: readonly string[];
    domain?: { name: string } | undefined;
    dns?: { agree_with: readonly string[] } | undefined;
    multistep?: { steps: readonly { url: string; auth: AuthSettings | null }[] } | undefined;
    egress?: { proxy: { url: string } | null } | null | undefined;
    auth?: AuthSettings | null | undefined;
  },
  policy: AddressPolicy,
  asksRegistries: boolean,
): Promise<MonitorWarning[]> {
  // The address of a heartbeat is our own.
  if (monitor.kind === 'heartbeat' || monitor.kind === 'events') return [];
  if (monitor.domain !== undefined) return registryWarnings(sql, monitor.domain.name, asksRegistries);
  const servers = (monitor.dns?.agree_with ?? []).map((server, index) => ({
    pointer: `/dns/agree_with/${index}`,
    address: literalAddress(`dns://${server}`),
  }));
  const own = [{ pointer: '/url', address: literalAddress(monitor.url) }];
  const steps = monitor.multistep?.steps.map(({ url }, index) => ({
    pointer: `/multistep/steps/${index}/url`,
    address: literalAddress(url),
  }));
  const proxies = [monitor.egress?.proxy ?? []].flat().map(({ url }) => ({
    pointer: '/egress/proxy/url',
    address: literalAddress(url.replace(/^socks5:/i, 'http:')),
  }));
  const ofSteps = monitor.multistep?.steps.map(({ auth }, index) => ({ at: `/multistep/steps/${index}`, auth })) ?? [];
  const endpoints = [{ at: '', auth: monitor.auth }, ...ofSteps].flatMap(({ at, auth }) =>
    auth?.type === 'oauth2' ? [{ pointer: `${at}/auth/token_url`, address: literalAddress(auth.token_url) }] : [],
  );
  const refused = [...(steps ?? own), ...servers, ...proxies, ...endpoints].filter(
    ({ address }) => address !== null && !isAllowed(address, policy),
  );
  if (refused.length === 0 || (await hasPrivateRegion(sql, monitor.projectId, monitor.regions))) return [];
  return refused.map(({ pointer, address }) => ({
    pointer,
    code: 'address_not_public',
    detail: `${address} is not public: agents of shared regions refuse it unless their operator allows it`,
  }));
}

/** Of a monitor of events whose flow was deleted nothing can be said. */
export async function flowWarnings(
  sql: Sql,
  meter: Meter,
  projectId: string,
  events: { flow_id: string | null } | undefined,
): Promise<MonitorWarning[]> {
  if (events?.flow_id == null || (await meter.findFlow(sql, projectId, events.flow_id)) !== null) return [];
  const detail = 'the flow was deleted: nothing can be said of it';
  return [{ pointer: '/events/flow_id', code: 'flow_deleted', detail }];
}

/** Nobody can be asked about a domain whose suffix has no registry in the list, or where lookups are off. */
async function registryWarnings(sql: Sql, name: string, asksRegistries: boolean): Promise<MonitorWarning[]> {
  if (!asksRegistries) {
    const off = 'this installation asks no registries (RDAP_BOOTSTRAP_URL=off): nothing can be said of the domain';
    return [{ pointer: '/url', code: 'no_registry', detail: off }];
  }
  const bootstrap = await findBootstrap(sql);
  if (bootstrap === null || bootstrap.fetchedAt === null || registryOf(bootstrap.registries, name) !== null) return [];
  const detail = `no registry answers by RDAP for ${name}: nothing can be said of the domain`;
  return [{ pointer: '/url', code: 'no_registry', detail }];
}

/** The address that a URL names without a name server; null for any other host. */
export function literalAddress(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const host = new URL(url).hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  if (isIP(host) !== 0) return host;
  return host === 'localhost' || host.endsWith('.localhost') ? '127.0.0.1' : null;
}
