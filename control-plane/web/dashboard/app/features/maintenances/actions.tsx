import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { formatSpan } from '../../kit/span.ts';
import { read } from '../../session/api.ts';
import type { Maintenance, Occurrence } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { instantOf, localOf, zoneNameOf } from '../../session/zoned-time.ts';

type ActionsProps = { maintenance: Maintenance; onChange(maintenance: Maintenance): void };
type Asked = 'extend' | 'end' | 'cancel' | 'delete';

/** What can be done with a window: while it lasts, before, and at any time. */
export function MaintenanceActions({ maintenance, onChange }: ActionsProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { id, current, next } = maintenance;
  const close = () => setAsked(null);
  const occurrence = current ?? next;
  const props = { maintenance, onChange, close };
  return (
    <>
      {current !== null && (
        <>
          <button type="button" class="primary" onClick={() => setAsked('extend')}>
            Extend…
          </button>
          <button type="button" onClick={() => setAsked('end')}>
            End now…
          </button>
        </>
      )}
      {occurrence !== null && (
        <button type="button" onClick={() => setAsked('cancel')}>
          Cancel…
        </button>
      )}
      <a class="button" href={`#/maintenance/${id}/edit`}>
        Edit
      </a>
      <a class="button" href={`#/maintenance/new?from=${id}`}>
        Duplicate
      </a>
      <button type="button" class="danger" onClick={() => setAsked('delete')}>
        Delete…
      </button>
      {asked === 'extend' && current !== null && <ExtendDialog {...props} occurrence={current} />}
      {asked === 'end' && current !== null && <EndDialog {...props} />}
      {asked === 'cancel' && occurrence !== null && <CancelDialog {...props} occurrence={occurrence} />}
      {asked === 'delete' && <DeleteDialog {...props} />}
    </>
  );
}

type DialogProps = ActionsProps & { close(): void };
const quarters = [15, 30, 60, 120];

function ExtendDialog({ maintenance, occurrence, onChange, close }: DialogProps & { occurrence: Occurrence }) {
  const app = useApp();
  const timeZone = zoneNameOf(app.zone.value);
  const later = (minutes: number) => localOf(Date.parse(occurrence.ends_at) + minutes * 60_000, timeZone);
  const form = useForm(`extend ${occurrence.id}`, { end: later(30) }, async ({ end }) => {
    const endsAt = instantOf(end, timeZone);
    const body = { ends_at: endsAt === null ? end : new Date(endsAt).toISOString(), occurrence_id: occurrence.id };
    const params = { path: { id: maintenance.id } };
    onChange(await read(app.api.client.POST('/v0/maintenances/{id}/extend', { params, body })));
    app.announce(`${maintenance.title}: extended`);
    close();
  });
  return (
    <Dialog title={`Extend ${maintenance.title}`} close={close}>
      <form.Form>
        <p>Planned: {formatSpan(occurrence.starts_at, occurrence.ends_at, app.zone.value)}.</p>
        <div class="chips">
          {quarters.map(minutes => (
            <button key={minutes} type="button" class="chip" onClick={() => form.change({ end: later(minutes) })}>
              + {minutes < 60 ? `${minutes} min` : `${minutes / 60} h`}
            </button>
          ))}
        </div>
        <form.Line name="end" at="ends_at" label={`New end (${timeZone})`} input={{ type: 'datetime-local' }} />
        {maintenance.announced && <p class="hint">Its status pages say so, and subscribers are notified.</p>}
        <form.Footer submit="Extend" cancel={close} />
      </form.Form>
    </Dialog>
  );
}

function EndDialog({ maintenance, onChange, close }: DialogProps) {
  const app = useApp();
  const end = async (): Promise<void> => {
    const params = { path: { id: maintenance.id } };
    onChange(await read(app.api.client.POST('/v0/maintenances/{id}/end', { params, body: {} })));
    app.announce(`${maintenance.title}: ended`);
  };
  const held =
    maintenance.alerts === 'hold' ? ` Alerts still open ${maintenance.settle_seconds} s later are sent.` : '';
  const text = `All regions check at once.${held} A recurring window goes on with its next occurrence.`;
  const title = `End ${maintenance.title} now?`;
  return (
    <ConfirmDialog title={title} button="End now" cancel="Keep it" isDanger={false} close={close} work={end}>
      <p>{text}</p>
    </ConfirmDialog>
  );
}

/** Asks before an occurrence is cancelled. */
export function CancelDialog({ maintenance, occurrence, onChange, close }: DialogProps & { occurrence: Occurrence }) {
  const app = useApp();
  const cancel = async (): Promise<void> => {
    const options = { params: { path: { id: maintenance.id } }, body: { occurrence_id: occurrence.id } };
    onChange(await read(app.api.client.POST('/v0/maintenances/{id}/cancel', options)));
    app.announce(`${maintenance.title}: cancelled`);
  };
  const span = formatSpan(occurrence.starts_at, occurrence.ends_at, app.zone.value);
  const others = maintenance.schedule === null ? '' : ' Other occurrences stay.';
  const effect = occurrence.state === 'in_progress' ? ' Its effect until now stays.' : '';
  return (
    <ConfirmDialog
      title={`Cancel ${maintenance.title}?`}
      button="Cancel maintenance"
      cancel="Keep it"
      close={close}
      work={cancel}
    >
      <p>{`This cancels ${span}.${effect}${others}`}</p>
    </ConfirmDialog>
  );
}

function DeleteDialog({ maintenance, close }: DialogProps) {
  const app = useApp();
  const remove = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/maintenances/{id}', { params: { path: { id: maintenance.id } } });
    app.announce(`${maintenance.title}: deleted`);
    app.go('#/maintenance');
  };
  const text =
    'Its effect on uptime goes as well: time that did not count will count. To keep that, cancel it instead.';
  const title = `Delete ${maintenance.title}?`;
  return (
    <ConfirmDialog title={title} button="Delete" cancel="Keep it" close={close} work={remove}>
      <p>{text}</p>
    </ConfirmDialog>
  );
}
