import { Badge } from '../../kit/badge.tsx';
import { presentation } from '../../kit/labels.ts';
import type { Component, Monitor, StatusPage } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { publishedBy } from '../status-pages/words.ts';

type Loaded = { components: readonly Component[]; pages: readonly StatusPage[] };

/** The components that the monitor drives, with their pages, and why. */
export function Published({ monitor: { id, component_ids, labels } }: { monitor: Monitor }) {
  const { api, can } = useApp();
  const mayRead = can('components:read') && can('status-pages:read');
  const load = useLoad<Loaded>(
    // A change of ids or labels may bind other components.
    `${id} ${component_ids.join()} ${JSON.stringify(labels)}`,
    async () => {
      if (!mayRead) return { components: [], pages: [] };
      const [components, pages] = await Promise.all([
        readAll(query => api.client.GET('/v0/components', { params: { query } })),
        readAll(query => api.client.GET('/v0/status-pages', { params: { query } })),
      ]);
      return { components, pages };
    },
    60_000,
  );
  if (!mayRead) return null;
  const found = load.value === null ? [] : publishedBy(id, load.value.components, load.value.pages);
  return (
    <section class="card">
      <h2>Where it is published</h2>
      {load.value === null && <div class="bone" />}
      {load.value !== null && found.length === 0 && (
        <p class="hint">On no status page. Add it to a component, or match it by a component’s selector.</p>
      )}
      <ul class="lines">
        {found.map(({ component, page, reason }) => (
          <li key={component.id}>
            <Badge state={presentation('components', component.shown_status)} />
            <span>
              <strong>{component.name}</strong> on{' '}
              {page === undefined ? (
                'a status page'
              ) : (
                <a href={page.url} target="_blank" rel="noreferrer">
                  {page.name}
                </a>
              )}
            </span>
            <span class="hint end">{reason}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
