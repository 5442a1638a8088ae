import test from 'ava';
import { areCurrent, areFormsCurrent, currentDocument } from '#deploy/api-types/write.ts';

test('the types of the API are those of its OpenAPI document; npm run api-types renews them', async t => {
  const document = await currentDocument();
  t.true(areCurrent(document));
  t.false(areCurrent({ ...document, paths: {} }));
});

test('the forms of channels are those of their schemas; npm run api-types renews them', t => {
  t.true(areFormsCurrent());
});
