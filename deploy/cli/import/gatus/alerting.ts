import { type Channel, channelProblem, putChannel } from '../draft/channels.ts';
import type { Draft } from '../draft/draft.ts';
import { durationMs } from '../draft/duration.ts';
import type { Notified } from '../draft/routes.ts';
import type { Thing } from '../draft/thing.ts';
import { isReference, isTrue, numberOf, objectOf, objectsOf, textOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';
import type { Endpoint } from './endpoint.ts';

/** A channel of each provider that has one here; null if what it needs is missing. */
const channelOf: Readonly<Record<string, (given: Item) => Channel | null>> = {
  discord: ({ 'webhook-url': url }) => channel('discord', { url }, ['url']),
  email: ({ to }) => {
    const addresses = textOf(to)
      .split(/[,;\s]+/)
      .filter(address => address !== '');
    return addresses.length === 0 || addresses.length > 20 ? null : { type: 'email', config: { to: addresses } };
  },
  googlechat: ({ 'webhook-url': url }) => channel('google_chat', { url }, ['url']),
  gotify: ({ 'server-url': server, token }) => channel('gotify', { server, token }, ['server', 'token']),
  'incident-io': ({ url, 'auth-token': token }) =>
    channel('incident_io', { source_id: textOf(url).split('/').at(-1), token }, ['source_id', 'token']),
  matrix: ({ 'server-url': server, 'access-token': access_token, 'internal-room-id': room_id }) =>
    channel('matrix', { server: server ?? 'https://matrix-client.matrix.org', access_token, room_id }, [
      'access_token',
      'room_id',
    ]),
  mattermost: ({ 'webhook-url': url }) => channel('mattermost', { url }, ['url']),
  ntfy: ({ topic, url, token }) => channel('ntfy', { topic, server: url, token }, ['topic']),
  opsgenie: ({ 'api-key': api_key }) => channel('opsgenie', { api_key }, ['api_key']),
  pagerduty: ({ 'integration-key': routing_key }) => channel('pagerduty', { routing_key }, ['routing_key']),
  pushover: ({ 'application-token': token, 'user-key': user, device }) =>
    channel('pushover', { token, user, device }, ['token', 'user']),
  rocketchat: ({ 'webhook-url': url }) => channel('rocket_chat', { url }, ['url']),
  slack: ({ 'webhook-url': webhook_url }) => channel('slack', { webhook_url }, ['webhook_url']),
  teams: ({ 'webhook-url': url }) => channel('teams', { url }, ['url']),
  'teams-workflows': ({ 'webhook-url': url }) => channel('teams', { url }, ['url']),
  telegram: ({ token, id, 'topic-id': topic }) =>
    channel('telegram', { bot_token: token, chat_id: id, topic_id: numberOf(topic) ?? undefined }, [
      'bot_token',
      'chat_id',
    ]),
};

/** What providers have that is not in a channel: it is said, once for each. */
const ownMembers = new Set(['default-alert', 'overrides', 'client']);

/** Members of providers that channels have. */
const carried = new Set([
  ...'webhook-url to server-url token url auth-token access-token internal-room-id'.split(' '),
  ...'topic api-key integration-key application-token user-key device id topic-id'.split(' '),
]);

/** Channels of the providers, and whom each endpoint's alerts notify. */
export class Alerting {
  readonly #draft: Draft;
  readonly #providers: Item;
  readonly #keys = new Map<string, string>();

  constructor(draft: Draft, alerting: unknown) {
    this.#draft = draft;
    this.#providers = objectOf(alerting);
    for (const [type, given] of Object.entries(this.#providers)) this.#readProvider(type, objectOf(given));
  }

  /** An alert with what the provider sets for all of its type. */
  withDefaults(alert: Item): Item {
    const defaults = objectOf(objectOf(this.#providers[textOf(alert.type)])['default-alert']);
    return { ...defaults, ...alert };
  }

  /** The channels of an endpoint's alerts; those without one are reported. */
  notified({ thing, key, group, alerts }: Endpoint): Notified {
    const channels = new Set<string>();
    let remindMinutes: number | null = null;
    for (const alert of alerts.map(one => this.withDefaults(one))) {
      const type = textOf(alert.type);
      const found = this.#channelFor(type, group, objectOf(alert['provider-override']));
      if (found === null) thing.dropped('alerts', type, `there is no channel for ${type || 'it'}`);
      else channels.add(found);
      if (textOf(alert.description) !== '')
        thing.dropped('alerts', textOf(alert.description), 'messages have no text of their own');
      if (alert['send-on-resolved'] === undefined || !isTrue(alert['send-on-resolved']))
        thing.changed('alerts.send-on-resolved', false, true, 'channels are always notified of the end');
      const again = durationMs(textOf(alert['minimum-reminder-interval']));
      if (again !== null && again > 0) remindMinutes = Math.min(1440, Math.max(5, Math.round(again / 60_000)));
    }
    return { monitorKey: key, channels: [...channels], remindMinutes };
  }

  #readProvider(type: string, given: Item): void {
    const thing = this.#draft.thing('alerting', type, type);
    const make = channelOf[type];
    if (make === undefined) return thing.leftOut('there is no such type of channel; one of type http may do');
    const key = this.#put(type, type, given);
    const problem = channelProblem(make(given) ?? { type, config: {} });
    for (const override of objectsOf(given.overrides)) this.#channelFor(type, textOf(override.group), {});
    if (key === null) return thing.leftOut(problem ?? 'what its channel needs is missing');
    this.#sayWhatIsDropped(thing, given);
    if (type === 'teams') thing.changed('webhook-url', null, null, 'Microsoft has ended connectors: use a workflow');
    thing.carried(key);
  }

  #sayWhatIsDropped(thing: Thing, given: Item): void {
    for (const name of Object.keys(given))
      if (!ownMembers.has(name) && !carried.has(name))
        thing.dropped(name, null, 'channels of this type have no equivalent');
  }

  /** The channel of a provider for a group of endpoints, which may have one of its own. */
  #channelFor(type: string, group: string, own: Item): string | null {
    const given = objectOf(this.#providers[type]);
    if (channelOf[type] === undefined || this.#providers[type] === undefined) return null;
    const override = objectsOf(given.overrides).find(one => textOf(one.group) === group && group !== '') ?? {};
    const name = Object.keys(override).length > 0 ? `${type} ${group}` : type;
    return this.#put(type, name, { ...given, ...override, ...own });
  }

  #put(type: string, name: string, given: Item): string | null {
    const made = channelOf[type]?.(given) ?? null;
    if (made === null || channelProblem(made) !== null) return null;
    const id = JSON.stringify(made);
    const key = this.#keys.get(id) ?? putChannel(this.#draft, name, made);
    this.#keys.set(id, key);
    return key;
  }
}

function channel(type: string, config: Item, required: readonly string[]): Channel | null {
  const isThere = (value: unknown) => textOf(value) !== '' || isReference(value);
  const written = Object.entries(config)
    .filter(([, value]) => isThere(value))
    .map(([name, value]) => [name, name === 'topic_id' || isReference(value) ? value : textOf(value)]);
  return required.every(name => isThere(config[name])) ? { type, config: Object.fromEntries(written) } : null;
}
