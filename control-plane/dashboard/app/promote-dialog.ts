import { createAction, problemNote, submitButton } from './action.ts';
import { ApiProblem } from './api.ts';
import { dialog } from './dialog.ts';
import { type Content, type Description, element } from './element.ts';
import { choice, form } from './form.ts';
import type { Alert, Incident, Named, Promotion } from './shapes.ts';
import type { Place } from './view.ts';
import { impactWords, lookOf, severityWords } from './words.ts';

/** Shows exactly what will be public, and publishes it with one press. */
export function createPromoteDialog(place: Place) {
  const action = createAction(place.redraw);
  let alert: Alert | null = null;
  let preview: Promotion | null = null;
  let chosen: { severity: string | null; status_page_id: string | null } = { severity: null, status_page_id: null };

  const look = async (): Promise<void> => {
    const asked = alert;
    if (asked === null) return;
    const found = await place.api.get<Promotion>(`/v0/alerts/${asked.id}/promotion`, chosen);
    // A monitor that drives no component can still be told of on any page.
    const pages =
      found.status_pages.length > 0 || !place.can('status-pages:read')
        ? found.status_pages
        : await place.api.all<Named>('/v0/status-pages');
    if (alert === asked) preview = { ...found, status_pages: pages };
  };
  const close = () => {
    alert = null;
    action.clear();
    place.redraw();
  };
  const choose = (change: Partial<typeof chosen>) => {
    chosen = { ...chosen, ...change };
    void action.run(look);
  };
  const publish = async (): Promise<void> => {
    if (alert === null || preview === null) return;
    const body = { severity: preview.severity, status_page_id: preview.status_page_id };
    try {
      const incident = await place.api.send<Incident>('POST', `/v0/alerts/${alert.id}/promote`, body);
      place.announce('The incident is published');
      alert = null;
      place.go(`#/incidents/${incident.id}`);
    } catch (error) {
      // Somebody else was first: what they published is what one wants to see.
      const other =
        error instanceof ApiProblem && error.code === 'alert_already_promoted' ? error.body.incident_id : null;
      if (typeof other !== 'string') throw error;
      alert = null;
      place.go(`#/incidents/${other}`);
    }
  };

  return {
    open: (wanted: Alert): void => {
      alert = wanted;
      preview = null;
      chosen = { severity: wanted.severity, status_page_id: null };
      void action.run(look);
    },
    render: (): Content => {
      if (alert === null) return null;
      return dialog(
        'Make it public',
        close,
        preview === null && problemNote(action.problem),
        preview === null && action.running && element('p', { class: 'loading' }, 'Loading…'),
        preview !== null &&
          form(
            {},
            action,
            publish,
            choices(preview, chosen, choose, action),
            shown(preview),
            problemNote(action.problem),
            element(
              'div',
              { class: 'buttons' },
              submitButton(
                'Publish',
                action,
                preview.status_page_id === null ? { disabled: true } : { autofocus: true },
              ),
              element('button', { type: 'button', onclick: close }, 'Cancel'),
            ),
          ),
        preview === null && element('button', { type: 'button', onclick: close }, 'Cancel'),
      );
    },
  };
}

function choices(
  preview: Promotion,
  chosen: { severity: string | null; status_page_id: string | null },
  choose: (change: Partial<{ severity: string; status_page_id: string }>) => void,
  action: ReturnType<typeof createAction>,
): Content {
  if (preview.status_pages.length === 0) {
    return element(
      'p',
      { class: 'note' },
      'There is no status page yet. ',
      element('a', { href: '#/status-pages' }, 'Make one first.'),
    );
  }
  const picked = (event: Event) => (event.currentTarget as HTMLSelectElement).value;
  const pages = preview.status_pages.map(page => [page.id, page.name] as const);
  return element(
    'div',
    { class: 'pair' },
    choice({
      label: 'Status page',
      name: 'status_page_id',
      action,
      value: chosen.status_page_id ?? preview.status_page_id ?? '',
      choices: preview.status_page_id === null ? [['', 'choose a page'], ...pages] : pages,
      attributes: { onchange: (event: Event) => choose({ status_page_id: picked(event) }) },
    }),
    choice({
      label: 'Severity',
      name: 'severity',
      action,
      value: chosen.severity ?? preview.severity,
      choices: Object.entries(severityWords),
      attributes: { onchange: (event: Event) => choose({ severity: picked(event) }) },
    }),
  );
}

function shown(preview: Promotion): Description {
  const components = preview.components.map(({ name }) => name).join(', ');
  return element(
    'section',
    { class: 'preview', 'aria-label': 'What will be public' },
    element('p', { class: 'hint' }, 'This and nothing else will be public, and sent to the subscribers:'),
    element('h3', {}, preview.title),
    element(
      'p',
      {},
      `Impact: ${impactWords[preview.impact] ?? preview.impact}. Affected: ${components === '' ? 'no component' : components}.`,
    ),
    element('p', {}, `${lookOf('incidents', preview.initial_update.state).word}, in Markdown:`),
    element('p', { class: 'body' }, preview.initial_update.body),
  );
}
