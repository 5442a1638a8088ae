import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { read } from '../../session/api.ts';
import type { Incident, Release, Report as ReportData } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { EventSections, useEventsCrumb } from '../events/sections.tsx';
import { type Happened, happenedOf } from './item-query.ts';
import { ReportCard } from './report-card.tsx';

const shownMax = 100;

/** A report: a card for each of its items, with releases and incidents beside the numbers. */
export function Report({ id }: { id: string }) {
  const app = useApp();
  const events = useEventsCrumb();
  const [isDeleting, setDeleting] = useState(false);
  const report = useLoad<ReportData>(
    id,
    () => read(app.api.client.GET('/v0/reports/{id}', { params: { path: { id } } })),
    30_000,
    ['flows'],
  );
  const happened = useLoad<Happened>('', () => readHappened(app), 60_000);
  const shown = report.value;
  const canWrite = app.can('flows:write');
  const take = async (index: number): Promise<void> => {
    const items = shown?.items.filter((_, other) => other !== index) ?? [];
    const body = { items };
    report.set(await read(app.api.client.PATCH('/v0/reports/{id}', { params: { path: { id } }, body })));
    app.announce('Taken off the report');
  };
  const remove = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/reports/{id}', { params: { path: { id } } });
    app.announce('Report deleted');
    app.go('#/events/reports');
  };
  return (
    <Page
      title={shown?.name ?? 'Report'}
      crumbs={[events, { label: 'Reports', address: '#/events/reports' }]}
      freshness={report.freshness}
      refresh={report.refresh}
      managedBy={shown?.managed_by}
      actions={
        canWrite && (
          <button type="button" class="danger" onClick={() => setDeleting(true)}>
            Delete…
          </button>
        )
      }
    >
      <EventSections />
      {shown === null && <ProblemNote problem={report.freshness.error} retry={() => void report.refresh()} />}
      <div class="report">
        {shown?.items.map((item, index) => (
          <ReportCard
            key={`${index} ${JSON.stringify(item)}`}
            item={item}
            happened={happened.value ?? { marks: [], spans: [] }}
            remove={canWrite && shown.items.length > 1 ? () => take(index) : null}
          />
        ))}
      </div>
      {isDeleting && shown !== null && (
        <ConfirmDialog
          title={`Delete ${shown.name}?`}
          button="Delete report"
          work={remove}
          close={() => setDeleting(false)}
        >
          <p>Events and flows stay as they are: a report only says what to ask of them.</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

/** The newest releases and incidents, as far as this token may read them. */
async function readHappened({ api, can }: App): Promise<Happened> {
  const query = { limit: shownMax };
  const [releases, incidents] = await Promise.all([
    can('releases:read') ? read(api.client.GET('/v0/releases', { params: { query } })) : { data: [] as Release[] },
    can('incidents:read') ? read(api.client.GET('/v0/incidents', { params: { query } })) : { data: [] as Incident[] },
  ]);
  return happenedOf(releases.data, incidents.data, api.nowMs());
}
