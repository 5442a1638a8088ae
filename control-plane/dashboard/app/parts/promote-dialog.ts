import { ApiProblem } from '../data/api.ts';
import type { Alert, Incident, Named, Promotion } from '../data/api-types.ts';
import { type Action, createAction, problemNote, submitButton } from '../dom/action.ts';
import { dialog } from '../dom/dialog.ts';
import { type Content, type Description, element } from '../dom/element.ts';
import { choice, form, selectedValue } from '../dom/form.ts';
import type { ViewContext } from '../view.ts';
import { impactLabel, presentation, severityChoices } from './labels.ts';

/** What the operator chose; null takes the API's default. */
type Choice = { severity: string | null; status_page_id: string | null };

/** Previews exactly what will be public, and publishes it with one click. */
export function createPromoteDialog(context: ViewContext) {
  const action = createAction(context.redraw);
  let alert: Alert | null = null;
  let preview: Promotion | null = null;
  let chosen: Choice = { severity: null, status_page_id: null };

  const loadPreview = async (): Promise<void> => {
    const requested = alert;
    if (requested === null) return;
    const loaded = await readPromotion(context, requested.id, chosen);
    if (alert === requested) preview = loaded;
  };
  const close = () => {
    alert = null;
    action.clear();
    context.redraw();
  };
  const choose = (change: Partial<Choice>) => {
    chosen = { ...chosen, ...change };
    void action.run(loadPreview);
  };
  const publish = async (): Promise<void> => {
    if (alert === null || preview === null) return;
    const incidentId = await promote(context, alert.id, preview);
    alert = null;
    context.go(`#/incidents/${incidentId}`);
  };

  return {
    open: (promoted: Alert): void => {
      alert = promoted;
      preview = null;
      chosen = { severity: promoted.severity, status_page_id: null };
      void action.run(loadPreview);
    },
    render: (): Content => {
      if (alert === null) return null;
      if (preview === null) return dialog('Publish as incident', close, renderLoading(action), cancelButton(close));
      const fields = renderChoices(preview, chosen, choose, action);
      const buttons = renderButtons(preview, action, close);
      const content = form({}, action, publish, fields, renderPreview(preview), problemNote(action.problem), buttons);
      return dialog('Publish as incident', close, content);
    },
  };
}

async function readPromotion(context: ViewContext, alertId: string, chosen: Choice): Promise<Promotion> {
  const promotion = await context.api.get<Promotion>(`/v0/alerts/${alertId}/promotion`, chosen);
  if (promotion.status_pages.length > 0 || !context.can('status-pages:read')) return promotion;
  // An alert of a monitor without components can be published on any page.
  return { ...promotion, status_pages: await context.api.all<Named>('/v0/status-pages') };
}

/** The id of the published incident, or of the one that another operator published first. */
async function promote(context: ViewContext, alertId: string, preview: Promotion): Promise<string> {
  const body = { severity: preview.severity, status_page_id: preview.status_page_id };
  try {
    const incident = await context.api.send<Incident>('POST', `/v0/alerts/${alertId}/promote`, body);
    context.announce('Incident published');
    return incident.id;
  } catch (error) {
    const isPromoted = error instanceof ApiProblem && error.code === 'alert_already_promoted';
    if (isPromoted && typeof error.body.incident_id === 'string') return error.body.incident_id;
    throw error;
  }
}

function renderLoading(action: Action): Content {
  return [problemNote(action.problem), action.running && element('p', { class: 'loading' }, 'Loading…')];
}

function renderChoices(
  preview: Promotion,
  chosen: Choice,
  choose: (change: Partial<Choice>) => void,
  action: Action,
): Content {
  if (preview.status_pages.length === 0) {
    const link = element('a', { href: '#/status-pages' }, 'Create one first.');
    return element('p', { class: 'note' }, 'There are no status pages yet. ', link);
  }
  const pages = preview.status_pages.map(page => [page.id, page.name] as const);
  return element(
    'div',
    { class: 'pair' },
    choice({
      label: 'Status page',
      name: 'status_page_id',
      action,
      value: chosen.status_page_id ?? preview.status_page_id ?? '',
      choices: preview.status_page_id === null ? [['', 'Choose a page'], ...pages] : pages,
      attributes: { onchange: (event: Event) => choose({ status_page_id: selectedValue(event) }) },
    }),
    choice({
      label: 'Severity',
      name: 'severity',
      action,
      value: chosen.severity ?? preview.severity,
      choices: severityChoices,
      attributes: { onchange: (event: Event) => choose({ severity: selectedValue(event) }) },
    }),
  );
}

export function renderPreview({ components, impact, initial_update, title }: Promotion): Description {
  const names = components.map(({ name }) => name).join(', ');
  const { state, body } = initial_update;
  return element(
    'section',
    { class: 'preview', 'aria-label': 'Public preview' },
    element('p', { class: 'hint' }, 'Only this will be published and sent to subscribers:'),
    element('h3', {}, title),
    element('p', {}, `${impactLabel(impact)}. Affected components: ${names === '' ? 'none' : names}.`),
    element('p', {}, `First update (${presentation('incidents', state).label}), in Markdown:`),
    element('p', { class: 'body' }, body),
  );
}

function renderButtons(preview: Promotion, action: Action, close: () => void): Description {
  const attributes = preview.status_page_id === null ? { disabled: true } : { autofocus: true };
  return element('div', { class: 'buttons' }, submitButton('Publish', action, attributes), cancelButton(close));
}

function cancelButton(close: () => void): Description {
  return element('button', { type: 'button', onclick: close }, 'Cancel');
}
