import test from 'ava';
import { maskConfig } from '#control-plane/on-call/channels/config.ts';
import { channelTypes as definitions } from '#control-plane/on-call/channels/types/registry.ts';
import { channelTypeNames, channelTypes } from '#control-plane/web/dashboard/app/features/channels/channel-fields.ts';

test('the table of fields names what the API takes, and what it keeps secret', t => {
  t.deepEqual(channelTypeNames.toSorted(), Object.keys(definitions).sort());
  for (const type of channelTypeNames) {
    const names = channelTypes[type].fields.map(({ name }) => name);
    t.deepEqual(names.toSorted(), Object.keys(definitions[type].schema.shape).sort(), type);
    const given = Object.fromEntries(names.map(name => [name, name === 'headers' ? { a: 'open' } : 'open']));
    const masked = Object.entries(maskConfig(type, given)).flatMap(([name, value]) =>
      JSON.stringify(value).includes('open') ? [] : [name],
    );
    const secret = channelTypes[type].fields.flatMap(({ name, isSecret }) => (isSecret === true ? [name] : []));
    t.deepEqual(secret.sort(), masked.sort(), type);
  }
});
