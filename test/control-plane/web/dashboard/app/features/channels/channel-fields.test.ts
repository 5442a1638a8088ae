import test from 'ava';
import { configSchemas, maskConfig } from '#control-plane/on-call/channels/config.ts';
import { channelTypeNames, channelTypes } from '#control-plane/web/dashboard/app/features/channels/channel-fields.ts';

test('the table of fields names what the API takes, and what it keeps secret', t => {
  t.deepEqual(channelTypeNames.toSorted(), Object.keys(configSchemas).sort());
  for (const type of channelTypeNames) {
    const names = channelTypes[type].fields.map(({ name }) => name);
    t.deepEqual(names.toSorted(), Object.keys(configSchemas[type].shape).sort(), type);
    const given = Object.fromEntries(names.map(name => [name, name === 'headers' ? { a: 'open' } : 'open']));
    const masked = Object.entries(maskConfig(type, given)).flatMap(([name, value]) =>
      JSON.stringify(value).includes('open') ? [] : [name],
    );
    const secret = channelTypes[type].fields.flatMap(({ name, isSecret }) => (isSecret === true ? [name] : []));
    t.deepEqual(secret.sort(), masked.sort(), type);
  }
});
