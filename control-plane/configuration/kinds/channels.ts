import { secretsOfConfig } from '../../on-call/channels/config.ts';
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
  secretMembers: ['config'],
  secretsOf: ({ type, config }) => secretsOfConfig(String(type), config),
  standIn: ({ name }) => ({ name, type: 'webhook', config: { url: 'https://stand-in.invalid/' } }),
};
