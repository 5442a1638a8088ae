import type { Draft } from '../draft/draft.ts';
import { labelsFrom } from '../draft/labels.ts';
import type { Thing } from '../draft/thing.ts';
import { atMost, intervalFor, packetsFor, timeoutFor } from '../draft/timing.ts';
import { isTrue, lineOf, numberOf, textOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';
import type { Context } from './context.ts';
import { requestItem } from './requests.ts';
import type { KumaSource } from './source.ts';
import { targetItem } from './targets.ts';

/** A monitor of Kuma that has one here. */
export type KumaMonitor = { id: number; key: string; row: Item; thing: Thing };

const kinds: Readonly<Record<string, string>> = {
  http: 'http',
  keyword: 'http',
  'json-query': 'http',
  port: 'tcp',
  ping: 'ping',
  dns: 'dns',
  push: 'heartbeat',
  'grpc-keyword': 'grpc',
  'websocket-upgrade': 'websocket',
};
const pushGraceSeconds = 60;

/** Puts the monitors into the documents; groups become labels. */
export function putMonitors(draft: Draft, source: KumaSource): KumaMonitor[] {
  const rows = source.rows('monitor');
  const byId = new Map(rows.map(row => [numberOf(row.id) ?? 0, row]));
  const tags = tagsOf(source);
  return rows.flatMap((row): KumaMonitor[] => {
    const id = numberOf(row.id) ?? 0;
    const thing = draft.thing('monitor', lineOf(row.name, 200, `monitor ${id}`), String(id));
    const type = textOf(row.type);
    if (type === 'group') {
      thing.changed('type', 'group', 'label group', 'its monitors have its name as a label');
      thing.carried(null);
      return [];
    }
    const group = groupOf(row, byId);
    const pairs: [string, string][] = group === null ? [] : [['group', group.name]];
    const key = draft.keyFor('monitors', thing.name);
    const item = monitorItem({ draft, thing, key, row }, source, [...pairs, ...(tags.get(id) ?? [])]);
    if (typeof item === 'string') {
      thing.leftOut(item);
      return [];
    }
    const isActive = isTrue(row.active ?? 1) && group?.isActive !== false;
    draft.put('monitors', key, { name: thing.name, ...item, ...(isActive ? {} : { enabled: false }) });
    return [{ id, key, row, thing }];
  });
}

/** All of a monitor but its name; a text says why it has no equivalent. */
function monitorItem(context: Context, source: KumaSource, labels: readonly [string, string][]): Item | string {
  const { thing, row } = context;
  const type = textOf(row.type);
  const kind = type === 'smtp' ? (isSecured(row) ? 'tls' : 'tcp') : kinds[type];
  if (kind === undefined) return `there is no kind of monitor for ${type}`;
  if (isTrue(row.upside_down)) return 'there is no monitor that is up when its target is down';
  const interval = intervalFor(thing, kind, numberOf(row.interval) || 60);
  const timing = kind === 'heartbeat' ? {} : timingItem(thing, kind, row, interval);
  const own = kind === 'http' ? requestItem(context, source) : targetItem(context, kind);
  if (typeof own === 'string') return own;
  if (textOf(row.description) !== '') thing.dropped('description', textOf(row.description), 'monitors have none');
  const rules = rulesOf(thing, kind, row, interval);
  const labelled = labelsFrom(thing, labels);
  const egress = egressOf(kind, row);
  const ping = kind === 'ping' ? pingItem(row, timing.timeout_ms ?? 0) : {};
  const { enabled, ...rest } = own as Item & { enabled?: boolean };
  const whole: Item = {
    interval_seconds: interval,
    ...timing,
    ...ping,
    ...rest,
    ...(Object.keys(egress).length === 0 ? {} : { egress: { ...egress, ...((rest as Item).egress as Item) } }),
    ...(Object.keys(rules).length === 0 ? {} : { alert_rules: rules }),
    ...(Object.keys(labelled).length === 0 ? {} : { labels: labelled }),
    ...(enabled === false ? { enabled } : {}),
  };
  return kind === 'heartbeat' ? { kind, ...whole, heartbeat: heartbeatItem(context) } : whole;
}

/** Whether a server of mail is asked for TLS: at once or by STARTTLS. */
function isSecured(row: Item): boolean {
  return ['secure', 'starttls'].includes(textOf(row.smtp_security));
}

function timingItem(thing: Thing, kind: string, row: Item, interval: number): { timeout_ms?: number } {
  // Kuma counts a time limit of 0 as four fifths of the interval.
  const seconds = numberOf(row.timeout) || (numberOf(row.interval) || 60) * 0.8;
  return { timeout_ms: timeoutFor(thing, kind, Math.round(seconds * 1000), interval) };
}

function pingItem(row: Item, timeoutMs: number): Item {
  const count = Math.max(1, Math.min(Math.round(numberOf(row.ping_count) ?? 1), packetsFor(timeoutMs)));
  return { ping: { count } };
}

function heartbeatItem({ draft, thing, key, row }: Context): Item {
  const token = textOf(row.push_token);
  const fits = /^[A-Za-z0-9]{10,64}$/.test(token);
  if (!fits) thing.dropped('push_token', null, 'it is too short to be an address: senders need the new one');
  return {
    grace_seconds: pushGraceSeconds,
    ...(fits ? { aliases: [draft.sealed(['monitors', key, 'alias'], token)] } : {}),
  };
}

/** How long it must be down: as long as Kuma tries again. */
function rulesOf(thing: Thing, kind: string, row: Item, interval: number): Item {
  const again = numberOf(row.retry_interval) || interval;
  const confirm = atMost(thing, 'maxretries', (numberOf(row.maxretries) ?? 0) * again, 3600);
  const url = textOf(row.url);
  const isWatched = row.expiry_notification == null || isTrue(row.expiry_notification);
  const hasCertificate = kind === 'http' && /^https:/i.test(url.trim());
  return {
    ...(confirm === 0 ? {} : { confirm_seconds: confirm }),
    ...(hasCertificate && !isWatched ? { certificate: { enabled: false } } : {}),
  };
}

function egressOf(kind: string, row: Item): Item {
  const family = textOf(row.ip_family);
  const hasTls = kind === 'http' || kind === 'websocket';
  return {
    ...(hasTls && isTrue(row.ignore_tls) ? { verify: false } : {}),
    ...((family === 'ipv4' || family === 'ipv6') && kind !== 'dns' && kind !== 'heartbeat'
      ? { ip_family: family }
      : {}),
  };
}

/** The names of the groups that a monitor is in, from the outermost; a circle ends. */
function groupOf(row: Item, byId: ReadonlyMap<number, Item>): { name: string; isActive: boolean } | null {
  const names: string[] = [];
  const seen = new Set<number>();
  let isActive = true;
  let parent = numberOf(row.parent);
  while (parent !== null && !seen.has(parent)) {
    seen.add(parent);
    const group = byId.get(parent);
    if (group === undefined) break;
    names.unshift(textOf(group.name));
    isActive &&= isTrue(group.active ?? 1);
    parent = numberOf(group.parent);
  }
  return names.length === 0 ? null : { name: names.join(' / '), isActive };
}

/** The label that the monitors of a group have. */
export function groupLabelOf(row: Item, source: KumaSource): string {
  const byId = new Map(source.rows('monitor').map(other => [numberOf(other.id) ?? 0, other]));
  const above = groupOf(row, byId);
  return above === null ? textOf(row.name) : `${above.name} / ${textOf(row.name)}`;
}

function tagsOf(source: KumaSource): Map<number, [string, string][]> {
  const names = new Map(source.rows('tag').map(({ id, name }) => [numberOf(id), textOf(name)]));
  const tags = new Map<number, [string, string][]>();
  for (const { monitor_id, tag_id, value } of source.rows('monitor_tag')) {
    const id = numberOf(monitor_id) ?? 0;
    const pair: [string, string] = [names.get(numberOf(tag_id)) ?? 'tag', textOf(value) || 'true'];
    tags.set(id, [...(tags.get(id) ?? []), pair]);
  }
  return tags;
}
