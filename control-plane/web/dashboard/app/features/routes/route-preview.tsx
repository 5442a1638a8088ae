import { useFields } from '../../kit/form/fields.tsx';
import { parseLabels } from '../../kit/form/label-text.ts';
import { alertKindChoices, severityNames } from '../../kit/labels.ts';
import { useAnswer } from '../../session/answer.ts';
import { read } from '../../session/api.ts';
import type { Alert, Channel, Route, RouteMatch } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { describeError } from '../../session/error.ts';
import { formatTime } from '../../session/time.ts';
import { instantOf, zoneNameOf } from '../../session/zoned-time.ts';
import { previewSteps } from './preview-steps.ts';

type ForeseeProps = { routes: readonly Route[]; channels: readonly Channel[] };
const offeredMax = 20;

const start = {
  name: '',
  labels: '',
  kind: 'down' as Alert['kind'],
  severity: 'p2' as Alert['severity'],
  time: '',
};

/** Who would be notified of an alert, and when: of a monitor, or of labels that no monitor has yet. */
export function Foresee({ routes, channels }: ForeseeProps) {
  const { api, zone, now } = useApp();
  const form = useFields(start);
  const { labels, kind, severity, time } = form.draft;
  const zoneName = zoneNameOf(zone.value);
  const name = form.draft.name.trim();
  const monitors = useAnswer(name === '' ? null : name, async () => {
    const query = { q: name.slice(0, 100), limit: offeredMax };
    return (await read(api.client.GET('/v0/monitors', { params: { query } }))).data;
  });
  const found = monitors.value?.find(monitor => monitor.name === name) ?? null;
  const about = found === null ? { labels: parseLabels(labels) } : { monitor_id: found.id };
  const at = instantOf(time, zoneName);
  const body = { ...about, kind, severity, ...(at === null ? {} : { at: new Date(at).toISOString() }) };
  // A changed route or channel changes the answer as well.
  const answer = useAnswer(JSON.stringify([body, routes]), async () => ({
    match: await read(api.client.POST('/v0/routes/match', { body })),
    atMs: at ?? now.peek(),
  }));
  return (
    <section class="card">
      <h2>Who would be notified?</h2>
      <form.Line
        name="name"
        label="Monitor"
        hint={name !== '' && found === null && !monitors.isWaiting ? 'No monitor has this name.' : undefined}
        input={{ list: 'foresee-monitors', placeholder: 'Type its name', autocomplete: 'off' }}
      />
      <datalist id="foresee-monitors">
        {monitors.value?.map(monitor => (
          <option key={monitor.id} value={monitor.name} />
        ))}
      </datalist>
      {found === null && (
        <form.Line
          name="labels"
          label="Or labels"
          input={{ placeholder: 'env=prod, tier=1', autocapitalize: 'none' }}
        />
      )}
      <div class="pair two">
        <form.Choice name="severity" label="Severity" choices={severityNames} />
        <form.Choice name="kind" label="Kind" choices={alertKindChoices} />
      </div>
      <form.Line
        name="time"
        label="At"
        hint={time === '' ? 'Leave empty for now.' : zoneName}
        input={{ type: 'datetime-local' }}
      />
      {answer.problem !== null && <p class="fault">{describeError(answer.problem)}</p>}
      {answer.value !== null && <RoutePreview {...answer.value} routes={routes} channels={channels} />}
    </section>
  );
}

function RoutePreview({ match, atMs, routes, channels }: ForeseeProps & { match: RouteMatch; atMs: number }) {
  const { zone } = useApp();
  const nameOf = (id: string) => channels.find(channel => channel.id === id)?.name ?? id;
  return (
    <div class="foreseen" role="status">
      {match.routes.length === 0 && (
        <p class="note">
          No route matches. Only the Slack channel of the monitor and the webhooks of the project would be notified.
        </p>
      )}
      {match.routes.map(route => (
        <div key={route.id}>
          <h3>{routes.find(({ id }) => id === route.id)?.name ?? route.id}</h3>
          {route.held_until !== null && (
            <p class="reason">Quiet hours: held until {formatTime(route.held_until, zone.value)}.</p>
          )}
          <ol class="step-line">
            {previewSteps(route, atMs, nameOf).map(({ when, names }, index) => (
              <li key={index}>
                <span class="hint">{when}</span> {names.join(', ')}
              </li>
            ))}
          </ol>
        </div>
      ))}
    </div>
  );
}
