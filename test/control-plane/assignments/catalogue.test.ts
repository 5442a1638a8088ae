import test from 'ava';
import { Catalogue } from '#control-plane/assignments/catalogue.ts';
import type { Sql } from '#control-plane/db/sql.ts';

type Agent = { id: string; region: string; online: boolean; revoked: boolean; session_id: string };
type Monitor = { id: string; config_version: number; regions: string[]; active: boolean };

const agent = (id: string, changes: Partial<Agent> = {}): Agent => ({
  id,
  region: 'r',
  online: true,
  revoked: false,
  session_id: 's',
  ...changes,
});
const monitor = (id: string, changes: Partial<Monitor> = {}): Monitor => ({
  id,
  config_version: 1,
  regions: ['r'],
  active: true,
  ...changes,
});

/** A catalogue over rows in memory: `agents` and `changed` are what the next reading finds. */
function openCatalogue() {
  const tables: { agents: Agent[]; changed: Monitor[]; active: Monitor[]; isBroken: boolean } = {
    agents: [],
    changed: [],
    active: [],
    isBroken: false,
  };
  const withXid = (rows: readonly object[]) =>
    rows.length === 0 ? [{ id: null, next_xid: '5' }] : rows.map(row => ({ ...row, next_xid: '5' }));
  const sql: Sql = {
    once: async () => [],
    rows: async <Row>(text: TemplateStringsArray | string) => {
      const statement = String(text);
      if (statement.includes('join agents')) return withXid(tables.agents) as Row[];
      if (tables.isBroken) throw new Error('Connection terminated');
      if (statement.includes('join monitors')) return withXid(tables.changed) as Row[];
      return tables.active as Row[];
    },
    row: async <Row>() => ({ xid: '5' }) as Row,
    run: async () => 0,
  };
  return { tables, catalogue: new Catalogue(sql) };
}

test('the first reading takes all active monitors and live agents', async t => {
  const { tables, catalogue } = openCatalogue();
  tables.agents = [agent('agt_1'), agent('agt_2', { online: false }), agent('agt_3', { revoked: true })];
  tables.active = [monitor('mon_1'), monitor('mon_2', { regions: ['elsewhere'] })];
  const { moves } = await catalogue.read();
  t.deepEqual([...moves], [['agt_1', new Set(['mon_1'])]]);
  t.is(catalogue.size, 2);
  t.is(catalogue.owner('mon_1', 'r'), 'agt_1', 'offline and revoked agents run nothing');
  t.is(catalogue.owner('mon_2', 'elsewhere'), null, 'a region without live agents');
  t.deepEqual([...catalogue.wantedBy('agt_1', 'r')], [['mon_1', 1]]);
  t.true(catalogue.isOwnedBy('mon_1', agent('agt_1')));
  t.false(catalogue.isOwnedBy('mon_2', agent('agt_1')));
});

test('a row that is read twice is no change', async t => {
  const { tables, catalogue } = openCatalogue();
  tables.agents = [agent('agt_1')];
  tables.active = [monitor('mon_1')];
  await catalogue.read();
  tables.changed = [monitor('mon_1')];
  t.deepEqual(await catalogue.read(), { moves: new Map(), agents: [] });
});

test('versions, pauses and moves between regions are changes', async t => {
  const { tables, catalogue } = openCatalogue();
  tables.agents = [agent('agt_1'), agent('agt_2', { region: 's' })];
  tables.active = [monitor('mon_1'), monitor('mon_2')];
  await catalogue.read();
  tables.changed = [
    monitor('mon_1', { config_version: 2, regions: ['s'] }),
    monitor('mon_2', { config_version: 2, active: false }),
    monitor('mon_3', { active: false }),
  ];
  const { moves } = await catalogue.read();
  t.deepEqual([...moves].sort(), [
    ['agt_1', new Set(['mon_1', 'mon_2'])],
    ['agt_2', new Set(['mon_1'])],
  ]);
  t.deepEqual([...catalogue.wantedBy('agt_1', 'r')], []);
  t.deepEqual([...catalogue.wantedBy('agt_2', 's')], [['mon_1', 2]]);
  t.is(catalogue.monitor('mon_2'), null);
});

test('a new session is a change of its agent, but not of the live agents of its region', async t => {
  const { tables, catalogue } = openCatalogue();
  tables.agents = [agent('agt_1')];
  await catalogue.read();
  tables.agents = [agent('agt_1', { session_id: 'other' })];
  const { agents, moves } = await catalogue.read();
  t.deepEqual([agents.map(({ id }) => id), [...moves]], [['agt_1'], []]);
});

test('a reading that fails halfway loses no change of the live agents', async t => {
  const { tables, catalogue } = openCatalogue();
  tables.agents = [agent('agt_1')];
  tables.active = [monitor('mon_1')];
  await catalogue.read();
  tables.agents = [agent('agt_1', { online: false })];
  tables.isBroken = true;
  await t.throwsAsync(catalogue.read());
  tables.isBroken = false;
  t.deepEqual([...(await catalogue.read()).moves], [['agt_1', new Set(['mon_1'])]]);
  t.is(catalogue.owner('mon_1', 'r'), null);
});
