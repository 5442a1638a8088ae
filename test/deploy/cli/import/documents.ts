import { fill } from '#control-plane/configuration/document/environment.ts';
import { mergeSources } from '#control-plane/configuration/document/merge.ts';
import { jsonSource } from '#control-plane/configuration/document/source.ts';
import { configKinds } from '#control-plane/configuration/kinds/kinds.ts';
import { resolveReferences } from '#control-plane/configuration/kinds/references.ts';
import { componentPostSchema } from '#control-plane/monitoring/components/component.ts';
import { maintenancePostSchema } from '#control-plane/monitoring/maintenances/maintenance.ts';
import { monitorPostSchema, withKind } from '#control-plane/monitoring/monitors/monitor.ts';
import { settingsErrors } from '#control-plane/monitoring/monitors/settings.ts';
import { channelPostSchema } from '#control-plane/on-call/channels/channel.ts';
import { routePostSchema } from '#control-plane/on-call/routing/route.ts';
import { statusPagePostSchema } from '#control-plane/publishing/status-pages/status-page.ts';
import type { Choices, Imported, Item, Reported } from '#deploy/cli/import/imported.ts';
import type { ConfigType } from '#shared/config-types.ts';

const schemas = {
  channels: channelPostSchema,
  monitors: monitorPostSchema.strict(),
  status_pages: statusPagePostSchema,
  components: componentPostSchema,
  routes: routePostSchema,
  maintenances: maintenancePostSchema,
};

export const choices: Choices = {
  manager: 'imported',
  regions: ['eu-west', 'us-east'],
  withHistory: true,
  environment: {},
  nowMs: Date.UTC(2026, 10, 1),
};

/** What the plan would refuse of imported documents, without a server. */
export function errorsOf({ document, env }: Imported): string[] {
  const { items, errors } = mergeSources([jsonSource(document)], 'prj_1');
  const keys = new Set(items.map(({ type, parent, key }) => `${type} ${parent === '' ? key : `${parent}/${key}`}`));
  const found = errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
  for (const { type, key, item } of items) {
    const refuse = (text: string) => found.push(`${type} ${key}: ${text}`);
    const filled = fill(item, env);
    for (const { pointer, name } of filled.missing) refuse(`${pointer} has no value of ${name}`);
    const id = (other: ConfigType, name: string) => (keys.has(`${other} ${name}`) ? `mon_${'0'.repeat(26)}` : null);
    const { components: _, ...own } = filled.item as Item & { components?: unknown };
    const resolved = resolveReferences(own, configKinds[type].references, id);
    for (const { pointer, detail } of resolved.errors) refuse(`${pointer} ${detail}`);
    const schema = schemas[type as keyof typeof schemas];
    const body = type === 'components' ? { ...resolved.body, status_page_id: 'sp_1' } : resolved.body;
    const parsed = schema.safeParse(unrepeated(body));
    if (!parsed.success) for (const issue of parsed.error.issues) refuse(`/${issue.path.join('/')} ${issue.message}`);
    else if (type === 'monitors')
      for (const error of settingsErrors(monitorSettings(parsed.data))) refuse(JSON.stringify(error));
  }
  return found;
}

/** All references have one id here. */
function unrepeated(body: Item): Item {
  return JSON.parse(JSON.stringify(body), (_key, value: unknown) =>
    Array.isArray(value) && value.every(item => item === `mon_${'0'.repeat(26)}`) ? [...new Set(value)] : value,
  ) as Item;
}

function monitorSettings(parsed: unknown) {
  const settings = withKind(parsed as Parameters<typeof withKind>[0]);
  const { url, regions, interval_seconds, ...others } = settings;
  if (settings.kind === 'domain') return { ...others, url };
  if (settings.kind !== 'heartbeat') return settings;
  const cron = settings.heartbeat?.cron ?? null;
  return { ...others, ...(cron === null ? { interval_seconds } : {}) };
}

export function resource(imported: Imported, type: string, key: string): Item | undefined {
  return (imported.document[type] as Item[] | undefined)?.find(item => item.key === key);
}

export function reported({ items }: Imported, type: string, name: string): Reported | undefined {
  return items.find(item => item.type === type && item.name === name);
}
