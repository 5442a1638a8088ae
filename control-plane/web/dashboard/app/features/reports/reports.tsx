import { Page } from '../../kit/page.tsx';
import { plural } from '../../kit/plural.ts';
import type { Report } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { EventSections } from '../events/sections.tsx';

/** The reports of the project. They are made where events are explored. */
export function Reports() {
  const app = useApp();
  const load = useLoad<readonly Report[]>(
    '',
    () => readAll(query => app.api.client.GET('/v0/reports', { params: { query } })),
    30_000,
    ['flows'],
  );
  const reports = load.value ?? [];
  return (
    <Page title="Reports" freshness={load.freshness} refresh={load.refresh}>
      <EventSections />
      {load.value !== null && reports.length === 0 && (
        <div class="card empty">
          <h2>No reports yet</h2>
          <p>
            Pin a trend or a retention where you <a href="#/events/explore">explore events</a>, or a funnel where you
            look at a <a href="#/events/flows">flow</a>.
          </p>
        </div>
      )}
      <ul class="cards">
        {reports.map(({ id, name, items }) => (
          <li key={id} class="card row" data-row>
            <div class="what">
              <a href={`#/events/reports/${id}`}>{name}</a>
              <span class="hint">
                {items
                  .slice(0, 4)
                  .map(({ title }) => title)
                  .join(', ')}
              </span>
            </div>
            <span class="hint">{plural(items.length, 'item')}</span>
          </li>
        ))}
      </ul>
    </Page>
  );
}
