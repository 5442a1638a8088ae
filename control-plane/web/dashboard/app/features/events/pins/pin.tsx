import { useState } from 'preact/hooks';
import { Dialog } from '../../../kit/dialog/dialog.tsx';
import { useForm } from '../../../kit/form/form.tsx';
import { read } from '../../../session/api.ts';
import type { Report, ReportItem } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { useLoad } from '../../../session/load.ts';
import { readAll } from '../../../session/read-all.ts';
import type { Pinned } from './pinned.ts';

/** A button that puts what is looked at on a report. */
export function PinButton({ title, item }: { title: string; item: Pinned }) {
  const app = useApp();
  const [isOpen, setOpen] = useState(false);
  if (!app.can('flows:write')) return null;
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        Pin to report…
      </button>
      {isOpen && <PinDialog title={title} item={item} close={() => setOpen(false)} />}
    </>
  );
}

const itemsMax = 12;

function PinDialog({ title, item, close }: { title: string; item: Pinned; close(): void }) {
  const app = useApp();
  const load = useLoad<readonly Report[]>(
    '',
    () => readAll(query => app.api.client.GET('/v0/reports', { params: { query } })),
    60_000,
  );
  const reports = (load.value ?? []).filter(({ items }) => items.length < itemsMax);
  const form = useForm(null, { title: title.slice(0, 100), report: '', name: '' }, async draft => {
    const added = { ...item, title: draft.title.trim() } as ReportItem;
    const chosen = reports.find(({ id }) => id === draft.report);
    const { client } = app.api;
    const report =
      chosen === undefined
        ? await read(client.POST('/v0/reports', { body: { name: draft.name.trim(), items: [added] } }))
        : await read(
            client.PATCH('/v0/reports/{id}', {
              params: { path: { id: chosen.id } },
              body: { items: [...chosen.items, added] },
            }),
          );
    app.announce(`Pinned to ${report.name}`);
    app.go(`#/events/reports/${report.id}`);
  });
  const chosen = form.draft.report;
  return (
    <Dialog title="Pin to a report" close={close}>
      <form.Form label="Pin to a report">
        <form.Line name="title" label="Title" input={{ required: true, maxLength: 100 }} />
        <form.Choice
          name="report"
          label="Report"
          choices={[['', 'a new report'], ...reports.map(({ id, name }) => [id, name] as const)]}
        />
        {chosen === '' && (
          <form.Line name="name" label="Name of the report" input={{ required: true, maxLength: 100 }} />
        )}
        <form.Footer submit="Pin" cancel={close} />
      </form.Form>
    </Dialog>
  );
}
