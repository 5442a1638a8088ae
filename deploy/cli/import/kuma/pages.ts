import { freeKey, keyFrom } from '../../../../control-plane/configuration/export/keys.ts';
import type { Draft } from '../draft/draft.ts';
import { labelValueFrom } from '../draft/labels.ts';
import { slugFrom } from '../draft/slugs.ts';
import { isTrue, lineOf, numberOf, textOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';
import { groupLabelOf, type KumaMonitor } from './monitors.ts';
import type { KumaSource } from './source.ts';

/** Puts the pages into the documents: their keys by their ids. */
export function putPages(draft: Draft, source: KumaSource, monitors: readonly KumaMonitor[]): Map<number, string> {
  const keys = new Map<number, string>();
  for (const row of source.rows('status_page')) {
    const id = numberOf(row.id) ?? 0;
    const thing = draft.thing('status_page', lineOf(row.title, 200, 'Status page'), String(id));
    if (!isTrue(row.published ?? 1)) {
      thing.leftOut('it is not published, and pages here are');
      continue;
    }
    if (textOf(row.password) !== '') {
      thing.leftOut('it has a password, and would be public here');
      continue;
    }
    const slug = slugFrom(textOf(row.slug) || thing.name);
    if (slug !== textOf(row.slug))
      thing.changed('slug', textOf(row.slug), slug, 'slugs are lower case, digits and hyphens');
    for (const field of ['custom_css', 'footer_text', 'analytics_id', 'google_analytics_tag_id'])
      if (textOf(row[field]).trim() !== '') thing.dropped(field, null, 'pages have no equivalent');
    if (!/^(?:\/icon\.svg)?$/.test(textOf(row.icon)))
      thing.dropped('icon', textOf(row.icon), 'upload the logo by hand');
    const key = draft.keyFor('status_pages', slug);
    const theme = textOf(row.theme);
    const components = componentsOf(source, id, monitors, thing.dropped.bind(thing));
    draft.put('status_pages', key, {
      name: thing.name,
      slug,
      ...(textOf(row.description) === '' ? {} : { description: textOf(row.description).slice(0, 5000) }),
      ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
      ...(components.length === 0 ? {} : { components }),
    });
    keys.set(id, key);
    thing.carried(key);
  }
  for (const { status_page_id, domain } of source.rows('status_page_cname'))
    draft
      .thing('domain', textOf(domain), textOf(status_page_id))
      .leftOut('add it to the page once its DNS points here');
  for (const { id, title } of source.rows('incident'))
    draft
      .thing('incident', lineOf(title, 200, 'incident'), textOf(id))
      .leftOut('pinned texts have no times and states');
  return keys;
}

/** A component for each monitor of the page's groups; one for all monitors of a group that stands for them. */
function componentsOf(
  source: KumaSource,
  pageId: number,
  monitors: readonly KumaMonitor[],
  dropped: (field: string, was: unknown, why: string) => void,
): Item[] {
  const byWeight = (left: Item, right: Item) =>
    (numberOf(left.weight) ?? 0) - (numberOf(right.weight) ?? 0) ||
    (numberOf(left.id) ?? 0) - (numberOf(right.id) ?? 0);
  const groups = source.rows('group').filter(row => numberOf(row.status_page_id) === pageId && isTrue(row.active ?? 1));
  const taken = new Set<string>();
  return groups.toSorted(byWeight).flatMap(group => {
    const links = source.rows('monitor_group').filter(row => numberOf(row.group_id) === numberOf(group.id));
    return links.toSorted(byWeight).flatMap((link): Item[] => {
      const row = source.rows('monitor').find(({ id }) => numberOf(id) === numberOf(link.monitor_id));
      const monitor = monitors.find(({ id }) => id === numberOf(link.monitor_id));
      const name = lineOf(row?.name, 200, 'unnamed');
      const isGroup = textOf(row?.type) === 'group';
      if (row === undefined || (monitor === undefined && !isGroup)) {
        dropped('component', name, 'its monitor is left out');
        return [];
      }
      const key = freeKey(keyFrom(name), taken);
      taken.add(key);
      const drivenBy = isGroup
        ? { monitor_selector: `group=${JSON.stringify(labelValueFrom(groupLabelOf(row, source)))}` }
        : { monitors: [monitor?.key] };
      return [{ key, name, group: lineOf(group.name, 200, 'Services'), ...drivenBy }];
    });
  });
}
