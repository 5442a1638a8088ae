import test from 'ava';
import { typedNumber, typedNumberOrNull } from '#control-plane/web/dashboard/app/kit/form/typed-number.ts';

test('numbers are read as they are typed', t => {
  t.deepEqual(
    [typedNumber('12'), typedNumber(' '), typedNumberOrNull(' '), typedNumberOrNull('3')],
    [12, Number.NaN, null, 3],
  );
});
