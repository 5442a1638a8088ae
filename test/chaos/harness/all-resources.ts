import { randomUUID } from 'node:crypto';
import { type Resource, storedMaximum } from '#control-plane/platform/project-limits/quota.ts';
import type { Api } from '../../support/control-plane.ts';

/** Small, so that minutes reach the bounds: what counts is that there are any, and that they are those of the guide. */
export const small: Partial<Record<Resource, number>> = {
  monitors: 1,
  tokens: 2,
  status_pages: 2,
  components: 1,
  incidents: 1,
  maintenances: 1,
  releases: 50,
  webhooks: 1,
  channels: 1,
  flows: 1,
  walls: 1,
};

/** Makes one thing as large as it may be, and deletes it again. */
export type Work = (api: Api) => Promise<boolean>;
type Grounds = { page: string; region: string };

const large = (characters: number) =>
  randomUUID()
    .repeat(Math.ceil(characters / 36))
    .slice(0, characters);

/** The most rows that are stored of a resource under these quotas. */
export const storedOf = (resource: Resource): number | null => {
  const maximum = small[resource];
  return maximum === undefined ? null : (storedMaximum(resource, maximum) ?? maximum);
};

/** Makes and deletes what has a quota. True once it is refused for what is stored already. */
export const makersOf = ({ page, region }: Grounds): Partial<Record<Resource, Work>> => {
  const made =
    (resource: Resource, path: string, bodyOf: () => object, keep = false): Work =>
    async api => {
      const { status, body } = await api('POST', path, bodyOf(), { 'idempotency-key': randomUUID() });
      if (status === 201 && !keep) await api('DELETE', `${path}/${body.id}`);
      // What lives has room again after the next deletion.
      return body?.code === 'limit_reached' && body.limit === storedOf(resource);
    };
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  return {
    monitors: made('monitors', '/v0/monitors', () => ({ ...monitorIn(region), method: 'POST', body: large(60_000) })),
    incidents: made('incidents', '/v0/incidents', () => ({
      title: large(255),
      severity: 'p3',
      status_page_id: page,
      initial_update: { state: 'investigating', body: large(24_000) },
    })),
    components: made('components', '/v0/components', () => ({
      status_page_id: page,
      name: 'c',
      description: large(2000),
    })),
    status_pages: made('status_pages', '/v0/status-pages', () => ({
      name: 'p',
      slug: randomUUID(),
      description: large(5000),
    })),
    maintenances: made('maintenances', '/v0/maintenances', () => ({
      title: 'm',
      description: large(24_000),
      scope: { selector: '*' },
      starts_at: at(-2),
      ends_at: at(-1),
    })),
    tokens: made('tokens', '/v0/tokens', () => ({ name: large(200), scopes: ['*'] })),
    releases: made(
      'releases',
      '/v0/releases',
      () => ({ version: randomUUID(), props: { notes: large(30_000) } }),
      true,
    ),
  };
};

/** What leaves no row of its own behind, or deletes it at once. */
export const othersOf = ({ page, region }: Grounds): Work[] => {
  const twice =
    (path: string, body: object): Work =>
    async api => {
      const { status, body: answer } = await api('POST', path, body, { 'idempotency-key': randomUUID() });
      if (status === 201) await api('DELETE', `${path}/${answer.id}`);
      return false;
    };
  const keyed =
    (path: string, bodyOf: () => object): Work =>
    async api => {
      await api('POST', path, bodyOf(), { 'idempotency-key': randomUUID() });
      return false;
    };
  return [
    twice('/v0/flows', { name: 'f', steps: [{ event: 'a' }, { event: 'b' }] }),
    twice('/v0/webhooks', { url: 'https://example.com/', kinds: ['alert.opened'] }),
    twice('/v0/channels', { type: 'webhook', name: 'n', config: { url: 'https://example.com/' } }),
    twice('/v0/walls', { name: 'w' }),
    keyed(`/v0/status-pages/${page}/preview`, () => ({ description: large(5000) })),
    keyed('/v0/monitors?dry_run=true', () => monitorIn(region)),
    async api => {
      await api('PATCH', `/v0/status-pages/${page}`, { description: large(5000) });
      return false;
    },
  ];
};

const monitorIn = (region: string) => ({
  name: randomUUID(),
  url: 'https://example.com/',
  interval_seconds: 86_400,
  regions: [region],
  enabled: false,
});
