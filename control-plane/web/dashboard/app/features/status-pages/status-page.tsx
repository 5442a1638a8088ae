import { useState } from 'preact/hooks';
import { Page } from '../../kit/page.tsx';
import { SectionLinks } from '../../kit/section-links.tsx';
import { read } from '../../session/api.ts';
import type { Component, StatusPage as StatusPageData } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { useQuery } from '../../session/query.ts';
import { readAll } from '../../session/read-all.ts';
import { Access } from './access/access.tsx';
import { inPageOrder } from './component-order.ts';
import { Components } from './components.tsx';
import { Domains } from './domains/domains.tsx';
import { Embed } from './embed.tsx';
import { PagePreview } from './page-preview.tsx';
import { Settings } from './settings.tsx';
import { Subscribers } from './subscribers/subscribers.tsx';

type Loaded = { page: StatusPageData; components: readonly Component[] };
type Changes = Readonly<Record<string, unknown>>;
const topics = ['status_pages', 'incidents', 'monitors'] as const;
const noChanges: Changes = {};

const tabs = [
  { name: 'components', label: 'Components', scope: 'components:read' },
  { name: 'settings', label: 'Settings', scope: 'status-pages:read' },
  { name: 'access', label: 'Access', scope: 'status-pages:read' },
  { name: 'domains', label: 'Domains', scope: 'status-pages:read' },
  { name: 'subscribers', label: 'Subscribers', scope: 'subscribers:read' },
  { name: 'embed', label: 'Badge and feeds', scope: 'status-pages:read' },
] as const;

/** One status page: what it shows, how it looks, who follows it; beside it, the page as visitors see it. */
export function StatusPage({ id }: { id: string }) {
  const app = useApp();
  const [query] = useQuery();
  const load = useLoad<Loaded>(id, () => readPage(app, id), 5000, topics);
  const [changes, setChanges] = useState<Changes>(noChanges);
  const shown = tabs.filter(({ scope }) => app.can(scope));
  const tab = shown.find(({ name }) => name === query.get('tab')) ?? shown[0];
  const { value } = load;
  const open = value !== null && (
    <a class="button" href={value.page.url} target="_blank" rel="noreferrer">
      Open page
    </a>
  );
  const addressOf = (name: string) => `#/status-pages/${id}?tab=${name}`;
  return (
    <Page
      title={value?.page.name ?? 'Status page'}
      crumbs={[{ label: 'Status pages', address: '#/status-pages' }]}
      freshness={load.freshness}
      refresh={load.refresh}
      managedBy={value?.page.managed_by}
      actions={open || undefined}
    >
      {value !== null && tab !== undefined && (
        <>
          <SectionLinks
            label="Parts of the status page"
            current={addressOf(tab.name)}
            links={shown.map(({ name, label }) => ({ name: label, address: addressOf(name) }))}
          />
          <div class={tab.name === 'components' || tab.name === 'settings' ? 'columns beside-preview' : 'column'}>
            <div class="column">
              {tab.name === 'components' && <Components {...value} refresh={load.refresh} />}
              {tab.name === 'settings' && (
                <Settings key={value.page.id} {...value} preview={setChanges} refresh={load.refresh} />
              )}
              {tab.name === 'access' && <Access key={value.page.id} page={value.page} refresh={load.refresh} />}
              {tab.name === 'domains' && <Domains key={value.page.id} page={value.page} refresh={load.refresh} />}
              {tab.name === 'subscribers' && <Subscribers {...value} />}
              {tab.name === 'embed' && <Embed page={value.page} />}
            </div>
            {(tab.name === 'components' || tab.name === 'settings') && (
              <PagePreview page={value.page} changes={changes} version={versionOf(value)} />
            )}
          </div>
        </>
      )}
    </Page>
  );
}

async function readPage({ api, can }: App, id: string): Promise<Loaded> {
  const [page, components] = await Promise.all([
    read(api.client.GET('/v0/status-pages/{id}', { params: { path: { id } } })),
    can('components:read')
      ? readAll(page => api.client.GET('/v0/components', { params: { query: { status_page_id: id, ...page } } }))
      : [],
  ]);
  return { page, components: inPageOrder(components) };
}

/** Changes when the page is to be rendered again. */
function versionOf({ page, components }: Loaded): string {
  return [page.updated_at, ...components.map(each => `${each.id} ${each.updated_at} ${each.shown_status}`)].join();
}
