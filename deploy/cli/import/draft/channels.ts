import type { Item } from '../imported.ts';
import type { Draft } from './draft.ts';
import { isEmail } from './email.ts';
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

const token = /^[\x21-\x7e]{8,500}$/;
/** The form of fields that are not only texts; addresses of servers are URLs. */
const forms: Readonly<Record<string, RegExp>> = {
  'gotify.token': token,
  'incident_io.source_id': /^[0-9A-Za-z-]{10,64}$/,
  'incident_io.token': token,
  'matrix.access_token': token,
  'matrix.room_id': /^![^\s/]{1,254}$/,
  'ntfy.token': token,
  'ntfy.topic': /^[\w-]{1,64}$/,
  'opsgenie.api_key': token,
  'pagerduty.routing_key': token,
  'pushover.device': /^[\w-]{1,25}(,[\w-]{1,25}){0,9}$/,
  'pushover.token': /^[A-Za-z0-9]{30}$/,
  'pushover.user': /^[A-Za-z0-9]{30}$/,
  'telegram.bot_token': /^\d{3,20}:[\w-]{20,100}$/,
  'telegram.chat_id': /^(-?\d{1,20}|@\w{5,32})$/,
};

/** What is wrong with a channel's configuration; null if nothing is. */
export function channelProblem({ type, config }: Channel): string | null {
  for (const [field, value] of Object.entries(config)) {
    if (field === 'to') {
      const addresses = Array.isArray(value) ? value : [];
      const distinct = new Set(addresses.map(address => String(address).toLowerCase()));
      const isValid = addresses.every(address => isEmail(String(address)));
      if (addresses.length === 0 || addresses.length > 20 || distinct.size < addresses.length || !isValid)
        return 'it needs 1 to 20 email addresses';
    }
    if (typeof value !== 'string') continue;
    if (
      /^(?:url|webhook_url|server)$/.test(field) ? !isWebUrl(value) : forms[`${type}.${field}`]?.test(value) === false
    )
      return `its ${field.replaceAll('_', ' ')} does not have the form that is needed`;
  }
  return null;
}

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

function isWebUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || text.length > 2048 || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}
