import { type DomainFacts, domainFactsSchema } from '#shared/checks/facts.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { listLookups } from '../../rdap/lookup-store.ts';

/** What a monitor of a domain shows: what its registry said last. */
export const shownDomainSchema = domainFactsSchema.meta({ title: 'Domain' });

/** By registrable name. */
export type Domains = ReadonlyMap<string, DomainFacts>;

/** What registries said of the names of the monitors of domains among these. */
export async function readDomains(
  sql: Sql,
  monitors: readonly { settings: { domain?: { name: string } | null } }[],
): Promise<Domains> {
  const names = new Set(monitors.flatMap(({ settings }) => settings.domain?.name ?? []));
  const lookups = await listLookups(sql, [...names]);
  return new Map(
    [...lookups].flatMap(([name, { standing }]) => (standing?.facts == null ? [] : [[name, standing.facts]])),
  );
}

/** Pure: a name with what is known of it. */
export function viewDomain(name: string, domains: Domains | undefined): DomainFacts {
  const nothing = { registrar: null, statuses: [], ends_at: null, registered_at: null, server: null };
  return domains?.get(name) ?? { name, ...nothing };
}
