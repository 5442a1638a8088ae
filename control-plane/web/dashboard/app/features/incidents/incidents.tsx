import { Badge } from '../../kit/badge.tsx';
import { ActionButton } from '../../kit/button.tsx';
import { Filter } from '../../kit/form/filter.tsx';
import {
  type Choices,
  impactLabel,
  incidentStateChoices,
  presentation,
  severityFilterChoices,
} from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { Lasted } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import { type Api, type List, read } from '../../session/api.ts';
import type { Incident } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { choicesOf, given } from '../../session/given.ts';
import { useLoad } from '../../session/load.ts';
import { useQuery } from '../../session/query.ts';
import { appendOlder, type IncidentPages, incidentsPerPage, mergeIncidents } from './lists.ts';

const noIncidents: IncidentPages = { incidents: [], cursor: null };
const stateFilterChoices: Choices = [
  ['', 'all'],
  ['investigating,identified,monitoring', 'unresolved'],
  ...incidentStateChoices.map(([state, label]) => [state, label.toLowerCase()] as const),
];

export function Incidents() {
  const app = useApp();
  const [query, setQuery] = useQuery();
  const filter = { state: query.get('state') ?? '', severity: query.get('severity') ?? '' };
  const older = useAction();
  const load = useLoad<IncidentPages>(
    JSON.stringify(filter),
    async previous => mergeIncidents(previous ?? noIncidents, await readIncidents(app.api, filter, null)),
    5000,
  );
  const pages = load.value ?? noIncidents;
  const loadOlder = async (): Promise<void> => {
    load.set(appendOlder(pages, await readIncidents(app.api, filter, pages.cursor)));
  };
  const isFiltered = filter.state !== '' || filter.severity !== '';
  return (
    <Page
      title="Incidents"
      freshness={load.freshness}
      refresh={load.refresh}
      actions={
        app.can('incidents:write') && (
          <a class="button primary" href="#/incidents/new">
            New incident
          </a>
        )
      }
    >
      <div class="filters">
        <Filter
          label="State"
          value={filter.state}
          choices={stateFilterChoices}
          onChange={state => setQuery({ state })}
        />
        <Filter
          label="Severity"
          value={filter.severity}
          choices={severityFilterChoices}
          onChange={severity => setQuery({ severity })}
        />
      </div>
      {pages.incidents.length === 0 && <p class="empty">{isFiltered ? 'No incidents match.' : 'No incidents yet.'}</p>}
      <ul class="cards">
        {pages.incidents.map(incident => (
          <Row key={incident.id} incident={incident} />
        ))}
      </ul>
      {pages.cursor !== null && (
        <ActionButton action={older} work={loadOlder}>
          Show older
        </ActionButton>
      )}
      <ProblemNote problem={older.problem} />
    </Page>
  );
}

type IncidentFilter = { state: string; severity: string };

function readIncidents(api: Api, filter: IncidentFilter, cursor: string | null): Promise<List<Incident>> {
  const chosen = {
    state: choicesOf<Incident['state']>(filter.state),
    severity: choicesOf<Incident['severity']>(filter.severity),
  };
  const query = { ...given({ ...chosen, cursor }), limit: incidentsPerPage };
  return read(api.client.GET('/v0/incidents', { params: { query } }));
}

function Row({ incident }: { incident: Incident }) {
  const state = presentation('incidents', incident.state);
  return (
    <li class={`card row incident ${incident.state === 'resolved' ? 'quiet' : state.tone}`} data-row>
      <div class="state">
        <Badge state={state} />
        <Badge state={presentation('severities', incident.severity)} />
      </div>
      <div class="what">
        <a class="name" href={`#/incidents/${incident.id}`}>
          {incident.title}
        </a>
        <span class="reason">{impactLabel(incident.impact)}</span>
      </div>
      <div class="times">
        <Lasted started_at={incident.started_at} resolved_at={incident.resolved_at} />
      </div>
    </li>
  );
}
