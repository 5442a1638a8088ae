import { secretsOfConfig } from '../../on-call/channels/config.ts';
import { channelTypeNames } from '../../on-call/channels/types/registry.ts';
import type { ConfigKind } from './kind.ts';
import { channelRows } from './rows-store.ts';

export const channelsKind: ConfigKind = {
  type: 'channels',
  path: '/v0/channels',
  scope: 'channels',
  resource: 'Channel',
  named: 'name',
  prefix: 'chn',
  references: [],
  without: [],
  rows: channelRows,
  isNewer: ({ kind }) => !(channelTypeNames as readonly (string | null)[]).includes(kind),
  secretMembers: ['config'],
  secretsOf: ({ type, config }) => secretsOfConfig(String(type), config),
  standIn: ({ name }) => ({ name, type: 'webhook', config: { url: 'https://stand-in.invalid/' } }),
};
