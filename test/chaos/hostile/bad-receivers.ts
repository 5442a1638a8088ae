import { wait } from '#shared/wait.ts';
import { dripping, ok, reset, silent, startTarget } from '../../support/target.ts';
import type { Attack } from './attack.ts';
import { talliedApi } from './calls.ts';

const webhooks = 20;
const onTimeMs = 5000;
const everyMs = 2000;

/**
 * H13: of a project's receivers every second one hangs, resets or answers a byte a second. Its other receivers are to
 * hear within five seconds: those that do not are counted as late.
 */
export const receiveBadly: Attack = async (grounds, tally, signal, begun) => {
  const api = talliedApi(grounds, tally);
  await using healthy = await startTarget(ok());
  await using hanging = await startTarget(silent());
  await using resetting = await startTarget(reset());
  await using slow = await startTarget(dripping(1000));
  const bad = [hanging, resetting, slow];
  for (let index = 0; index < webhooks; index++) {
    const { url } = index % 2 === 0 ? healthy : (bad[index % 3] ?? hanging);
    await api('POST', '/v0/webhooks', { url: `${url}${index}`, kinds: ['incident.opened'] });
  }
  for (let index = 0; index < webhooks; index++) {
    const { url } = index % 2 === 0 ? healthy : (bad[index % 3] ?? hanging);
    const path = `/v0/status-pages/${grounds.pageId}/subscribers`;
    await api('POST', path, { channel: 'webhook', url: `${url}s${index}` });
  }
  begun();
  const page = { status_page_id: grounds.pageId, initial_update: { state: 'investigating', body: 'x' } };
  let expected = 0;
  while (!signal.aborted) {
    const made = await api('POST', '/v0/incidents', { title: 'x', severity: 'p3', ...page });
    const madeMs = performance.now();
    if (made.status === 201) {
      expected += webhooks;
      await Promise.race([healthy.requested(expected), wait(onTimeMs)]);
      const heard = healthy.requests.length - (expected - webhooks);
      tally('heard on time', heard);
      tally('late', webhooks - heard);
      tally('slowest ms in all', performance.now() - madeMs);
      expected = healthy.requests.length;
    }
    await wait(everyMs, { signal }).catch(() => undefined);
  }
};
