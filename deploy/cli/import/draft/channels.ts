import type { Item } from '../imported.ts';
import type { Draft } from './draft.ts';
import { lineOf, textOf } from './values.ts';

/** The fields of each type's `config` that are secret; the types that importers make. */
export const secretFields: Readonly<Record<string, readonly string[]>> = {
  apprise: ['url'],
  discord: ['url'],
  email: [],
  google_chat: ['url'],
  gotify: ['token'],
  incident_io: ['token'],
  matrix: ['access_token'],
  mattermost: ['url'],
  ntfy: ['topic', 'token'],
  opsgenie: ['api_key'],
  pagerduty: ['routing_key'],
  pushover: ['token', 'user'],
  rocket_chat: ['url'],
  slack: ['webhook_url'],
  teams: ['url'],
  telegram: ['bot_token'],
  webhook: ['url'],
};

/** A channel as an importer reads it. Values of `config` that are objects are references already. */
export type Channel = { type: string; config: Item };

/** Puts a channel into the documents under a name that no other has, and returns its key. */
export function putChannel(draft: Draft, wanted: string, { type, config }: Channel): string {
  const line = lineOf(wanted, 90, type);
  const key = draft.keyFor('channels', line);
  const taken = new Set(draft.itemsOf('channels').map(({ name }) => textOf(name)));
  let name = line;
  for (let number = 2; taken.has(name); number++) name = `${line} ${number}`;
  const secrets = secretFields[type] ?? [];
  const sealed = Object.entries(config)
    .filter(([, value]) => value !== null && value !== '' && value !== undefined)
    .map(([field, value]) => [
      field,
      typeof value === 'string' && secrets.includes(field) ? draft.sealed(['channels', key, field], value) : value,
    ]);
  draft.put('channels', key, { name, type, config: Object.fromEntries(sealed) });
  return key;
}
