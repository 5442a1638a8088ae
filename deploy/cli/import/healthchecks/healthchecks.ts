import { parseCron } from '../../../../control-plane/monitoring/monitors/heartbeats/cron.ts';
import { cronIntervalSeconds } from '../../../../control-plane/monitoring/monitors/heartbeats/expected.ts';
import { isTimezone } from '../../../../control-plane/platform/local-time.ts';
import { Draft } from '../draft/draft.ts';
import { labelsFrom } from '../draft/labels.ts';
import type { Thing } from '../draft/thing.ts';
import { atMost, intervalFor } from '../draft/timing.ts';
import { jsonOf, lineOf, numberOf, objectOf, objectsOf, textOf } from '../draft/values.ts';
import { type Choices, type Imported, type Item, SourceError, type SourceFile } from '../imported.ts';

const weekSeconds = 604_800;
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** Reads the checks of Healthchecks, as its API lists them to a key that may write. Throws `SourceError`. */
export function importHealthchecks(file: SourceFile, choices: Choices): Imported {
  const list = objectOf(jsonOf(file.text)).checks;
  if (!Array.isArray(list))
    throw new SourceError(`${file.path} is no list of checks of Healthchecks: it has no \`checks\`.`);
  const draft = new Draft(choices);
  const slugs = new Set<string>();
  for (const check of objectsOf(list)) putCheck(draft, check, slugs);
  return draft.finish('healthchecks', null);
}

function putCheck(draft: Draft, check: Item, slugs: Set<string>): void {
  const id = uuid.exec(`${textOf(check.ping_url)} ${textOf(check.uuid)}`)?.[0];
  const name = lineOf(check.name, 200, id ?? 'unnamed');
  const thing = draft.thing('check', name, id ?? textOf(check.unique_key));
  const schedule = scheduleOf(thing, check);
  if (typeof schedule === 'string') return thing.leftOut(schedule);
  const key = draft.keyFor('monitors', name);
  const grace = atMost(thing, 'grace', numberOf(check.grace) ?? 3600, weekSeconds);
  if (id === undefined)
    thing.dropped('uuid', null, 'a key that only reads does not show it: senders need the new address');
  const slug = textOf(check.slug);
  const isSlug = /^[a-z0-9][a-z0-9_-]{0,99}$/.test(slug) && !slugs.has(slug);
  if (slug !== '' && !isSlug) thing.dropped('slug', slug, 'another check has it, or it has other characters');
  if (isSlug) slugs.add(slug);
  sayWhatIsDropped(thing, check);
  const tags = textOf(check.tags)
    .split(/\s+/)
    .filter(tag => tag !== '');
  const labels = labelsFrom(
    thing,
    tags.map((tag): [string, string] => [tag, 'true']),
  );
  draft.put('monitors', key, {
    name,
    kind: 'heartbeat',
    ...schedule.item,
    heartbeat: {
      ...schedule.own,
      grace_seconds: Math.max(1, grace),
      ...(textOf(check.methods) === 'POST' ? { post_only: true } : {}),
      ...(isSlug ? { slug } : {}),
      ...(id === undefined ? {} : { aliases: [draft.sealed(['monitors', key, 'alias'], id.toLowerCase())] }),
    },
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(check.status === 'paused' ? { enabled: false } : {}),
  });
  thing.carried(key);
}

/** By an interval in seconds, or by cron; a text says why it has no equivalent. */
function scheduleOf(thing: Thing, check: Item): { item: Item; own: Item } | string {
  const cron = textOf(check.schedule).trim();
  if (cron === '') {
    const seconds = numberOf(check.timeout);
    if (seconds === null) return 'it has neither a period nor a schedule';
    return { item: { interval_seconds: intervalFor(thing, 'heartbeat', seconds) }, own: {} };
  }
  const zone = textOf(check.tz) || 'UTC';
  if (parseCron(cron) === null || cronIntervalSeconds(cron, 'UTC') === null)
    return `the schedule ${cron.slice(0, 100)} has a form that is not taken here`;
  if (!isTimezone(zone)) return `the time zone ${zone.slice(0, 100)} is not known`;
  return { item: {}, own: { cron, ...(zone === 'UTC' ? {} : { timezone: zone }) } };
}

function sayWhatIsDropped(thing: Thing, check: Item): void {
  if (textOf(check.desc).trim() !== '')
    thing.dropped('desc', textOf(check.desc).slice(0, 300), 'monitors have no description');
  if (textOf(check.channels) !== '')
    thing.dropped('channels', null, 'Healthchecks does not say where they lead: create channels and routes');
  if (check.manual_resume === true) thing.dropped('manual_resume', true, 'a signal starts it again');
  for (const field of [
    'subject',
    'subject_fail',
    'start_kw',
    'success_kw',
    'failure_kw',
    'filter_subject',
    'filter_body',
  ])
    if (check[field] !== undefined && check[field] !== '' && check[field] !== false)
      thing.dropped(field, textOf(check[field]).slice(0, 300), 'signals do not come by email');
}
