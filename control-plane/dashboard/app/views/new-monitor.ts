import { createAction, problemNote, submitButton } from '../action.ts';
import type { List } from '../api.ts';
import { dialog } from '../dialog.ts';
import { type Content, element } from '../element.ts';
import { boxes, field, form } from '../form.ts';
import type { Monitor, Region } from '../shapes.ts';
import type { Place } from '../view.ts';
import { plural } from '../words.ts';

const known = ['name', 'url', 'interval_seconds', 'regions'];

/** The small form: a GET that must answer 2xx, from the ticked regions. Everything else is the API's. */
export function createMonitorForm(place: Place) {
  const action = createAction(place.redraw);
  let regions: Region[] | null = null;
  let isOpen = false;

  const show = async (): Promise<void> => {
    isOpen = true;
    place.redraw();
    regions = (await place.api.get<List<Region>>('/v0/regions', { limit: 200 })).data;
  };
  const close = () => {
    isOpen = false;
    action.clear();
    place.redraw();
  };
  return {
    button: (): Content =>
      element('button', { type: 'button', class: 'primary', onclick: () => void action.run(show) }, 'New monitor'),
    dialog: (): Content => {
      if (!isOpen) return null;
      const offered = (regions ?? []).map(({ code, name, agents_online }) => ({
        value: code,
        label: `${name === code ? code : `${name} (${code})`}, ${plural(agents_online, 'agent')} online`,
      }));
      return dialog(
        'New monitor',
        close,
        form(
          {},
          action,
          async values => {
            const made = await place.api.send<Monitor>('POST', '/v0/monitors', {
              name: values.text('name'),
              url: values.text('url'),
              interval_seconds: Number(values.text('interval_seconds')),
              regions: values.all('regions'),
            });
            isOpen = false;
            place.go(`#/monitors/${made.id}`);
          },
          field('input', {
            label: 'Name',
            name: 'name',
            action,
            attributes: { required: true, maxlength: 200, autofocus: true },
          }),
          field('input', {
            label: 'Address',
            name: 'url',
            action,
            attributes: { type: 'url', required: true, placeholder: 'https://example.com/health' },
          }),
          field('input', {
            label: 'Seconds between checks',
            name: 'interval_seconds',
            action,
            attributes: { type: 'number', value: 30, min: 10, max: 86_400 },
          }),
          boxes(
            'Regions',
            'regions',
            offered,
            offered.map(({ value }) => value),
          ),
          regions?.length === 0 &&
            element('p', { class: 'hint' }, 'There is no region yet: npm run admin -- region create makes one.'),
          problemNote(
            action.problem,
            known.filter(name => name !== 'regions'),
          ),
          element(
            'div',
            { class: 'buttons' },
            submitButton('Create', action),
            element('button', { type: 'button', onclick: close }, 'Cancel'),
          ),
        ),
      );
    },
  };
}
