import type { Choices } from '../../../../kit/labels.ts';
import { read } from '../../../../session/api.ts';
import { type App, useApp } from '../../../../session/app.ts';
import { useLoad } from '../../../../session/load.ts';
import { readAll } from '../../../../session/read-all.ts';
import { Conditions } from '../../../flows/conditions.tsx';
import type { FieldsProps } from '../fields-props.ts';

type Known = { names: readonly string[]; flows: Choices };

const number = { type: 'number', inputMode: 'numeric' } as const;
const namesLoaded = 200;
const whatChoices: Choices = [
  ['event', 'Events of a name'],
  ['flow', 'How many finish a flow'],
];
const typeChoices: Choices = [
  ['track', 'What users do (track)'],
  ['error', 'Errors'],
];
const measureChoices: Choices = [
  ['count', 'Number of events'],
  ['users', 'Number of users'],
];

/** Which stored events are counted, in which window, and what the value is compared with. */
export function EventsFields({ form }: FieldsProps) {
  const app = useApp();
  const { value } = useLoad<Known>('events of monitors', () => readKnown(app), 300_000);
  const { draft, change } = form;
  const isFlow = draft.counts === 'flow';
  return (
    <>
      <form.Choice name="counts" label="What is counted" choices={whatChoices} />
      <datalist id="counted-names">
        {value?.names.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {isFlow ? (
        <div class="pair">
          <form.Choice
            name="flowId"
            at="events/flow_id"
            label="Flow"
            choices={[['', 'Choose a flow'], ...(value?.flows ?? [])]}
          />
          <form.Line
            name="within"
            at="events/within_seconds"
            label="Time to finish it (seconds)"
            input={{ ...number, min: 60, max: 86_400 }}
          />
        </div>
      ) : (
        <>
          <div class="pair">
            <form.Line
              name="eventName"
              at="events/event/name"
              label="Event"
              input={{ list: 'counted-names', maxLength: 200, placeholder: 'order paid' }}
            />
            <form.Choice name="eventType" at="events/event/type" label="Type" choices={typeChoices} />
            <form.Choice name="measure" at="events/measure" label="Value" choices={measureChoices} />
          </div>
          <Conditions of="the events" where={draft.where} onChange={where => change({ where })} />
        </>
      )}
      <form.Fault at="events" />
      <div class="pair">
        <form.Line
          name="windowMinutes"
          at="events/window_seconds"
          label="Window (minutes)"
          input={{ ...number, min: 1, max: 1440 }}
        />
        <form.Line
          name="everyMinutes"
          at="interval_seconds"
          label="Counted every (minutes)"
          input={{ ...number, min: 1, max: 60, placeholder: isFlow ? '5' : '1' }}
        />
      </div>
      <form.Check
        name="comparesWeek"
        label="Compare with the week before"
        hint="The value is then divided by that of the same window 7 days earlier: 0.5 is half of it."
      />
      <details>
        <summary>Few and late events</summary>
        <div class="pair">
          <form.Line
            name="minSample"
            at="events/min_sample"
            label="Least sample"
            hint="With fewer there is no opinion, and no alert."
            input={{ ...number, min: 0, placeholder: isFlow || draft.comparesWeek ? '20' : '0' }}
          />
          <form.Line
            name="settle"
            at="events/settle_seconds"
            label="Wait for late events (seconds)"
            input={{ ...number, min: 30, max: 900 }}
          />
        </div>
      </details>
    </>
  );
}

/** Names of events and flows, as far as the token may read them. */
async function readKnown({ api, can }: App): Promise<Known> {
  const [names, flows] = await Promise.all([
    can('events:read')
      ? read(api.client.GET('/v0/event-names', { params: { query: { limit: namesLoaded } } })).then(({ data }) => data)
      : [],
    can('flows:read') ? readAll(query => api.client.GET('/v0/flows', { params: { query } })) : [],
  ]);
  return {
    names: [...new Set(names.map(({ name }) => name))].sort(),
    flows: flows.map(({ id, name }) => [id, name] as const),
  };
}
