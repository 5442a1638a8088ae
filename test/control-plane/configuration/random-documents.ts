import fc from 'fast-check';
import { dayMs } from '#shared/duration.ts';

type Item = Record<string, unknown> & { key: string };
type Document = { upquorum: 1; manager: string; defaults: object } & Record<string, unknown>;

const lists = ['channels', 'flows', 'monitors', 'status_pages', 'routes', 'maintenances', 'reports'] as const;
const keys = ['a', 'b.c', 'd-e', 'f_g', '0'];
const some = (values: readonly string[]) => fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 });
const at = (days: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + days * dayMs).toISOString();

/** Documents with up to five resources of each type, each with any of its optional members. */
export function documentsOf(regions: readonly string[], unique: string): fc.Arbitrary<Document> {
  const set = (item: (key: string) => fc.Arbitrary<object>) =>
    fc
      .subarray(keys)
      .chain(chosen => fc.tuple(...chosen.map(key => item(key).map(members => named(key, without(members))))));
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
  const labels = maybe(fc.dictionary(fc.constantFrom('env', 'team'), fc.constantFrom('prod', 'test', 'true')));
  const checked = {
    interval_seconds: maybe(fc.constantFrom(30, 300)),
    regions: maybe(fc.constant(regions.slice(0, 2))),
    quorum: maybe(fc.constantFrom(1, 2)),
    labels,
    enabled: maybe(fc.boolean()),
    alert_rules: maybe(
      fc.record({ confirm_seconds: fc.constantFrom(0, 60), recover_seconds: fc.constant(30) }, { requiredKeys: [] }),
    ),
  };
  const status = fc.constantFrom({ operator: 'eq', value: 200 }, { operator: 'in', value: ['200-299', 404] });
  const kinds = (flows: readonly Item[]) => [
    fc.record({
      ...checked,
      url: fc.constantFrom('https://example.com/', 'http://example.com:8080/a?b=%20c'),
      method: maybe(fc.constantFrom('GET', 'HEAD')),
      headers: maybe(fc.constantFrom({ Accept: 'text/html' }, { Authorization: { $env: 'TOKEN' } })),
      follow_redirects: maybe(fc.boolean()),
      assertions: maybe(
        fc.array(
          status.map(rest => ({ type: 'status', ...rest })),
          { minLength: 1, maxLength: 2 },
        ),
      ),
      egress: maybe(fc.constantFrom({ ip_family: 'ipv4' }, { verify: false })),
    }),
    fc.record({ ...checked, url: fc.constant('tcp://example.com:5432') }),
    fc.record({ ...checked, url: fc.constantFrom('tls://example.com:443', 'dns://example.com/MX') }),
    fc.record({
      kind: fc.constant('heartbeat'),
      interval_seconds: fc.constantFrom(300, 3600),
      labels,
      heartbeat: maybe(fc.record({ grace_seconds: fc.constantFrom(60, 90), post_only: fc.boolean() })),
    }),
    ...flows.map(({ key }) =>
      fc.record({
        kind: fc.constant('events'),
        interval_seconds: fc.constant(300),
        events: fc.constant({ flow: key }),
        assertions: fc.constant([{ type: 'measured', operator: 'gte', value: 0.5 }]),
      }),
    ),
  ];
  const channels = set(() =>
    fc
      .record({
        type: fc.constantFrom('webhook', 'slack'),
        enabled: maybe(fc.boolean()),
      })
      .map(({ type, ...rest }) => ({
        ...rest,
        type,
        config: type === 'slack' ? { webhook_url: { $env: 'HOOK' } } : { url: { $env: 'HOOK' } },
      })),
  );
  const flows = set(() =>
    fc.record({
      window_seconds: maybe(fc.constantFrom(7200, 86400)),
      steps: fc
        .uniqueArray(fc.constantFrom('open', 'fill', 'pay'), { minLength: 2 })
        .map(events => events.map(event => ({ event }))),
    }),
  );
  return fc.tuple(channels, flows).chain(([channels, flows]) =>
    set(() => fc.oneof(...kinds(flows))).chain(monitors => {
      const monitorKeys = monitors.map(({ key }) => key);
      const component = fc.record({
        description: maybe(fc.constant('what it is')),
        monitors: maybe(
          some(monitorKeys.length ? monitorKeys : ['none']).map(all => all.filter(key => key !== 'none')),
        ),
        group: maybe(fc.constantFrom('Core', 'Edge')),
      });
      const pages = set(key =>
        fc.record({
          slug: fc.constant(`${key.replaceAll(/[._]/g, '-')}-page-${unique}`),
          description: maybe(fc.constant('A page')),
          components: fc
            .subarray(keys)
            .chain(chosen =>
              fc.tuple(
                ...chosen.map(own => component.map(members => ({ key: own, name: `C ${own}`, ...without(members) }))),
              ),
            ),
        }),
      );
      return pages.chain(status_pages => {
        const channelKeys = channels.map(({ key }) => key);
        const components = status_pages.flatMap(page =>
          (page.components as Item[]).map(({ key }) => `${page.key}/${key}`),
        );
        const routes =
          channelKeys.length === 0
            ? fc.constant([] as Item[])
            : set(() =>
                fc.record({
                  match: maybe(fc.constantFrom({ selector: 'env=prod' }, { severities: ['p1'] })),
                  continue: maybe(fc.boolean()),
                  steps: fc
                    .array(fc.subarray(channelKeys, { minLength: 1 }), { minLength: 1, maxLength: 3 })
                    .map(all => all.map((channels, index) => ({ after_minutes: index * 5, channels }))),
                }),
              );
        const scope = fc.record({
          monitors: fc.subarray(monitorKeys),
          components: fc.subarray(components),
          status_pages: fc.subarray(status_pages.map(({ key }) => key)),
          selector: fc.constant('env=test'),
        });
        const maintenances = set(key =>
          fc.record({
            title: fc.constant(`Window ${key}`),
            starts_at: fc.constant(at(2)),
            ends_at: fc.constant(at(3)),
            scope,
          }),
        );
        const item = fc.oneof(
          fc.constant({ title: 'Trend', type: 'trend', event: ['paid', 'refunded'], last: '7d' }),
          fc.constant({ title: 'Back', type: 'retention', start: 'signed up' }),
          ...flows.map(({ key }) => fc.constant({ title: 'Funnel', type: 'funnel', flow: key })),
        );
        const reports = set(() => fc.record({ items: fc.array(item, { minLength: 1, maxLength: 3 }) }));
        return fc.tuple(routes, maintenances, reports).map(
          ([routes, maintenances, reports]): Document => ({
            upquorum: 1,
            manager: 'random',
            defaults: { monitors: { interval_seconds: 60, regions } },
            channels,
            flows,
            monitors,
            status_pages,
            routes,
            maintenances,
            reports,
          }),
        );
      });
    }),
  );
}

/** Document split into files: `picks` says into which of five each item goes, but routes keep their order. */
export function filesOf(document: Document, picks: readonly number[]): { path: string; text: string }[] {
  let index = 0;
  const pick = () => picks[index++ % picks.length] ?? 0;
  const files = Array.from({ length: 5 }, (): Record<string, unknown> => ({ upquorum: 1 }));
  Object.assign(files[pick()] ?? {}, { manager: document.manager });
  Object.assign(files[pick()] ?? {}, { defaults: document.defaults });
  for (const type of lists) {
    const items = document[type] as Item[];
    const places = items.map(pick);
    if (type === 'routes') places.sort();
    for (const [at, item] of items.entries()) {
      const file = files[places[at] ?? 0] ?? {};
      file[type] = [...((file[type] as Item[] | undefined) ?? []), item];
    }
  }
  return files.map((file, at) => ({ path: `part-${at}.yaml`, text: JSON.stringify(file) })).reverse();
}

/** What becomes another kind needs another key. */
function named(key: string, members: Record<string, unknown>): Item {
  const kind = members.kind ?? members.type ?? String(members.url ?? '').split(':')[0];
  const own = kind === '' ? key : `${key}.${String(kind)}`;
  return { key: own, ...(Object.hasOwn(members, 'title') ? {} : { name: `Name of ${own}` }), ...members };
}

/** Without members that are undefined, which YAML would write as null. */
function without(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
