import { createAction, createActions, problemNote, submitButton } from '../action.ts';
import { badge } from '../badge.ts';
import { type Content, element } from '../element.ts';
import { boxes, field, form } from '../form.ts';
import type { Component, Monitor, StatusPage } from '../shapes.ts';
import type { Place, View, ViewDefinition } from '../view.ts';
import { componentStatuses, lookOf } from '../words.ts';

export const statusPages: ViewDefinition = { pattern: '#/status-pages', navigation: 'Status pages', open };

function open(place: Place): View {
  const { api } = place;
  const actionOf = createActions(place.redraw);
  const making = createAction(place.redraw);
  let pages: StatusPage[] = [];
  let components: Component[] = [];
  let monitors: Monitor[] = [];

  const load = async (): Promise<void> => {
    [pages, components, monitors] = await Promise.all([
      api.all<StatusPage>('/v0/status-pages'),
      place.can('components:read') ? api.all<Component>('/v0/components') : [],
      monitors.length === 0 && place.can('monitors:read') ? api.all<Monitor>('/v0/monitors') : monitors,
    ]);
  };
  const setStatus = async (component: Component, select: HTMLSelectElement): Promise<void> => {
    const action = actionOf(component.id);
    const status = select.value;
    await action.run(async () => {
      await api.send('PATCH', `/v0/components/${component.id}`, { status });
      place.announce(`${component.name}: ${lookOf('components', status).word}`);
      await place.refresh();
    });
    if (action.problem !== null) select.value = component.status;
  };

  const componentRow = (component: Component): Content =>
    element(
      'li',
      { key: component.id, class: 'component' },
      badge(lookOf('components', component.shown_status)),
      element('span', { class: 'name' }, component.name),
      place.can('components:write')
        ? element(
            'label',
            {},
            element('span', { class: 'hint' }, 'set to '),
            element(
              'select',
              {
                value: component.status,
                'aria-label': `Status of ${component.name}`,
                onchange: (event: Event) => void setStatus(component, event.currentTarget as HTMLSelectElement),
              },
              componentStatuses.map(status => element('option', { value: status }, lookOf('components', status).word)),
            ),
          )
        : element('span', { class: 'hint' }, `set to ${lookOf('components', component.status).word}`),
      problemNote(actionOf(component.id).problem),
    );

  const newComponent = (page: StatusPage): Content => {
    const action = actionOf(`new ${page.id}`);
    return element(
      'details',
      { key: `new ${page.id}` },
      element('summary', {}, 'New component'),
      form(
        { 'aria-label': `New component of ${page.name}` },
        action,
        async (values, host) => {
          await api.send('POST', '/v0/components', {
            status_page_id: page.id,
            name: values.text('name'),
            monitor_ids: values.all('monitor_ids'),
          });
          host.reset();
          await place.refresh();
        },
        field('input', {
          label: 'Name',
          name: 'name',
          action,
          attributes: { id: `name-${page.id}`, required: true, maxlength: 200 },
        }),
        monitors.length > 0 &&
          boxes(
            'Driven by monitors',
            'monitor_ids',
            monitors.map(({ id, name }) => ({ value: id, label: name })),
            [],
          ),
        problemNote(action.problem, ['name']),
        element('div', { class: 'buttons' }, submitButton('Create component', action)),
      ),
    );
  };

  const pageCard = (page: StatusPage): Content => {
    const own = components
      .filter(({ status_page_id }) => status_page_id === page.id)
      .sort((left, right) => left.position - right.position);
    return element(
      'section',
      { class: 'card', key: page.id },
      element('h2', {}, page.name),
      element('p', {}, element('a', { href: page.url, target: '_blank', rel: 'noreferrer' }, page.url)),
      own.length === 0 && element('p', { class: 'hint' }, 'No component yet.'),
      element('ul', { class: 'components' }, own.map(componentRow)),
      place.can('components:write') && newComponent(page),
    );
  };

  const newPage = (): Content =>
    element(
      'details',
      { class: 'card', key: 'new', open: pages.length === 0 },
      element('summary', {}, element('h2', {}, 'New status page')),
      form(
        { 'aria-label': 'New status page' },
        making,
        async (values, host) => {
          await api.send('POST', '/v0/status-pages', { name: values.text('name'), slug: values.text('slug') });
          host.reset();
          await place.refresh();
        },
        field('input', { label: 'Name', name: 'name', action: making, attributes: { required: true, maxlength: 200 } }),
        field('input', {
          label: 'Slug',
          name: 'slug',
          action: making,
          hint: 'The page is public at /status/ and this.',
          attributes: { required: true, placeholder: 'acme', autocapitalize: 'none' },
        }),
        problemNote(making.problem, ['name', 'slug']),
        element('div', { class: 'buttons' }, submitButton('Create page', making)),
      ),
    );

  return {
    title: () => 'Status pages',
    everyMs: () => 5000,
    load,
    render: () => [
      pages.length === 0 &&
        element('p', { class: 'empty' }, 'There is no status page yet. It tells your users what you know.'),
      pages.map(pageCard),
      place.can('status-pages:write') && newPage(),
    ],
  };
}
