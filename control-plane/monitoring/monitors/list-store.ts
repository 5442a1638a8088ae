import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { monitorSubject, selectorCondition } from '../../platform/selectors/compile.ts';
import type { Selector } from '../../platform/selectors/selector.ts';
import type { ListedRow, MonitorWithState } from './row.ts';
import { withState } from './row.ts';
import { searchPattern } from './search-pattern.ts';
import { listedMonitors } from './store.ts';

/** Filters of the list; null does not filter. */
export type MonitorFilter = {
  enabled: boolean | null;
  selector: Selector | null;
  kinds: readonly string[] | null;
  statuses: readonly string[] | null;
  /** Part of the name, of the URL's host, of the name that a DNS query asks for, or of a slug; in any case. */
  text: string | null;
};

const host = fragment`substring(m.url from '^[A-Za-z]+://([[][^]]*[]]|[^/:?#]*)')`;

/** Null of other kinds. */
const dnsName = fragment`substring(m.url from '^dns://[^/]*/([^?]*)')`;

/** Of a heartbeat; null of other kinds. */
const slug = fragment`(m.own ->> 'slug')`;

/** A page of the project's monitors, newest first. */
export async function listMonitors(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  { enabled, selector, kinds, statuses, text }: MonitorFilter,
  page: Page,
): Promise<MonitorWithState[]> {
  const pattern = text === null ? null : searchPattern(text);
  const rows = await sql.once<ListedRow>`
    ${listedMonitors}
    where m.project_id = ${projectId}
      and m.deleted_at is null
      and (${enabled}::boolean is null or m.enabled = ${enabled})
      and (${kinds}::text[] is null or ${monitorSubject.kind} = any(${kinds}::text[]))
      and (
        ${statuses}::text[] is null
        or (s.project_id = ${projectId} and not s.deleted and s.verdict = any(${statuses}::text[]))
      )
      and (${pattern}::text is null or m.name ~ ${pattern} or ${host} ~ ${pattern}
        or ${dnsName} ~ ${pattern} or ${slug} ~ ${pattern})
      and ${selectorCondition(selector, monitorSubject)}
      and ${olderThan(page, fragment`m.created_at, m.id`)}
    order by m.created_at desc, m.id desc
    limit ${page.limit + 1}`;
  return rows.map(row => withState(row, keyring));
}
