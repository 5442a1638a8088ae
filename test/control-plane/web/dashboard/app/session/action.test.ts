import test from 'ava';
import { runOnce } from '#control-plane/web/dashboard/app/session/action.ts';

test('an action runs once at a time, shows its error, and forgets it with the next run', async t => {
  const running = { current: false };
  const shown: (string | null)[] = [];
  const show = ({ problem }: { problem: Error | null }) => shown.push(problem?.message ?? null);
  let finish: () => void = () => undefined;
  const first = runOnce(running, () => new Promise<void>(resolve => (finish = resolve)), show);
  t.false(await runOnce(running, async () => t.fail(), show));
  finish();
  t.true(await first);
  t.false(await runOnce(running, () => Promise.reject('a string'), show));
  t.true(await runOnce(running, async () => undefined, show));
  t.deepEqual(shown, [null, null, null, 'a string', null, null]);
});
