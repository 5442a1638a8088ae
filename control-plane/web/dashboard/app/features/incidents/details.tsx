import { SubmitButton } from '../../kit/button.tsx';
import { Boxes, Choice, Form, TextField, type Values } from '../../kit/form/form.tsx';
import { impactChoices, severityChoices } from '../../kit/labels.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Component, Incident } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';

const heading = 'Title, impact and components';

type DetailsProps = { incident: Incident; components: readonly Component[]; onChange(incident: Incident): void };

/** Title, severity, impact and components: changes appear on the page without notifications. */
export function Details({ incident, components, onChange }: DetailsProps) {
  const app = useApp();
  const action = useAction();
  const save = async (values: Values): Promise<void> => {
    const body = {
      title: values.text('title'),
      severity: values.text('severity') as Incident['severity'],
      impact: values.text('impact') as Incident['impact'],
      affected_components: values.all('affected_components'),
    };
    onChange(await read(app.api.client.PATCH('/v0/incidents/{id}', { params: { path: { id: incident.id } }, body })));
    app.announce('Saved');
  };
  return (
    <details class="card">
      <summary>
        <h2>{heading}</h2>
      </summary>
      <Form label={heading} action={action} submit={save}>
        <TextField label="Title" name="title" action={action} value={incident.title} input={{ maxLength: 255 }} />
        <div class="pair">
          <Choice
            label="Severity"
            name="severity"
            action={action}
            value={incident.severity}
            choices={severityChoices}
          />
          <Choice label="Impact" name="impact" action={action} value={incident.impact} choices={impactChoices} />
        </div>
        {components.length > 0 && (
          <Boxes
            legend="Affected components"
            name="affected_components"
            choices={components.map(({ id, name }) => [id, name] as const)}
            checked={incident.affected_components}
          />
        )}
        <ProblemNote problem={action.problem} fields={['title', 'severity', 'impact']} />
        <div class="buttons">
          <SubmitButton action={action}>Save</SubmitButton>
        </div>
      </Form>
    </details>
  );
}
