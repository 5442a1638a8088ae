import type { List } from '../../data/api.ts';
import type { Monitor, Region } from '../../data/api-types.ts';
import { type Action, createAction, problemNote, submitButton } from '../../dom/action.ts';
import { dialog } from '../../dom/dialog.ts';
import { type Content, type Description, element } from '../../dom/element.ts';
import { checkboxes, field, form, type Values } from '../../dom/form.ts';
import { plural } from '../../parts/labels.ts';
import type { ViewContext } from '../../view.ts';

const fieldsWithErrors = ['name', 'url', 'interval_seconds'];
const regionsMax = 200;

/** A short form: a GET that must return 2xx, from the checked regions. Other settings are made with the API. */
export function createMonitorDialog(context: ViewContext) {
  const action = createAction(context.redraw);
  let regions: readonly Region[] | null = null;
  let isOpen = false;

  const show = async (): Promise<void> => {
    isOpen = true;
    context.redraw();
    regions = (await context.api.get<List<Region>>('/v0/regions', { limit: regionsMax })).data;
  };
  const close = () => {
    isOpen = false;
    action.clear();
    context.redraw();
  };
  const create = async (values: Values): Promise<void> => {
    const monitor = await context.api.send<Monitor>('POST', '/v0/monitors', {
      name: values.text('name'),
      url: values.text('url'),
      interval_seconds: Number(values.text('interval_seconds')),
      regions: values.all('regions'),
    });
    isOpen = false;
    context.go(`#/monitors/${monitor.id}`);
  };
  return {
    button: (): Description =>
      element('button', { type: 'button', class: 'primary', onclick: () => void action.run(show) }, 'New monitor'),
    dialog: (): Content =>
      isOpen &&
      dialog(
        'New monitor',
        close,
        form(
          {},
          action,
          create,
          renderFields(action),
          renderRegions(regions),
          problemNote(action.problem, fieldsWithErrors),
          renderButtons(action, close),
        ),
      ),
  };
}

function renderFields(action: Action): Content {
  const url = { type: 'url', required: true, placeholder: 'https://example.com/health' };
  const interval = { type: 'number', value: 30, min: 10, max: 86_400 };
  const name = { required: true, maxlength: 200, autofocus: true };
  return [
    field('input', { label: 'Name', name: 'name', action, attributes: name }),
    field('input', { label: 'URL', name: 'url', action, attributes: url }),
    field('input', { label: 'Check interval (seconds)', name: 'interval_seconds', action, attributes: interval }),
  ];
}

/** All regions are checked at first; `regions` is null until they are loaded. */
export function renderRegions(regions: readonly Region[] | null): Content {
  const choices = (regions ?? []).map(({ code, name, agents_online }) => {
    const label = name === code ? code : `${name} (${code})`;
    return [code, `${label}, ${plural(agents_online, 'agent')} online`] as const;
  });
  const codes = choices.map(([code]) => code);
  const hint = 'There are no regions yet. Create one with npm run admin -- region create.';
  return [
    checkboxes('Regions', 'regions', choices, codes),
    regions?.length === 0 && element('p', { class: 'hint' }, hint),
  ];
}

function renderButtons(action: Action, close: () => void): Description {
  const cancel = element('button', { type: 'button', onclick: close }, 'Cancel');
  return element('div', { class: 'buttons' }, submitButton('Create', action), cancel);
}
