import { Ajv, type ValidateFunction } from 'ajv';
import test from 'ava';
import { parse } from 'yaml';
import { dayMs } from '#shared/duration.ts';
import { useDatabase } from '#test/support/database.ts';
import { isFull } from '#test/support/full.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

type Fields = Record<string, unknown>;
type Document = Record<string, readonly Fields[]>;

const at = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

/** One of each type, and monitors of several kinds. */
function documentOf(regions: readonly string[], slug: string): Document {
  const checked = { interval_seconds: 60, regions };
  return {
    channels: [
      { key: 'ops', name: 'Ops', type: 'webhook', config: { url: { $env: 'HOOK' } } },
      { key: 'chat', name: 'Chat', type: 'slack', enabled: false, config: { webhook_url: { $env: 'HOOK' } } },
    ],
    flows: [{ key: 'signup', name: 'Sign up', window_seconds: 3600, steps: [{ event: 'open' }, { event: 'done' }] }],
    reports: [
      {
        key: 'weekly',
        name: 'Weekly',
        items: [
          { title: 'Paid', type: 'trend', event: ['paid', { $env: 'NAME' }], last: '7d' },
          { title: 'Sign up', type: 'funnel', flow: 'signup', group_by: 'day' },
        ],
      },
    ],
    monitors: [
      {
        key: 'api',
        name: { $env: 'NAME' },
        url: 'https://api.example.com/',
        ...checked,
        labels: { env: 'prod' },
        headers: { Authorization: { $env: 'NAME' } },
        assertions: [{ type: 'status', operator: 'in', value: ['200-299'] }],
        alert_rules: { confirm_seconds: 60 },
      },
      { key: 'port', name: 'Port', url: 'tcp://example.com:5432', ...checked },
      { key: 'beat', name: 'Backup', kind: 'heartbeat', interval_seconds: 300, heartbeat: { grace_seconds: 60 } },
    ],
    status_pages: [
      { key: 'acme', name: 'Acme', slug, components: [{ key: 'api', name: 'API', monitors: ['api'], group: 'Core' }] },
    ],
    routes: [
      { key: 'prod', name: 'Prod', match: { severities: ['p1'] }, steps: [{ after_minutes: 0, channels: ['ops'] }] },
    ],
    maintenances: [
      {
        key: 'weekly',
        title: 'Weekly',
        starts_at: at(2),
        ends_at: at(3),
        scope: { monitors: ['api'], selector: 'a=b' },
      },
    ],
  };
}

const env = { HOOK: 'https://hooks.example.com/very-secret', NAME: 'API' };
const fewWrong = [12.5, -1, '', null, [], { wrong: 1 }];
const wrongValues = isFull ? [...fewWrong, 1e12, true, 'x', 'X'.repeat(30_000), [null], {}] : fewWrong;

/** Everything a person could get wrong at one member: of the item, or of an object in it. */
function damagesOf(item: Fields): { item: Fields; what: string }[] {
  const at = Object.keys(item).filter(name => name !== 'key' && name !== 'components');
  const inner = at.flatMap(name => {
    const value = item[name];
    if (typeof value !== 'object' || value === null || Array.isArray(value) || '$env' in value) return [];
    return damagesOf(value as Fields).map(one => ({
      item: { ...item, [name]: one.item },
      what: `${name}.${one.what}`,
    }));
  });
  const wrong = at.flatMap(name =>
    wrongValues.map(value => ({
      item: { ...item, [name]: value },
      what: `${name} = ${JSON.stringify(value).slice(0, 20)}`,
    })),
  );
  const missing = at.map(name => {
    const { [name]: _, ...rest } = item;
    return { item: rest, what: `no ${name}` };
  });
  return [...wrong, ...missing, ...inner, { item: { ...item, nam: 1 }, what: 'unknown member' }];
}

test.serial('the schema is served to everybody, and exports are valid by it', async t => {
  const { api, url, token, regions, projectId } = await openMonitorWorld(t, databaseOf());
  const { schema, validate, response } = await readSchema(url);
  t.is(response.headers.get('access-control-allow-origin'), '*');
  t.is(response.headers.get('cache-control'), 'public, max-age=300');
  const again = { 'if-none-match': response.headers.get('etag') ?? '', 'cache-control': 'max-age=0' };
  t.is((await fetch(response.url, { headers: again })).status, 304);
  t.true(JSON.stringify(schema).length < 1024 * 1024, `${JSON.stringify(schema).length}`);
  const defaults = { monitors: { interval_seconds: 30 }, channels: { enabled: true }, routes: { continue: true } };
  const lists = documentOf(regions.slice(0, 3), `acme-${projectId.slice(-8)}`);
  const document = { upquorum: 1, manager: 'git-ops', project: projectId, defaults, ...lists };
  t.true(validate(document), JSON.stringify(validate.errors));
  const planned = await api('POST', '/v0/config/plan', { document, env });
  t.is(planned.status, 200, JSON.stringify(planned.body));
  t.is((await api('POST', '/v0/config/apply', { plan_id: planned.body.id })).status, 200);
  const exported = await fetch(`${url}/v0/config/export`, { headers: { authorization: `Bearer ${token}` } });
  const text = await exported.text();
  t.is(text.split('\n')[0], `# yaml-language-server: $schema=${String(schema.$id)}`);
  t.true(validate(parse(text)), JSON.stringify(validate.errors));
  for (const wrong of [{ upquorum: 2 }, { upquorum: 1, components: [] }, { upquorum: 1, manager: 'Git Ops' }, {}, []])
    t.false(validate(wrong), JSON.stringify(wrong));
});

test.serial('what the schema refuses, a plan refuses, and of damages to one member nearly all the reverse', async t => {
  const { api, url, regions, projectId } = await openMonitorWorld(t, databaseOf());
  const { ajv } = await readSchema(url);
  const lists = documentOf(regions.slice(0, 3), `acme-${projectId.slice(-8)}`);
  const head = { upquorum: 1, manager: 'git-ops' };
  let total = 0;
  const lenient: string[] = [];
  const compiled = Object.entries(lists).map(([type, items]) => {
    return { type, items, validate: ajv.compile({ $ref: `schema#/definitions/${type}` }) };
  });
  for (const { type, items, validate } of compiled) {
    const damaged = items.flatMap(item =>
      damagesOf(item).map(one => ({ ...one, what: `${type} ${item.key} ${one.what}` })),
    );
    for (const [index, { item, what }] of damaged.entries()) {
      // One at a time: only what is wrong with the member itself is asked, not what it refers to.
      damaged[index] = { item: { ...item, key: `k${index}` }, what };
    }
    for (let from = 0; from < damaged.length; from += 40) {
      const part = damaged.slice(from, from + 40);
      const document = { ...head, [type]: part.map(({ item }) => item) };
      const planned = await api('POST', '/v0/config/plan', { document, env });
      const errors: { pointer: string; code: string }[] = planned.status === 422 ? planned.body.errors : [];
      t.true(planned.status === 422 || planned.status === 200, JSON.stringify(planned.body));
      if (errors.length === 100) t.fail('more errors than are listed');
      for (const [index, { item, what }] of part.entries()) {
        total += 1;
        const refused = errors.filter(({ pointer }) => pointer.split('/')[2] === String(index));
        const own = refused.filter(({ code }) => code !== 'unknown_reference');
        const fits = validate(item);
        if (!fits) t.true(refused.length > 0, `the schema alone refuses: ${what} ${JSON.stringify(validate.errors)}`);
        if (fits && own.length > 0) lenient.push(`${what}: ${JSON.stringify(own)}`);
      }
    }
  }
  t.true(total >= (isFull ? 500 : 300), `${total}`);
  t.true(lenient.length < total / 10, lenient.join('\n'));
});

async function readSchema(url: string) {
  const response = await fetch(`${url}/v0/config/schema.json`);
  const schema = (await response.json()) as Fields;
  if (!response.ok) throw new Error(JSON.stringify(schema));
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addSchema({ ...schema, $id: 'schema' });
  const validate = ajv.getSchema('schema') as ValidateFunction;
  return { response, schema, ajv, validate };
}
