import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import type { Fields } from '../../kit/form/fields.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { impactChoices, presentation, severityChoices } from '../../kit/labels.ts';
import { Skeleton } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { type Api, ApiProblem, read } from '../../session/api.ts';
import type { Alert, Incident, Promotion } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { given } from '../../session/given.ts';
import { readAll } from '../../session/read-all.ts';
import { updateLengthMax } from '../updates/edit-update-dialog.tsx';

/** What the operator chose; null takes the API's default. */
type Chosen = { severity: Alert['severity'] | null; status_page_id: string | null };
type PromoteProps = { alert: Alert; close(): void };

/** Shows exactly what will be public, lets the operator change it, and publishes it. */
export function PromoteDialog({ alert, close }: PromoteProps) {
  const app = useApp();
  const [chosen, setChosen] = useState<Chosen>({ severity: alert.severity, status_page_id: null });
  const [preview, setPreview] = useState<Promotion | null>(null);
  const [fault, setFault] = useState<Error | null>(null);

  useEffect(() => {
    let isCurrent = true;
    const show = (loaded: Promotion | null, error: Error | null): void => {
      if (!isCurrent) return;
      if (loaded !== null) setPreview(loaded);
      setFault(error);
    };
    readPromotion(app, alert.id, chosen).then(
      loaded => show(loaded, null),
      error => show(null, error),
    );
    return () => {
      isCurrent = false;
    };
  }, [chosen]);
  return (
    <Dialog title="Publish as incident" close={close} class="wide">
      {preview === null ? (
        <NoPreview fault={fault} close={close} />
      ) : (
        <Publish alert={alert} preview={preview} fault={fault} choose={setChosen} close={close} />
      )}
    </Dialog>
  );
}

function NoPreview({ fault, close }: { fault: Error | null; close(): void }) {
  return (
    <>
      {fault === null && <Skeleton rows={3} />}
      <ProblemNote problem={fault} />
      <div class="buttons">
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </>
  );
}

type PublishProps = PromoteProps & { preview: Promotion; fault: Error | null; choose(chosen: Chosen): void };

function Publish({ alert, preview, fault, choose, close }: PublishProps) {
  const app = useApp();
  const form = useForm(`promote ${alert.id}`, startOf(preview), async ({ title, impact, body }) => {
    const texts = { title: title.trim(), impact, body: body.trim() };
    const incidentId = await promote(app.api, alert.id, preview, texts);
    app.announce('Incident published');
    app.go(`#/incidents/${incidentId}`);
  });
  const { severity, status_page_id } = form.draft;
  useEffect(() => {
    const isShown = severity === preview.severity && status_page_id === (preview.status_page_id ?? '');
    if (!isShown) choose({ severity, status_page_id: status_page_id || null });
  }, [severity, status_page_id]);
  return (
    <form.Form>
      <Choices form={form} preview={preview} />
      <PublicTexts form={form} preview={preview} />
      <form.Footer submit="Publish" disabled={preview.status_page_id === null} problem={fault} cancel={close} />
    </form.Form>
  );
}

function startOf({ severity, status_page_id, title, impact, initial_update }: Promotion) {
  return { severity, status_page_id: status_page_id ?? '', title, impact, body: initial_update.body };
}

async function readPromotion({ api, can }: App, alertId: string, chosen: Chosen): Promise<Promotion> {
  const params = { path: { alert_id: alertId }, query: given(chosen) };
  const promotion = await read(api.client.GET('/v0/alerts/{alert_id}/promotion', { params }));
  if (promotion.status_pages.length > 0 || !can('status-pages:read')) return promotion;
  // An alert of a monitor without components can be published on any page.
  return {
    ...promotion,
    status_pages: await readAll(query => api.client.GET('/v0/status-pages', { params: { query } })),
  };
}

/** The id of the published incident, or of the one that another operator published first. */
async function promote(
  { client }: Pick<Api, 'client'>,
  alertId: string,
  preview: Promotion,
  texts: { title: string; impact: Incident['impact']; body: string },
): Promise<string> {
  const body = { severity: preview.severity, status_page_id: preview.status_page_id, ...texts };
  try {
    const params = { path: { alert_id: alertId } };
    return (await read(client.POST('/v0/alerts/{alert_id}/promote', { params, body }))).id;
  } catch (error) {
    const isPromoted = error instanceof ApiProblem && error.code === 'alert_already_promoted';
    if (isPromoted && typeof error.body.incident_id === 'string') return error.body.incident_id;
    throw error;
  }
}

type PublicProps = { form: Fields<ReturnType<typeof startOf>>; preview: Promotion };

function Choices({ form, preview: { status_page_id, status_pages } }: PublicProps) {
  if (status_pages.length === 0)
    return (
      <p class="note">
        There are no status pages yet. <a href="#/status-pages">Create one first.</a>
      </p>
    );
  const pages = status_pages.map(page => [page.id, page.name] as const);
  return (
    <div class="pair">
      <form.Choice
        name="status_page_id"
        label="Status page"
        choices={status_page_id === null ? [['', 'Choose a page'], ...pages] : pages}
      />
      <form.Choice name="severity" label="Severity" choices={severityChoices} />
    </div>
  );
}

/** What becomes public, as it will be, with the fields to change it. */
function PublicTexts({ form, preview: { components, initial_update } }: PublicProps) {
  const names = components.map(({ name }) => name).join(', ');
  return (
    <section class="preview" aria-label="Public preview">
      <p class="hint">Only this will be published and sent to subscribers. You can change it first.</p>
      <form.Line name="title" label="Title" input={{ maxLength: 255 }} />
      <form.Choice name="impact" label="Impact" choices={impactChoices} />
      <p>Affected components: {names === '' ? 'none' : names}.</p>
      <MarkdownField
        field={form.text('body')}
        label={`First update (${presentation('incidents', initial_update.state).label})`}
        rows={6}
        maxLength={updateLengthMax}
      />
    </section>
  );
}
