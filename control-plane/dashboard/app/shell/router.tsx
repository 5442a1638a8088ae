import type { JSX } from 'preact';
import { matchAddress, type Parameters, queryOf } from '../data/match-address.ts';
import type { IconName } from '../parts/icon.tsx';
import { Alert } from '../views/alert/alert.tsx';
import { Alerts } from '../views/alert/alerts.tsx';
import { Incident } from '../views/incident/incident.tsx';
import { Incidents } from '../views/incident/incidents.tsx';
import { NewIncident } from '../views/incident/new-incident.tsx';
import { MonitorEditor } from '../views/monitor/editor/monitor-editor.tsx';
import { Monitor } from '../views/monitor/monitor.tsx';
import { Monitors } from '../views/monitor/monitors.tsx';
import { Overview } from '../views/overview/overview.tsx';
import { StatusPages } from '../views/status-page/status-pages.tsx';

/** A row of the table of views: a new view is a folder and its row. */
type ViewDefinition = {
  /** For example `#/monitors/{id}`. */
  pattern: string;
  /** Its place in the navigation, for tokens with the scope; without one it is not listed there. */
  navigation?: { label: string; icon: IconName; scope: string };
  show(parameters: Parameters, query: URLSearchParams): JSX.Element;
};

const idOf = (parameters: Parameters) => parameters.id ?? '';

/** Every view; the first that matches an address is shown. */
const views: readonly ViewDefinition[] = [
  {
    pattern: '#/overview',
    navigation: { label: 'Overview', icon: 'overview', scope: 'monitors:read' },
    show: () => <Overview />,
  },
  {
    pattern: '#/monitors',
    navigation: { label: 'Monitors', icon: 'monitors', scope: 'monitors:read' },
    show: () => <Monitors />,
  },
  { pattern: '#/monitors/new', show: (_, query) => <MonitorEditor id={null} from={query.get('from')} /> },
  { pattern: '#/monitors/{id}', show: parameters => <Monitor id={idOf(parameters)} /> },
  { pattern: '#/monitors/{id}/edit', show: parameters => <MonitorEditor id={idOf(parameters)} from={null} /> },
  {
    pattern: '#/alerts',
    navigation: { label: 'Alerts', icon: 'alerts', scope: 'alerts:read' },
    show: () => <Alerts />,
  },
  { pattern: '#/alerts/{id}', show: parameters => <Alert id={idOf(parameters)} /> },
  {
    pattern: '#/incidents',
    navigation: { label: 'Incidents', icon: 'incidents', scope: 'incidents:read' },
    show: () => <Incidents />,
  },
  { pattern: '#/incidents/new', show: () => <NewIncident /> },
  { pattern: '#/incidents/{id}', show: parameters => <Incident id={idOf(parameters)} /> },
  {
    pattern: '#/status-pages',
    navigation: { label: 'Status pages', icon: 'pages', scope: 'status-pages:read' },
    show: () => <StatusPages />,
  },
];

/** The view of an address; null for an address without one. */
export function findView(address: string): JSX.Element | null {
  for (const view of views) {
    const parameters = matchAddress(view.pattern, address);
    if (parameters !== null) return view.show(parameters, queryOf(address));
  }
  return null;
}

/** The navigation of a token: only the views that it may see. */
export function navigationFor(can: (scope: string) => boolean) {
  return views.flatMap(({ pattern, navigation }) =>
    navigation !== undefined && can(navigation.scope) ? [{ address: pattern, ...navigation }] : [],
  );
}
