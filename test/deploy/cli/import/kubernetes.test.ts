import test from 'ava';
import { type Item, SourceError } from '#deploy/cli/import/imported.ts';
import { importKubernetes } from '#deploy/cli/import/kubernetes/kubernetes.ts';
import { choices, errorsOf, reported, resource } from './documents.ts';

const read = (items: readonly Item[]) =>
  importKubernetes({ path: 'list.json', text: JSON.stringify({ kind: 'List', items }) }, choices);
const object = (kind: string, name: string, annotations: Item, spec: Item) => ({
  kind,
  metadata: { name, namespace: 'shop', annotations },
  spec,
});
const marked = { 'upquorum.io/monitor': 'true' };

test('each host and path of a marked object becomes a monitor', t => {
  const imported = read([
    object('Ingress', 'web', marked, {
      tls: [{ hosts: ['shop.example.org'] }],
      rules: [
        { host: 'shop.example.org', http: { paths: [{ path: '/' }, { path: '/api(/|$)(.*)' }] } },
        { host: 'plain.example.org' },
        { host: '*.example.org', http: { paths: [{ path: '/' }] } },
      ],
    }),
    object(
      'HTTPRoute',
      'api',
      {
        ...marked,
        'upquorum.io/name': 'API',
        'upquorum.io/path': '/health',
        'upquorum.io/interval-seconds': '5',
        'upquorum.io/status': '200-299,404',
        'upquorum.io/labels': 'team=web, tier = 1',
        'upquorum.io/scheme': 'https',
      },
      { hostnames: ['api.example.org'], rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/v1' } }] }] },
    ),
    object('Ingress', 'other', {}, { rules: [{ host: 'other.example.org' }] }),
    object('Ingress', 'none', marked, { defaultBackend: {} }),
  ]);
  t.deepEqual(errorsOf(imported), []);
  t.deepEqual(
    (imported.document.monitors as Item[]).map(({ key, url }) => [key, url]),
    [
      ['shop-web-shop-example-org', 'https://shop.example.org/'],
      ['shop-web-shop-example-org-api', 'https://shop.example.org/api'],
      ['shop-web-plain-example-org', 'http://plain.example.org/'],
      ['shop-api-api-example-org-health', 'https://api.example.org/health'],
    ],
  );
  t.like(resource(imported, 'monitors', 'shop-api-api-example-org-health'), {
    name: 'API',
    interval_seconds: 10,
    labels: { namespace: 'shop', team: 'web', tier: '1' },
    assertions: [{ type: 'status', operator: 'in', value: ['200-299', 404] }],
  });
  t.like(reported(imported, 'Ingress', 'shop/web'), { outcome: 'changed', details: [{ was: '*.example.org' }] });
  for (const name of ['shop/other', 'shop/none']) t.is(reported(imported, 'Ingress', name)?.outcome, 'left_out');
});

test('other JSON is refused in a sentence', t => {
  for (const text of ['{}', '[', '{"kind": "List", "items": [{"kind": "Pod"}]}'])
    t.throws(() => importKubernetes({ path: 'x', text }, choices), { instanceOf: SourceError });
});
