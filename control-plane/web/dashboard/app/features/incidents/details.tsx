import type { Fields } from '../../kit/form/fields.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { impactChoices, severityChoices } from '../../kit/labels.ts';
import { read } from '../../session/api.ts';
import type { Component, Incident } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';

const heading = 'Title, impact and components';

/** What an incident is about, while it is edited. */
export type IncidentDetails = Pick<Incident, 'title' | 'severity' | 'impact'> & {
  affected_components: readonly string[];
};

export function detailsBody({ title, severity, impact, affected_components }: IncidentDetails) {
  return { title: title.trim(), severity, impact, affected_components: [...affected_components] };
}

type DetailsProps = { incident: Incident; components: readonly Component[]; onChange(incident: Incident): void };

/** Title, severity, impact and components: changes appear on the page without notifications. */
export function Details({ incident, components, onChange }: DetailsProps) {
  const app = useApp();
  const form = useForm<IncidentDetails>(null, detailsBody(incident), async draft => {
    const body = detailsBody(draft);
    onChange(await read(app.api.client.PATCH('/v0/incidents/{id}', { params: { path: { id: incident.id } }, body })));
    app.announce('Saved');
  });
  return (
    <details class="card">
      <summary>
        <h2>{heading}</h2>
      </summary>
      <form.Form label={heading}>
        <IncidentFields form={form} components={components} />
        <form.Footer submit="Save" />
      </form.Form>
    </details>
  );
}

type IncidentFieldsProps = { form: Fields<IncidentDetails>; components: readonly Component[] };

export function IncidentFields({ form, components }: IncidentFieldsProps) {
  return (
    <>
      <form.Line name="title" label="Title" input={{ required: true, maxLength: 255 }} />
      <div class="pair">
        <form.Choice name="severity" label="Severity" choices={severityChoices} />
        <form.Choice name="impact" label="Impact" choices={impactChoices} />
      </div>
      {components.length > 0 && (
        <form.Checks
          name="affected_components"
          legend="Affected components"
          choices={components.map(({ id, name }) => [id, name] as const)}
        />
      )}
    </>
  );
}
