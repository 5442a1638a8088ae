import test from 'ava';
import { bindComponents } from '#control-plane/monitoring/monitors/configure.ts';
import { findMonitor } from '#control-plane/monitoring/monitors/store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { createComponent, testKeyring } from '#test/support/page-rows.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);

test('a monitor is bound to many components with as many statements as to one, and a fact for each', async t => {
  const world = await openStatusWorld(t, databaseOf());
  const { projectId, page, monitor } = world;
  await withSql(databaseOf(), async sql => {
    const found = (await findMonitor(sql, testKeyring, projectId, monitor.id))?.monitor;
    if (found === undefined) return t.fail();
    const statementsFor = async (count: number, atMs: number) => {
      const ids: string[] = [];
      for (let index = 0; index < count; index++)
        ids.push(await createComponent(sql, { projectId, statusPageId: page.id }, `c${atMs} ${index}`));
      let statements = 0;
      const counted = <Result>(result: Result): Result => {
        statements += 1;
        return result;
      };
      const counting: Sql = {
        ...sql,
        rows: <Row>(...statement: Parameters<Sql['rows']>) => counted(read<Row>(...statement)),
        run: (...statement) => counted(write(...statement)),
      };
      const { rows: read, run: write } = sql;
      await bindComponents(counting, { ...found, settings: { ...found.settings, component_ids: ids } }, atMs);
      const facts = await sql.rows<{ subject: string; payload: object }>`
        select subject, payload
        from facts
        where project_id = ${projectId} and kind = 'component.changed' and subject = any(${ids}::text[])
        order by subject`;
      t.deepEqual(
        facts,
        ids.sort().map(subject => ({ subject, payload: { status_page_id: page.id } })),
      );
      return statements;
    };
    const forOne = await statementsFor(1, 1000);
    t.is(await statementsFor(20, 2000), forOne);
  });
});
