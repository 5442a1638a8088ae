import { useEffect, useState } from 'preact/hooks';
import { SubmitButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Choice, Form, TextField, type Values } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { impactChoices, presentation, severityChoices } from '../../kit/labels.ts';
import { Skeleton } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { type Action, useAction } from '../../session/action.ts';
import { type Api, ApiProblem, read } from '../../session/api.ts';
import type { Alert, Incident, Promotion } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { given } from '../../session/given.ts';
import { readAll } from '../../session/read-all.ts';
import { updateLengthMax } from '../updates/edit-update-dialog.tsx';

/** What the operator chose; null takes the API's default. */
type Chosen = { severity: Alert['severity'] | null; status_page_id: string | null };

/** Shows exactly what will be public, lets the operator change it, and publishes it. */
export function PromoteDialog({ alert, close }: { alert: Alert; close(): void }) {
  const app = useApp();
  const action = useAction();
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
  const publish = async (values: Values): Promise<void> => {
    if (preview === null) return;
    const texts = {
      title: values.text('title'),
      impact: values.text('impact') as Incident['impact'],
      body: values.text('body'),
    };
    const incidentId = await promote(app.api, alert.id, preview, texts);
    app.announce('Incident published');
    app.go(`#/incidents/${incidentId}`);
  };
  return (
    <Dialog title="Publish as incident" close={close} class="wide">
      <Form action={action} {...(preview === null ? {} : { draft: `promote ${alert.id}` })} submit={publish}>
        {preview === null && fault === null && <Skeleton rows={3} />}
        {preview !== null && (
          <>
            <Choices preview={preview} chosen={chosen} choose={change => setChosen({ ...chosen, ...change })} />
            <PublicTexts promotion={preview} action={action} />
          </>
        )}
        <ProblemNote problem={action.problem ?? fault} fields={['title', 'impact', 'body']} />
        <div class="buttons">
          {preview !== null && (
            <SubmitButton action={action} disabled={preview.status_page_id === null}>
              Publish
            </SubmitButton>
          )}
          <button type="reset" onClick={close}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  );
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

type ChoicesProps = { preview: Promotion; chosen: Chosen; choose(change: Partial<Chosen>): void };

function Choices({ preview, chosen, choose }: ChoicesProps) {
  const action = useAction();
  if (preview.status_pages.length === 0)
    return (
      <p class="note">
        There are no status pages yet. <a href="#/status-pages">Create one first.</a>
      </p>
    );
  const pages = preview.status_pages.map(page => [page.id, page.name] as const);
  return (
    <div class="pair">
      <Choice
        label="Status page"
        name="status_page_id"
        action={action}
        value={chosen.status_page_id ?? preview.status_page_id ?? ''}
        choices={preview.status_page_id === null ? [['', 'Choose a page'], ...pages] : pages}
        onChange={status_page_id => choose({ status_page_id })}
      />
      <Choice
        label="Severity"
        name="severity"
        action={action}
        value={chosen.severity ?? preview.severity}
        choices={severityChoices}
        onChange={severity => choose({ severity: severity as Alert['severity'] })}
      />
    </div>
  );
}

/** What becomes public, as it will be, with the fields to change it. */
function PublicTexts({ promotion, action }: { promotion: Promotion; action: Action }) {
  const names = promotion.components.map(({ name }) => name).join(', ');
  return (
    <section class="preview" aria-label="Public preview">
      <p class="hint">Only this will be published and sent to subscribers. You can change it first.</p>
      <TextField label="Title" name="title" action={action} value={promotion.title} input={{ maxLength: 255 }} />
      <Choice label="Impact" name="impact" action={action} value={promotion.impact} choices={impactChoices} />
      <p>Affected components: {names === '' ? 'none' : names}.</p>
      <MarkdownField
        label={`First update (${presentation('incidents', promotion.initial_update.state).label})`}
        name="body"
        id="promote-body"
        action={action}
        rows={6}
        maxLength={updateLengthMax}
        value={promotion.initial_update.body}
      />
    </section>
  );
}
