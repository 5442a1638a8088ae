import test from 'ava';
import { metaOf } from '#control-plane/on-call/channels/types/fields.ts';
import { type ChannelType, channelTypes } from '#control-plane/on-call/channels/types/registry.ts';
import { secretFields } from '#deploy/cli/import/draft/channels.ts';

test('importers seal the fields of channels that the server hides', t => {
  // Not of importers: what another service sends back.
  const others = ['webhook_secret'];
  const hidden = Object.keys(secretFields).map(type => {
    const { shape } = channelTypes[type as ChannelType].schema;
    const names = Object.entries(shape).filter(
      ([name, schema]) => metaOf(schema).isSecret === true && !others.includes(name),
    );
    return [type, names.map(([name]) => name).toSorted()];
  });
  t.deepEqual(
    hidden,
    Object.entries(secretFields).map(([type, names]) => [type, names.toSorted()]),
  );
});
