import { Badge } from '../../kit/badge.tsx';
import { presentation } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { plural } from '../../kit/plural.ts';
import type { Component, StatusPage } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';

type Loaded = { pages: readonly StatusPage[]; components: readonly Component[] };
const topics = ['status_pages', 'incidents', 'monitors'] as const;
const worstFirst = [
  'major_outage',
  'partial_outage',
  'degraded_performance',
  'under_maintenance',
  'unknown',
  'operational',
] as const;

/** The status pages of the project, each with its worst component. */
export function StatusPages() {
  const app = useApp();
  const load = useLoad<Loaded>('', () => readPages(app), 5000, topics);
  const { pages, components } = load.value ?? { pages: [], components: [] };
  const create = app.can('status-pages:write') && (
    <a class="button primary" href="#/status-pages/new">
      New status page
    </a>
  );
  return (
    <Page title="Status pages" freshness={load.freshness} refresh={load.refresh} actions={create || undefined}>
      {pages.length === 0 && (
        <div class="card empty">
          <h2>No status pages yet</h2>
          <p>A status page tells your users what works, what doesn’t, and what you are doing about it.</p>
          {create}
        </div>
      )}
      <ul class="cards">
        {pages.map(page => (
          <PageCard
            key={page.id}
            page={page}
            components={components.filter(({ status_page_id }) => status_page_id === page.id)}
          />
        ))}
      </ul>
    </Page>
  );
}

async function readPages({ api, can }: App): Promise<Loaded> {
  const [pages, components] = await Promise.all([
    readAll(query => api.client.GET('/v0/status-pages', { params: { query } })),
    can('components:read') ? readAll(query => api.client.GET('/v0/components', { params: { query } })) : [],
  ]);
  return { pages, components };
}

function PageCard({ page, components }: { page: StatusPage; components: readonly Component[] }) {
  const worst = worstFirst.find(status => components.some(({ shown_status }) => shown_status === status));
  return (
    <li class="card row page-row" data-row>
      <div class="state">
        {worst === undefined ? <span>No components</span> : <Badge state={presentation('components', worst)} />}
      </div>
      <div class="what">
        <a class="name" href={`#/status-pages/${page.id}`}>
          {page.name}
        </a>
        <a class="url" href={page.url} target="_blank" rel="noreferrer">
          {page.url}
        </a>
      </div>
      <span class="hint">{plural(components.length, 'component')}</span>
      <span class="hint">
        {page.locale} · {page.timezone}
      </span>
    </li>
  );
}
