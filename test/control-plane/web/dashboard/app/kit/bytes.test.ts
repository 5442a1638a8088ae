import test from 'ava';
import { formatBytes } from '#control-plane/web/dashboard/app/kit/bytes.ts';

test('bytes are short, in powers of a thousand', t => {
  t.deepEqual([0, 999, 1234, 20e9, 250e9].map(formatBytes), ['0 bytes', '999 bytes', '1.2 kB', '20.0 GB', '250 GB']);
});
