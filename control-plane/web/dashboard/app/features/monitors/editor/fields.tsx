import { type Choices, severityChoices } from '../../../kit/labels.ts';
import { plural } from '../../../kit/plural.ts';
import type { Component, Region } from '../../../session/api-types.ts';
import type { FieldsProps } from './fields-props.ts';
import { Headers } from './headers.tsx';
import { KindChoice, KindTarget } from './kind-fields.tsx';
import { OfferSecrets } from './offer-secrets.tsx';
import { StepFields } from './step-fields.tsx';

const methods: Choices = (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const).map(
  method => [method, method] as const,
);

type TargetProps = FieldsProps & { isNew: boolean; problem: Error | null };

export function TargetFields({ form, isNew, problem }: TargetProps) {
  const { kind } = form.draft;
  return (
    <section class="card">
      <h2>Target</h2>
      <KindChoice form={form} isNew={isNew} />
      <form.Line name="name" label="Name" />
      {kind === 'http' && <HttpTarget form={form} />}
      {kind === 'multistep' && <StepFields form={form} problem={problem} />}
      <KindTarget form={form} />
    </section>
  );
}

function HttpTarget({ form }: FieldsProps) {
  return (
    <div class="method-url">
      <form.Choice name="method" label="Method" choices={methods} />
      <form.Line name="url" label="URL" input={{ type: 'url', placeholder: 'https://example.com/health' }} />
    </div>
  );
}

export function ScheduleFields({ form, regions }: FieldsProps & { regions: readonly Region[] }) {
  const choices = regions.map(({ code, name, agents_online }) => {
    const label = name === code ? code : `${name} (${code})`;
    return [code, `${label}, ${plural(agents_online, 'agent')} online`] as const;
  });
  const number = { type: 'number', inputMode: 'numeric' } as const;
  return (
    <section class="card">
      <h2>Schedule and regions</h2>
      <div class="pair">
        <form.Line
          name="interval"
          at="interval_seconds"
          label="Check interval (seconds)"
          input={{ ...number, min: 10, max: 86_400 }}
        />
        <form.Line
          name="timeout"
          at="timeout_ms"
          label="Timeout (ms)"
          input={{ ...number, placeholder: '30000, or the interval' }}
        />
        <form.Line
          name="quorum"
          label="Quorum"
          hint="How many regions must agree that it is down."
          input={{ ...number, placeholder: 'a majority' }}
        />
      </div>
      <form.Many name="regions" legend="Regions" choices={choices} />
      {regions.length === 0 && (
        <p class="hint">There are no regions yet. Create one with npm run admin -- region create.</p>
      )}
    </section>
  );
}

export function RequestFields({ form }: FieldsProps) {
  const { draft, change } = form;
  return (
    <details class="card" open={draft.headers.length > 0 || draft.body !== ''}>
      <summary>
        <h2>Headers, body and redirects</h2>
      </summary>
      <Headers headers={draft.headers} onChange={headers => change({ headers })} />
      <OfferSecrets>
        <form.Lines name="body" label="Body" rows={5} />
      </OfferSecrets>
      <form.Check name="followRedirects" label="Follow redirects" />
    </details>
  );
}

/** Of kinds that send headers and nothing else of HTTP. */
export function HeaderFields({ form }: FieldsProps) {
  const { draft, change } = form;
  return (
    <details class="card" open={draft.headers.length > 0}>
      <summary>
        <h2>Headers of the handshake</h2>
      </summary>
      <Headers headers={draft.headers} onChange={headers => change({ headers })} />
    </details>
  );
}

/** What a call of gRPC sends in its headers. */
export function MetadataFields({ form }: FieldsProps) {
  const { draft, change } = form;
  return (
    <details class="card" open={draft.metadata.length > 0}>
      <summary>
        <h2>Metadata of the call</h2>
      </summary>
      <Headers what="metadata" headers={draft.metadata} onChange={metadata => change({ metadata })} />
    </details>
  );
}

export function AlertFields({ form, components }: FieldsProps & { components: readonly Component[] }) {
  return (
    <section class="card">
      <h2>Alerts and publishing</h2>
      <div class="pair">
        <form.Choice name="severity" at="alert_policy/severity" label="Severity" choices={severityChoices} />
        <form.Line
          name="escalateAfter"
          at="alert_policy/escalate_after_minutes"
          label="Escalate after (minutes)"
          input={{ type: 'number', placeholder: 'never' }}
        />
        <form.Line
          name="slackChannel"
          at="alert_policy/slack_channel"
          label="Slack channel"
          input={{ placeholder: '#ops' }}
        />
        <form.Line name="labels" label="Labels" input={{ placeholder: 'team=web, tier=1' }} />
      </div>
      {components.length > 0 && (
        <form.Many
          name="componentIds"
          at="component_ids"
          legend="Status page components"
          choices={components.map(({ id, name }) => [id, name] as const)}
        />
      )}
    </section>
  );
}
