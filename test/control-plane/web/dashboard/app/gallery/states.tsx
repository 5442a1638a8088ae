import { type Glyph, glyphs } from '#control-plane/platform/design/icons.ts';
import {
  alertKindPresentations,
  alertStatePresentations,
  incidentStatePresentations,
  severityPresentations,
  statusPresentations,
  verdictPresentations,
  votePresentations,
} from '#control-plane/platform/design/presentations.ts';
import { VoteDots, VoteList } from '#control-plane/web/dashboard/app/features/monitors/votes.tsx';
import { Badge, Shape } from '#control-plane/web/dashboard/app/kit/badge.tsx';
import { Icon, type IconName, Mark } from '#control-plane/web/dashboard/app/kit/icon.tsx';
import { alertPresentation, monitorPresentation, presentation } from '#control-plane/web/dashboard/app/kit/labels.ts';
import { sampleAlert, sampleMonitor } from '../samples.ts';

const kinds = {
  verdicts: verdictPresentations,
  votes: votePresentations,
  alerts: alertStatePresentations,
  'alert kinds': alertKindPresentations,
  incidents: incidentStatePresentations,
  components: statusPresentations,
  severities: severityPresentations,
  checks: { ok: 0, warn: 0, err: 0 },
  deliveries: { sent: 0, failed: 0, queued: 0, held: 0, cancelled: 0 },
  planned: { maintenance: 0, held: 0 },
  maintenances: { scheduled: 0, in_progress: 0, verifying: 0, completed: 0, cancelled: 0 },
  channels: { ok: 0, failing: 0, unverified: 0, disabled: 0 },
  notices: { open: 0, closed: 0 },
} as const;
type Kind = Parameters<typeof presentation>[0];

const icons: readonly IconName[] = [
  'overview',
  'monitors',
  'alerts',
  'incidents',
  'pages',
  'regions',
  'search',
  'down',
  'user',
];
const maintenance = { id: 'mnt_1', occurrence_id: 'mno_1', ends_at: '2026-11-21T12:00:00.000Z' };
const votes = (['up', 'warn', 'down', 'unknown'] as const).map((vote, index) => ({
  region: ['eu-west', 'us-east', 'ap-south', 'office'][index] ?? '',
  vote,
  since: null,
  as_of: vote === 'unknown' ? null : '2026-11-21T09:59:50.000Z',
  partial_addresses: null,
  reason: vote === 'unknown' ? ('no_result' as const) : null,
}));

/** Words, shapes and colours of everything that has a state. */
export function States() {
  return (
    <div class="card">
      {(Object.keys(kinds) as Kind[]).map(kind => (
        <p key={kind} class="state">
          <span>{kind}</span>
          {Object.keys(kinds[kind]).map(state => (
            <Badge key={state} state={presentation(kind, state as never)} />
          ))}
        </p>
      ))}
      <p class="state">
        <span>in maintenance</span>
        <Badge state={monitorPresentation(sampleMonitor({ status: 'down', maintenance }))} />
        <Badge state={alertPresentation(sampleAlert({ held: true }))} />
        <Badge state={presentation('verdicts', 'a state of a newer server' as never)} />
      </p>
      <h3>Votes</h3>
      <VoteList votes={votes} unable={[]} />
      <VoteDots votes={votes} />
      <VoteDots votes={votes.slice(0, 1)} />
      <h3>Shapes and icons</h3>
      <p class="state">
        {(Object.keys(glyphs) as Glyph[]).map(name => (
          <span key={name}>
            <Shape name={name} /> {name}
          </span>
        ))}
      </p>
      <p class="state">
        <Mark />
        {icons.map(name => (
          <span key={name}>
            <Icon name={name} /> {name}
          </span>
        ))}
      </p>
    </div>
  );
}
