import test from 'ava';
import { channelPostSchema } from '#control-plane/on-call/channels/channel.ts';
import { maskConfig } from '#control-plane/on-call/channels/config.ts';
import { channelTypes as definitions } from '#control-plane/on-call/channels/types/registry.ts';
import {
  channelBody,
  channelChanges,
  draftOfChannel,
  newChannel,
  withoutSecrets,
} from '#control-plane/web/dashboard/app/features/channels/channel-draft.ts';
import type { channelTypeNames } from '#control-plane/web/dashboard/app/features/channels/channel-fields.ts';
import { channelConfigs } from '#test/support/channel-configs.ts';
import { sampleChannel } from '../../samples.ts';

test('each type of channel is typed in, stored masked, and kept when it is saved untouched', t => {
  for (const [type, config] of Object.entries(channelConfigs('https://hooks.example.com/'))) {
    const name = type as (typeof channelTypeNames)[number];
    const stored = definitions[name].schema.parse(config) as Record<string, unknown>;
    const typed = draftOfChannel(sampleChannel({ type: name, config: stored }));
    const parsed = channelPostSchema.safeParse(channelBody(typed));
    t.deepEqual(parsed.data?.config, stored, type);
    const shown = draftOfChannel(sampleChannel({ type: name, config: maskConfig(name, stored) }));
    t.deepEqual(channelChanges(shown, shown), {}, type);
    t.deepEqual(channelChanges(shown, { ...shown, name: 'Other' }), { name: 'Other' });
  }
});

test('an empty optional field is null, and a new channel has its type’s defaults', t => {
  t.deepEqual(channelBody(newChannel('telegram')).config, { bot_token: '', chat_id: '', topic_id: null });
  t.like(newChannel('ntfy'), { detail: 'brief', config: { server: 'https://ntfy.sh' } });
  const http = { ...newChannel('http'), config: { ...newChannel('http').config, headers: 'X-A: b: c\n\nX-B' } };
  t.like(channelBody(http).config, { headers: { 'X-A': 'b: c', 'X-B': '' } });
});

test('no secret that is typed stays in the tab’s storage', t => {
  const draft = { ...newChannel('ntfy'), name: 'Phone', config: { server: 's', topic: 'hunter2', token: '********' } };
  const start = { ...draft, config: { server: '', topic: '********', token: '********' } };
  const kept = { server: 's', topic: '********', token: '********' };
  t.deepEqual(withoutSecrets(start)(draft), { ...draft, config: kept });
  t.is(withoutSecrets(newChannel('ntfy'))(draft).config.topic, '');
});
