import test from 'ava';
import { changeFlow, createFlow } from '#control-plane/analytics/flows/change-flow.ts';
import { flowPostSchema } from '#control-plane/analytics/flows/flow.ts';
import { findVersion } from '#control-plane/analytics/flows/store.ts';
import { useDatabase } from '#test/support/database.ts';
import { openFlowWorld } from '#test/support/flow-world.ts';

const databaseOf = useDatabase(test);
const dayMs = 86_400_000;
const hourMs = 3_600_000;

test('a version says from when it is complete before the roll-up has seen it', async t => {
  const { projectId, inTransaction } = await openFlowWorld(t, databaseOf());
  const body = flowPostSchema.parse({ name: 'Buy', steps: [{ event: 'a' }, { event: 'b' }] });
  const nowMs = Math.floor(Date.now() / hourMs) * hourMs;
  for (const [days, expected] of [
    [0, null],
    [200, nowMs + (200 - 90) * dayMs + hourMs],
  ] as const)
    await inTransaction(async sql => {
      const laterMs = nowMs + days * dayMs;
      const { id } = await createFlow(sql, projectId, body, laterMs);
      t.is((await findVersion(sql, id, 1))?.completeFrom, expected);
      await changeFlow(sql, { projectId, id, expectedUpdate: null }, { window_seconds: 60 }, laterMs);
      t.is((await findVersion(sql, id, 2))?.completeFrom, expected);
    });
});
