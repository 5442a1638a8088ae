import test from 'ava';
import { Catalogue } from '#control-plane/monitoring/assignments/catalogue.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';

type Agent = {
  id: string;
  region: string;
  online: boolean;
  revoked: boolean;
  session_id: string;
  seen_ms: number;
  able: string;
};
type Monitor = { id: string; config_version: number; regions: string[]; needs: string; active: boolean };

const agent = (id: string, changes: Partial<Agent> = {}): Agent => ({
  id,
  region: 'r',
  online: true,
  revoked: false,
  session_id: 's',
  seen_ms: 0,
  able: '',
  ...changes,
});
const monitor = (id: string, changes: Partial<Monitor> = {}): Monitor => ({
  id,
  config_version: 1,
  regions: ['r'],
  needs: '',
  active: true,
  ...changes,
});

/** A catalogue over rows in memory: `agents` and `changed` are what the next reading finds. */
function openCatalogue() {
  const tables: { agents: Agent[]; changed: Monitor[]; active: Monitor[]; isBroken: boolean; server: string } = {
    agents: [],
    changed: [],
    active: [],
    isBroken: false,
    server: 'first',
  };
  const pages: string[][] = [];
  const sinces: unknown[] = [];
  const positioned = (rows: readonly object[]) => {
    const position = { xid: '5', server: tables.server };
    return rows.length === 0 ? [{ id: null, ...position }] : rows.map(row => ({ ...row, ...position }));
  };
  const sql: Sql = {
    once: async <Row>(_: TemplateStringsArray, ...values: readonly unknown[]) => {
      const regions = (values.find(Array.isArray) ?? []).map(String);
      pages.push(regions);
      const found = tables.active.filter(row => row.regions.some(code => regions.includes(code)));
      const lists = found.map(row => row.regions.join(' '));
      return [
        {
          ids: idsOf(found),
          versions: found.map(row => row.config_version),
          regions: lists,
          needs: found.map(row => row.needs),
        },
      ] as Row[];
    },
    rows: async <Row>(text: TemplateStringsArray | string, ...values: readonly unknown[]) => {
      if (String(text).includes('from regions')) return [{ project_id: null }] as Row[];
      if (String(text).includes('configured_at')) return [{ id: 'mon_1' }] as Row[];
      const isRoster = String(text).includes('a.region');
      if (!isRoster && tables.isBroken) throw new Error('Connection terminated');
      sinces.push(values.at(-1));
      return positioned(isRoster ? tables.agents : tables.changed) as Row[];
    },
    row: async () => null,
    run: async () => 0,
  };
  const catalogue = new Catalogue(sql);
  let nowMs = 0;
  return {
    tables,
    catalogue,
    pages,
    sinces,
    sleep: (ms: number) => {
      nowMs += ms;
    },
    /** What is noted for whom by a reading while agents of these regions are here. */
    read: async (inUse = ['r', 's']) => {
      const { moves, agents, doubtful } = await catalogue.read(new Set(inUse), () => true, nowMs);
      return { moves: [...moves].sort(), agents: idsOf(agents), doubtful };
    },
    wantedBy: (agentId: string, region: string) => catalogue.wantedBy([agentId], region).get(agentId),
  };
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

test('the first reading takes live agents and the active monitors of the regions in use', async t => {
  const { tables, catalogue, read, wantedBy } = openCatalogue();
  tables.agents = [agent('agt_1'), agent('agt_2', { online: false }), agent('agt_3', { revoked: true })];
  tables.active = [monitor('mon_1'), monitor('mon_2', { regions: ['s'] }), monitor('mon_3', { regions: ['far'] })];
  t.false(catalogue.knows('r'));
  t.deepEqual((await read()).moves, [['agt_1', new Set(['mon_1'])]]);
  t.is(catalogue.size, 2, 'that of another region is not held');
  t.true(catalogue.knows('r'));
  t.is(catalogue.owner('mon_1', 'r'), 'agt_1', 'offline and revoked agents run nothing');
  t.is(catalogue.owner('mon_2', 's'), null, 'a region without live agents');
  t.deepEqual(wantedBy('agt_1', 'r'), [['mon_1', 1]]);
});

test('a row that is read twice is no change', async t => {
  const { tables, read } = openCatalogue();
  tables.agents = [agent('agt_1')];
  tables.active = [monitor('mon_1')];
  await read();
  tables.changed = [monitor('mon_1')];
  t.deepEqual(await read(), { moves: [], agents: [], doubtful: [] });
});

test('versions, pauses and moves between regions are changes', async t => {
  const { tables, catalogue, read, wantedBy } = openCatalogue();
  tables.agents = [agent('agt_1'), agent('agt_2', { region: 's' })];
  tables.active = [monitor('mon_1'), monitor('mon_2')];
  await read();
  tables.changed = [
    monitor('mon_1', { config_version: 2, regions: ['s'] }),
    monitor('mon_2', { config_version: 2, active: false }),
    monitor('mon_3', { active: false }),
  ];
  t.deepEqual((await read()).moves, [
    ['agt_1', new Set(['mon_1', 'mon_2'])],
    ['agt_2', new Set(['mon_1'])],
  ]);
  t.deepEqual(wantedBy('agt_1', 'r'), []);
  t.deepEqual(wantedBy('agt_2', 's'), [['mon_1', 2]]);
  t.is(catalogue.monitor('mon_2'), null);
});

test('a region that comes into use is read by itself; what changed meanwhile is not lost for the others', async t => {
  const { tables, catalogue, pages, sinces, read, wantedBy } = openCatalogue();
  tables.agents = [agent('agt_1'), agent('agt_2', { region: 's' })];
  tables.active = [monitor('mon_1', { regions: ['r', 's'] }), monitor('mon_2', { regions: ['s'] })];
  await read(['r']);
  t.is(catalogue.size, 1);
  t.false(catalogue.knows('s'));
  const changed = monitor('mon_1', { regions: ['r', 's'], config_version: 2 });
  tables.active = [changed, monitor('mon_2', { regions: ['s'] })];
  tables.changed = [changed];
  t.deepEqual((await read(['r', 's'])).moves, [
    ['agt_1', new Set(['mon_1'])],
    ['agt_2', new Set(['mon_1', 'mon_2'])],
  ]);
  t.deepEqual(pages, [['r'], ['s']]);
  t.is(sinces.at(-1), '5', 'changes are read on from where the reading before ended');
  t.deepEqual(wantedBy('agt_1', 'r'), [['mon_1', 2]]);
});

test('a region out of use is kept for ten minutes, and its monitors are then forgotten', async t => {
  const { tables, catalogue, read, sleep } = openCatalogue();
  tables.active = [monitor('mon_1', { regions: ['r', 's'] }), monitor('mon_2', { regions: ['s'] })];
  await read(['r', 's']);
  sleep(600_000);
  await read(['r']);
  t.is(catalogue.size, 2);
  sleep(1);
  await read(['r']);
  t.is(catalogue.size, 1);
  t.false(catalogue.knows('s'));
  t.not(catalogue.monitor('mon_1'), null);
});

test('on another server everything is read again: what it lacks is gone, what is older there counts', async t => {
  const { tables, catalogue, read, sinces, wantedBy } = openCatalogue();
  tables.agents = [agent('agt_1'), agent('agt_2')];
  tables.active = [monitor('mon_1', { config_version: 7 }), monitor('mon_2')];
  await read(['r']);
  const lost = catalogue.owner('mon_2', 'r') ?? '';
  tables.server = 'standby';
  tables.agents = [agent('agt_1')];
  tables.active = [monitor('mon_1', { config_version: 6 })];
  const { moves, agents, doubtful } = await read(['r']);
  t.deepEqual(doubtful, ['mon_1'], 'its version number may have been given to another configuration');
  t.deepEqual(sinces.slice(-2), ['0', '5'], 'all agents, and then the changes since');
  t.true(new Map(moves).get(lost)?.has('mon_2'));
  t.deepEqual(agents, ['agt_2']);
  t.deepEqual(wantedBy('agt_1', 'r'), [['mon_1', 6]]);
  t.is(catalogue.size, 1);
});

test('a new session is a change of its agent, but not of the live agents of its region', async t => {
  const { tables, read } = openCatalogue();
  tables.agents = [agent('agt_1')];
  await read();
  tables.agents = [agent('agt_1', { session_id: 'other' })];
  t.deepEqual(await read(), { agents: ['agt_1'], moves: [], doubtful: [] });
});

test('a reading that fails halfway loses no change of the live agents', async t => {
  const { tables, catalogue, read } = openCatalogue();
  tables.agents = [agent('agt_1')];
  tables.active = [monitor('mon_1')];
  await read();
  tables.agents = [agent('agt_1', { online: false })];
  tables.isBroken = true;
  await t.throwsAsync(read());
  tables.isBroken = false;
  t.deepEqual((await read()).moves, [['agt_1', new Set(['mon_1'])]]);
  t.is(catalogue.owner('mon_1', 'r'), null);
});

test('who went within ten minutes is known by region until it is back', async t => {
  const { tables, catalogue, read } = openCatalogue();
  const at = 3_600_000;
  const gone = { online: false, seen_ms: at };
  tables.agents = [
    agent('agt_1', { seen_ms: at }),
    agent('agt_2', gone),
    agent('agt_3', { ...gone, region: 's' }),
    agent('agt_4', { ...gone, seen_ms: at - 600_000 }),
    agent('agt_5', { ...gone, revoked: true }),
  ];
  await read();
  t.deepEqual(catalogue.goneLately('r', at), ['agt_2']);
  t.deepEqual(catalogue.goneLately('r', at + 600_000), []);
  tables.agents = [agent('agt_2', { session_id: 't', seen_ms: at })];
  await read();
  t.deepEqual(catalogue.goneLately('r', at), []);
});

test('a monitor is not that of an agent whose session says less than its row does', async t => {
  const { tables, catalogue } = openCatalogue();
  tables.agents = [agent('agt_1', { able: 'tcp dns gateway.2' })];
  tables.active = [monitor('mon_1', { needs: 'tcp gateway.2' })];
  await catalogue.read(new Set(['r']), () => true, 0);
  const ownedBy = (capabilities?: string[]) =>
    catalogue.isOwner('mon_1', {
      agent: { id: 'agt_1', region: 'r', name: '', isPrivate: false },
      ...(capabilities === undefined ? {} : { capabilities }),
    });
  t.deepEqual([['dns', 'tcp'], ['dns'], []].map(ownedBy), [true, false, false]);
  t.false(
    catalogue.isOwner('mon_1', {
      agent: { id: 'agt_2', region: 'r', name: '', isPrivate: false },
      capabilities: ['tcp'],
    }),
  );
});
