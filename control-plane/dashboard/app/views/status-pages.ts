import type { Component, Monitor, Named, StatusPage } from '../data/api-types.ts';
import { type Action, createAction, createActions, problemNote, submitButton } from '../dom/action.ts';
import { type Content, type Description, element } from '../dom/element.ts';
import { checkboxes, choiceOptions, field, form, type Values } from '../dom/form.ts';
import { badge } from '../parts/badge.ts';
import { componentStatusChoices, presentation } from '../parts/labels.ts';
import type { View, ViewContext, ViewDefinition } from '../view.ts';

export const statusPages: ViewDefinition = { pattern: '#/status-pages', navigation: 'Status pages', open };

function open(context: ViewContext): View {
  const { api, can } = context;
  const actionOf = createActions(context.redraw);
  const creatingPage = createAction(context.redraw);
  let pages: readonly StatusPage[] = [];
  let components: readonly Component[] = [];
  let monitors: readonly Named[] = [];

  const load = async (): Promise<void> => {
    [pages, components, monitors] = await Promise.all([
      api.all<StatusPage>('/v0/status-pages'),
      can('components:read') ? api.all<Component>('/v0/components') : [],
      monitors.length === 0 && can('monitors:read') ? api.all<Monitor>('/v0/monitors') : monitors,
    ]);
  };
  const row = (component: Component): Description => {
    const action = actionOf(component.id);
    const set = (select: HTMLSelectElement) => setStatus(context, component, select, action);
    const control = can('components:write') ? renderStatusSelect(component, set) : renderSetStatus(component);
    return renderComponent(component, control, action);
  };
  const card = (page: StatusPage): Description => {
    const action = actionOf(`new ${page.id}`);
    const create = (values: Values, host: HTMLFormElement) => createComponent(context, page, values, host);
    const rows = componentsOf(page, components).map(row);
    return renderPage(page, rows, can('components:write') && renderNewComponent(page, monitors, action, create));
  };

  return {
    title: () => 'Status pages',
    intervalMs: () => 5000,
    load,
    render: () => [
      pages.length === 0 &&
        element('p', { class: 'empty' }, 'No status pages yet. A status page keeps your users informed.'),
      pages.map(card),
      can('status-pages:write') &&
        renderNewPage(pages.length === 0, creatingPage, (values, host) => createPage(context, values, host)),
    ],
  };
}

async function setStatus(
  context: ViewContext,
  component: Component,
  select: HTMLSelectElement,
  action: Action,
): Promise<void> {
  const status = select.value;
  const label = componentStatusChoices.find(([value]) => value === status)?.[1] ?? status;
  await action.run(async () => {
    await context.api.send('PATCH', `/v0/components/${component.id}`, { status });
    context.announce(`${component.name}: ${label}`);
    await context.refresh();
  });
  if (action.problem !== null) select.value = component.status;
}

async function createComponent(
  context: ViewContext,
  page: StatusPage,
  values: Values,
  host: HTMLFormElement,
): Promise<void> {
  await context.api.send('POST', '/v0/components', {
    status_page_id: page.id,
    name: values.text('name'),
    monitor_ids: values.all('monitor_ids'),
  });
  host.reset();
  await context.refresh();
}

async function createPage(context: ViewContext, values: Values, host: HTMLFormElement): Promise<void> {
  await context.api.send('POST', '/v0/status-pages', { name: values.text('name'), slug: values.text('slug') });
  host.reset();
  await context.refresh();
}

/** In the order of the public page. */
export function componentsOf(page: Pick<StatusPage, 'id'>, components: readonly Component[]): Component[] {
  return components
    .filter(({ status_page_id }) => status_page_id === page.id)
    .sort((left, right) => left.position - right.position);
}

function renderPage(page: StatusPage, rows: readonly Description[], newComponent: Content): Description {
  return element(
    'section',
    { class: 'card', key: page.id },
    element('h2', {}, page.name),
    element('p', {}, element('a', { href: page.url, target: '_blank', rel: 'noreferrer' }, page.url)),
    rows.length === 0 && element('p', { class: 'hint' }, 'No components yet.'),
    element('ul', { class: 'components' }, rows),
    newComponent,
  );
}

function renderComponent(component: Component, control: Content, action: Action): Description {
  return element(
    'li',
    { key: component.id, class: 'component' },
    badge(presentation('components', component.shown_status)),
    element('span', { class: 'name' }, component.name),
    control,
    problemNote(action.problem),
  );
}

/** The status an operator set; the badge shows the worst of it, open incidents and monitors. */
function renderSetStatus({ status }: Component): Description {
  return element('span', { class: 'hint' }, `set to ${presentation('components', status).label}`);
}

function renderStatusSelect(component: Component, set: (select: HTMLSelectElement) => Promise<void>): Description {
  const attributes = {
    value: component.status,
    'aria-label': `Status of ${component.name}`,
    onchange: (event: Event) => void set(event.currentTarget as HTMLSelectElement),
  };
  const hint = element('span', { class: 'hint' }, 'set to ');
  return element('label', {}, hint, element('select', attributes, choiceOptions(componentStatusChoices)));
}

function renderNewComponent(
  page: StatusPage,
  monitors: readonly Named[],
  action: Action,
  create: (values: Values, host: HTMLFormElement) => Promise<void>,
): Description {
  const choices = monitors.map(({ id, name }) => [id, name] as const);
  const name = { id: `name-${page.id}`, required: true, maxlength: 200 };
  return element(
    'details',
    { key: `new ${page.id}` },
    element('summary', {}, 'New component'),
    form(
      { 'aria-label': `New component on ${page.name}` },
      action,
      create,
      field('input', { label: 'Name', name: 'name', action, attributes: name }),
      choices.length > 0 && checkboxes('Status follows these monitors', 'monitor_ids', choices, []),
      problemNote(action.problem, ['name']),
      element('div', { class: 'buttons' }, submitButton('Create component', action)),
    ),
  );
}

function renderNewPage(
  isOpen: boolean,
  action: Action,
  create: (values: Values, host: HTMLFormElement) => Promise<void>,
): Description {
  const hint = 'The page will be public at /status/ followed by its slug.';
  const slug = { required: true, placeholder: 'acme', autocapitalize: 'none' };
  return element(
    'details',
    { class: 'card', key: 'new', open: isOpen },
    element('summary', {}, element('h2', {}, 'New status page')),
    form(
      { 'aria-label': 'New status page' },
      action,
      create,
      field('input', { label: 'Name', name: 'name', action, attributes: { required: true, maxlength: 200 } }),
      field('input', { label: 'Slug', name: 'slug', action, hint, attributes: slug }),
      problemNote(action.problem, ['name', 'slug']),
      element('div', { class: 'buttons' }, submitButton('Create page', action)),
    ),
  );
}
