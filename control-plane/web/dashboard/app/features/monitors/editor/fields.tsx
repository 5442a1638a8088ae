import { Line, Pick } from '../../../kit/form/controlled.tsx';
import { PickMany } from '../../../kit/form/pick-many.tsx';
import { type Choices, severityChoices } from '../../../kit/labels.ts';
import { plural } from '../../../kit/plural.ts';
import type { Action } from '../../../session/action.ts';
import type { Component, Region } from '../../../session/api-types.ts';
import { fieldError } from '../../../session/error.ts';
import { Headers } from './headers.tsx';
import type { MonitorDraft } from './monitor-draft.ts';

export type FieldsProps = {
  draft: MonitorDraft;
  change(changes: Partial<MonitorDraft>): void;
  action: Action;
};

const methods: Choices = (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const).map(
  method => [method, method] as const,
);

export function TargetFields({ draft, change, action }: FieldsProps) {
  return (
    <section class="card">
      <h2>Target</h2>
      <Line label="Name" name="name" action={action} value={draft.name} onText={name => change({ name })} />
      <div class="method-url">
        <Pick
          label="Method"
          value={draft.method}
          choices={methods}
          onText={method => change({ method: method as MonitorDraft['method'] })}
        />
        <Line
          label="URL"
          name="url"
          action={action}
          value={draft.url}
          onText={url => change({ url })}
          input={{ type: 'url', placeholder: 'https://example.com/health' }}
        />
      </div>
    </section>
  );
}

export function ScheduleFields({ draft, change, action, regions }: FieldsProps & { regions: readonly Region[] }) {
  const choices = regions.map(({ code, name, agents_online }) => {
    const label = name === code ? code : `${name} (${code})`;
    return [code, `${label}, ${plural(agents_online, 'agent')} online`] as const;
  });
  const number = { type: 'number', inputMode: 'numeric' } as const;
  return (
    <section class="card">
      <h2>Schedule and regions</h2>
      <div class="pair">
        <Line
          label="Check interval (seconds)"
          name="interval_seconds"
          action={action}
          value={draft.interval}
          onText={interval => change({ interval })}
          input={{ ...number, min: 10, max: 86_400 }}
        />
        <Line
          label="Timeout (ms)"
          name="timeout_ms"
          action={action}
          value={draft.timeout}
          onText={timeout => change({ timeout })}
          input={{ ...number, placeholder: '30000, or the interval' }}
        />
        <Line
          label="Quorum"
          name="quorum"
          action={action}
          value={draft.quorum}
          hint="How many regions must agree that it is down."
          onText={quorum => change({ quorum })}
          input={{ ...number, placeholder: 'a majority' }}
        />
      </div>
      <PickMany
        legend="Regions"
        choices={choices}
        picked={draft.regions}
        onChange={picked => change({ regions: picked })}
      />
      {regions.length === 0 && (
        <p class="hint">There are no regions yet. Create one with npm run admin -- region create.</p>
      )}
    </section>
  );
}

export function RequestFields({ draft, change, action }: FieldsProps) {
  const error = fieldError(action.problem, 'body');
  return (
    <details class="card" open={draft.headers.length > 0 || draft.body !== ''}>
      <summary>
        <h2>Headers, body and redirects</h2>
      </summary>
      <Headers headers={draft.headers} onChange={headers => change({ headers })} />
      <div class="field">
        <label for="field-body">Body</label>
        <textarea
          id="field-body"
          rows={5}
          value={draft.body}
          onInput={event => change({ body: event.currentTarget.value })}
        />
        {error !== null && <p class="fault">{error}</p>}
      </div>
      <label class="box">
        <input
          type="checkbox"
          checked={draft.followRedirects}
          onChange={event => change({ followRedirects: event.currentTarget.checked })}
        />
        <span>Follow redirects</span>
      </label>
    </details>
  );
}

export function AlertFields({ draft, change, action, components }: FieldsProps & { components: readonly Component[] }) {
  return (
    <section class="card">
      <h2>Alerts and publishing</h2>
      <div class="pair">
        <Pick
          label="Severity"
          value={draft.severity}
          choices={severityChoices}
          onText={severity => change({ severity })}
        />
        <Line
          label="Escalate after (minutes)"
          name="escalate_after_minutes"
          action={action}
          value={draft.escalateAfter}
          onText={escalateAfter => change({ escalateAfter })}
          input={{ type: 'number', placeholder: 'never' }}
        />
        <Line
          label="Slack channel"
          name="slack_channel"
          action={action}
          value={draft.slackChannel}
          onText={slackChannel => change({ slackChannel })}
          input={{ placeholder: '#ops' }}
        />
        <Line
          label="Labels"
          name="labels"
          action={action}
          value={draft.labels}
          onText={labels => change({ labels })}
          input={{ placeholder: 'team=web, tier=1' }}
        />
      </div>
      {components.length > 0 && (
        <PickMany
          legend="Status page components"
          choices={components.map(({ id, name }) => [id, name] as const)}
          picked={draft.componentIds}
          onChange={componentIds => change({ componentIds })}
        />
      )}
    </section>
  );
}
