import { toTimestamp } from '#shared/clock.ts';
import { hiddenPassword } from './access/access.ts';
import type { AccessSecrets } from './access/secrets.ts';
import { pageUrl } from './hosts/own-address.ts';
import type { StatusPageRow } from './store.ts';

/** `secrets`: null for who may not see them. `link`: the secret of a link that was made just now. */
export type Shown = { baseUrl: string; secrets: AccessSecrets | null; link?: string | null };

/** The page as the API returns it. */
export function viewStatusPage(row: StatusPageRow, { baseUrl, secrets, link = null }: Shown) {
  const url = pageUrl(baseUrl, { slug: row.slug, domain: row.canonical_domain });
  return {
    id: row.id,
    project_id: row.project_id,
    key: null,
    managed_by: null,
    name: row.name,
    slug: row.slug,
    description: row.description,
    timezone: row.timezone,
    locale: row.locale,
    theme: row.theme,
    history_days: row.history_days,
    logo: row.logo_width === null ? null : `${url}/logo`,
    color: row.color,
    home_url: row.home_url,
    support_url: row.support_url,
    access: viewAccess(row, { url, secrets, link }),
    canonical_domain: row.canonical_domain,
    url,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

function viewAccess(row: StatusPageRow, { url, secrets, link }: Omit<Shown, 'baseUrl'> & { url: string }) {
  return {
    type: row.access_type,
    ...(row.access_type === 'password' ? { password: hiddenPassword } : {}),
    ...(row.access_type === 'ip' ? { ranges: row.access_ranges } : {}),
    version: row.access_version,
    changed_at: row.access_changed_at === null ? null : toTimestamp(row.access_changed_at),
    ...(secrets?.key === undefined ? {} : { feed_url: `${url}/feed.rss?key=${secrets.key}` }),
    ...(link ? { url: `${url}?access=${link}` } : {}),
  };
}
