import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { catchThrownOutside } from './thrown-outside.ts';

test.serial('what a timer throws is taken once; what nobody took goes to those who listened before', async t => {
  const heard: unknown[] = [];
  const before = process.listeners('uncaughtException');
  const hear = (error: unknown) => void heard.push(error);
  process.removeAllListeners('uncaughtException').on('uncaughtException', hear);
  const fail = async (message: string) => {
    setImmediate(() => {
      throw new Error(message);
    });
    await setTimeout(20);
  };
  try {
    const outside = catchThrownOutside();
    await fail('one');
    t.deepEqual(outside.take().map(String), ['Error: one']);
    t.deepEqual(outside.take(), []);
    await fail('two');
    t.deepEqual(heard, []);
    outside.restore();
    await fail('three');
    t.deepEqual(heard.map(String), ['Error: two', 'Error: three']);
  } finally {
    process.off('uncaughtException', hear);
    for (const listener of before) process.on('uncaughtException', listener);
  }
});
