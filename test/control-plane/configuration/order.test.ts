import test from 'ava';
import fc from 'fast-check';
import { orderOf } from '#control-plane/configuration/plans/order.ts';

test('resources of the documents are in their order, and others stay where they are', t => {
  const order = (present: string, documents: string, added = '') =>
    orderOf([...present], [...documents], new Set(added)).join('');
  t.is(order('xyab', 'ab', 'ab'), 'xyab', 'new ones come at the end');
  t.is(order('axbc', 'acb', 'c'), 'acxb', 'a new one comes after the one before it');
  t.is(order('bxcda', 'abcd', 'a'), 'axbcd', 'the first one pushes the others on');
  t.is(order('axb', 'ba'), 'bxa');
});

test('a list that is in order stays as it is', t => {
  const lists = fc
    .shuffledSubarray([...'abcdefgh'])
    .chain(present => fc.tuple(fc.constant(present), fc.shuffledSubarray(present), fc.subarray(present)));
  fc.assert(
    fc.property(lists, ([present, documents, added]) => {
      const isNew = new Set(added.filter(id => documents.includes(id)));
      const listed = [...present.filter(id => !isNew.has(id)), ...present.filter(id => isNew.has(id))];
      const ordered = orderOf(listed, documents, isNew);
      t.deepEqual(ordered.toSorted(), present.toSorted());
      t.deepEqual(
        ordered.filter(id => documents.includes(id)),
        documents,
      );
      t.deepEqual(orderOf(ordered, documents, new Set()), ordered);
    }),
  );
});
