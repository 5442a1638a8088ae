import { freeKey, keyFrom } from '../../../../control-plane/configuration/export/keys.ts';
import { isTimezone } from '../../../../control-plane/platform/local-time.ts';
import { Draft } from '../draft/draft.ts';
import { isEmail } from '../draft/email.ts';
import { slugFrom } from '../draft/slugs.ts';
import { isTrue, jsonOf, lineOf, listOf, objectOf, objectsOf, textOf } from '../draft/values.ts';
import { type Choices, type Imported, type Item, SourceError, type SourceFile } from '../imported.ts';
import { incidentOf, isMaintenance } from './incidents.ts';

/** What files of Statuspage have together, each known by its content. */
type Content = { page: Item; components: Item[]; incidents: Item[]; subscribers: Item[] };

/**
 * Reads the API's lists of components, incidents and subscribers of Statuspage, or what a public page serves. Throws
 * `SourceError`.
 */
export function importStatuspage(files: readonly SourceFile[], choices: Choices): Imported {
  const content = readContent(files);
  const draft = new Draft(choices);
  const { page } = content;
  const name = lineOf(page.name, 200, 'Status page');
  const thing = draft.thing('page', name, textOf(page.id));
  const slug = slugFrom(textOf(page.subdomain) || name);
  const pageKey = draft.keyFor('status_pages', slug);
  const zone = zones[textOf(page.time_zone)] ?? textOf(page.time_zone);
  const timezone = zone !== '' && isTimezone(zone) ? zone : null;
  if (timezone === null && zone !== '') thing.changed('time_zone', zone, 'UTC', 'it is not the name of a time zone');
  if (textOf(page.domain) !== '')
    thing.dropped('domain', textOf(page.domain), 'add it to the page once its DNS points here');
  const { components, keys } = componentsOf(draft, content.components);
  draft.put('status_pages', pageKey, {
    name,
    slug,
    ...(timezone === null ? {} : { timezone }),
    ...(textOf(page.page_description) === '' ? {} : { description: textOf(page.page_description).slice(0, 5000) }),
    ...(components.length === 0 ? {} : { components }),
  });
  thing.carried(pageKey);
  const keyOf = (id: string) => keys.get(id) ?? null;
  putMaintenances(draft, content.incidents.filter(isMaintenance), { pageKey, keyOf, nowMs: choices.nowMs });
  const incidents = content.incidents
    .filter(incident => !isMaintenance(incident))
    .map(incident => incidentOf(draft, incident, { pageKey, keyOf }))
    .filter(made => made !== null);
  const subscribers = content.subscribers
    .map(given => subscriberOf(draft, given, pageKey))
    .filter(made => made !== null);
  return draft.finish('statuspage', null, { incidents, subscribers });
}

/** Statuspage names some zones as Rails does. */
const zones: Readonly<Record<string, string>> = {
  UTC: 'UTC',
  'Pacific Time (US & Canada)': 'America/Los_Angeles',
  'Mountain Time (US & Canada)': 'America/Denver',
  'Central Time (US & Canada)': 'America/Chicago',
  'Eastern Time (US & Canada)': 'America/New_York',
  London: 'Europe/London',
  Berlin: 'Europe/Berlin',
  Paris: 'Europe/Paris',
  Tokyo: 'Asia/Tokyo',
  Sydney: 'Australia/Sydney',
};

function readContent(files: readonly SourceFile[]): Content {
  const content: Content = { page: {}, components: [], incidents: [], subscribers: [] };
  const seen = new Set<string>();
  const add = (list: 'components' | 'incidents' | 'subscribers', items: readonly Item[]) => {
    // A page's summary has the components of its list again.
    for (const item of items) {
      const id = `${list} ${textOf(item.id)}`;
      if (!seen.has(id)) content[list].push(item);
      seen.add(id);
    }
  };
  for (const { path, text } of files) {
    const value = jsonOf(text);
    const root = objectOf(value);
    const items = objectsOf(value);
    const [first = {}] = items;
    if (textOf(objectOf(root.page).name) !== '') content.page = objectOf(root.page);
    if (Array.isArray(root.components) || Array.isArray(root.incidents) || Array.isArray(root.scheduled_maintenances)) {
      add('components', objectsOf(root.components));
      add('incidents', [...objectsOf(root.incidents), ...objectsOf(root.scheduled_maintenances)]);
    } else if (Array.isArray(first.incident_updates)) add('incidents', items);
    else if (first.mode !== undefined || first.email !== undefined) add('subscribers', items);
    else if (first.status !== undefined && first.name !== undefined) add('components', items);
    else if (textOf(root.subdomain) !== '') content.page = root;
    else
      throw new SourceError(
        `${path} is none of the files of Statuspage: components, incidents, subscribers or a page.`,
      );
  }
  return content;
}

/** Components in their order, with their keys by their ids; a group is a name of its components. */
function componentsOf(draft: Draft, given: readonly Item[]): { components: Item[]; keys: Map<string, string> } {
  const groups = new Map(given.filter(({ group }) => isTrue(group)).map(group => [textOf(group.id), group]));
  const keys = new Map<string, string>();
  const taken = new Set<string>();
  const position = (item: Item) => Number(textOf(item.position) || 0);
  const groupPosition = (item: Item) => position(groups.get(textOf(item.group_id)) ?? item);
  const ordered = given
    .filter(({ group }) => !isTrue(group))
    .toSorted((left, right) => groupPosition(left) - groupPosition(right) || position(left) - position(right));
  for (const group of groups.values()) {
    const thing = draft.thing('group', lineOf(group.name, 200, 'group'), textOf(group.id));
    if (textOf(group.description) !== '') thing.dropped('description', textOf(group.description), 'groups have none');
    thing.carried(null);
  }
  const components = ordered.map((item): Item => {
    const name = lineOf(item.name, 200, 'Component');
    const thing = draft.thing('component', name, textOf(item.id));
    const group = groups.get(textOf(item.group_id));
    const key = freeKey(keyFrom(name), taken);
    taken.add(key);
    keys.set(textOf(item.id), key);
    if (textOf(item.status) !== '' && item.status !== 'operational')
      thing.dropped('status', textOf(item.status), 'a status is set by hand, or by monitors: bind them');
    if (isTrue(item.only_show_if_degraded)) thing.dropped('only_show_if_degraded', true, 'components are always shown');
    thing.carried(key);
    return {
      key,
      name,
      ...(textOf(item.description) === '' ? {} : { description: textOf(item.description).slice(0, 2000) }),
      ...(group === undefined ? {} : { group: lineOf(group.name, 200, 'Group') }),
      ...(item.showcase === false ? { show_uptime: false } : {}),
    };
  });
  return { components, keys };
}

type Links = { pageKey: string; keyOf(id: string): string | null; nowMs: number };

/** Windows that are still to come. */
function putMaintenances(draft: Draft, given: readonly Item[], { pageKey, keyOf, nowMs }: Links): void {
  for (const item of given) {
    const title = lineOf(item.name, 255, 'Maintenance');
    const thing = draft.thing('maintenance', title, textOf(item.id));
    const [starts, ends] = [Date.parse(textOf(item.scheduled_for)), Date.parse(textOf(item.scheduled_until))];
    const fits = ends - starts >= 60_000 && ends - starts <= 30 * 86_400_000;
    if (!(ends > nowMs)) thing.leftOut('it is over');
    else if (!fits || starts < nowMs - 89 * 86_400_000 || starts > nowMs + 399 * 86_400_000)
      thing.leftOut('it is longer than 30 days, or too far away');
    else {
      const components = objectsOf(item.components).flatMap(({ id }) => keyOf(textOf(id)) ?? []);
      const scope =
        components.length === 0
          ? { status_pages: [pageKey] }
          : { components: components.map(key => `${pageKey}/${key}`) };
      const key = draft.keyFor('maintenances', title);
      const first = objectsOf(item.incident_updates).at(-1);
      draft.put('maintenances', key, {
        title,
        ...(textOf(first?.body).trim() === '' ? {} : { description: textOf(first?.body).slice(0, 25_000) }),
        scope,
        starts_at: new Date(starts).toISOString(),
        ends_at: new Date(ends).toISOString(),
        announced: true,
      });
      thing.carried(key);
    }
  }
}

function subscriberOf(draft: Draft, given: Item, pageKey: string): Item | null {
  const email = textOf(given.email).trim();
  const mode = textOf(given.mode) || 'email';
  // The report is no list of addresses.
  const thing = draft.thing('subscriber', `${mode} ${textOf(given.id)}`.trim(), textOf(given.id));
  if (mode !== 'email' || !isEmail(email))
    thing.leftOut(mode === 'email' ? 'it is no address' : 'emails alone are imported');
  else if (textOf(given.quarantined_at) !== '' || textOf(given.purge_at) !== '')
    thing.leftOut('Statuspage does not send to it');
  else {
    if (listOf(given.components).length > 0) thing.dropped('components', null, 'subscribers get all of a page');
    thing.carried(null);
    return { status_page: pageKey, email };
  }
  return null;
}
