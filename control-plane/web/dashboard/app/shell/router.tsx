import type { JSX } from 'preact';
import { Alerts } from '../features/alerts/alerts.tsx';
import { eventSections } from '../features/events/sections.tsx';
import { Incidents } from '../features/incidents/incidents.tsx';
import { Monitors } from '../features/monitors/list/monitors.tsx';
import { Overview } from '../features/overview/overview.tsx';
import type { IconName } from '../kit/icon.tsx';
import { isWithin, matchAddress, type Parameters, queryOf } from '../session/match-address.ts';
import { later } from './later.tsx';

const Alert = later(async () => (await import('../features/alerts/alert.tsx')).Alert);
const Incident = later(async () => (await import('../features/incidents/incident.tsx')).Incident);
const Channel = later(async () => (await import('../features/channels/channel.tsx')).Channel);
const EditChannel = later(async () => (await import('../features/channels/channel-editor.tsx')).EditChannel);
const NewChannel = later(async () => (await import('../features/channels/channel-editor.tsx')).NewChannel);
const Channels = later(async () => (await import('../features/channels/channels.tsx')).Channels);
const Flow = later(async () => (await import('../features/flows/flow.tsx')).Flow);
const FlowEditor = later(async () => (await import('../features/flows/flow-editor.tsx')).FlowEditor);
const Flows = later(async () => (await import('../features/flows/flows.tsx')).Flows);
const Explore = later(async () => (await import('../features/events/explore/explore.tsx')).Explore);
const Report = later(async () => (await import('../features/reports/report.tsx')).Report);
const Reports = later(async () => (await import('../features/reports/reports.tsx')).Reports);
const LiveEvents = later(async () => (await import('../features/events/live.tsx')).LiveEvents);
const Releases = later(async () => (await import('../features/releases/releases.tsx')).Releases);
const UserTimeline = later(async () => (await import('../features/events/user.tsx')).UserTimeline);
const NewIncident = later(async () => (await import('../features/incidents/new-incident.tsx')).NewIncident);
const MaintenanceEditor = later(
  async () => (await import('../features/maintenances/editor/maintenance-editor.tsx')).MaintenanceEditor,
);
const Maintenance = later(async () => (await import('../features/maintenances/maintenance.tsx')).Maintenance);
const Maintenances = later(async () => (await import('../features/maintenances/maintenances.tsx')).Maintenances);
const Monitor = later(async () => (await import('../features/monitors/monitor.tsx')).Monitor);
const MonitorEditor = later(async () => (await import('../features/monitors/editor/monitor-editor.tsx')).MonitorEditor);
const Notices = later(async () => (await import('../features/notices/notices.tsx')).Notices);
const Regions = later(async () => (await import('../features/regions/regions.tsx')).Regions);
const RouteEditor = later(async () => (await import('../features/routes/route-editor.tsx')).RouteEditor);
const AuditLog = later(async () => (await import('../features/audit/audit.tsx')).AuditLog);
const Limits = later(async () => (await import('../features/settings/limits.tsx')).Limits);
const ProjectSettings = later(async () => (await import('../features/settings/project.tsx')).ProjectSettings);
const Members = later(async () => (await import('../features/members/members.tsx')).Members);
const Configuration = later(async () => (await import('../features/configuration/configuration.tsx')).Configuration);
const People = later(async () => (await import('../features/installation/people.tsx')).People);
const Person = later(async () => (await import('../features/installation/person.tsx')).Person);
const Projects = later(async () => (await import('../features/installation/projects.tsx')).Projects);
const SignInChecks = later(async () => (await import('../features/installation/sign-in.tsx')).SignInChecks);
const InstallationAudit = later(async () => (await import('../features/installation/audit.tsx')).InstallationAudit);
const Me = later(async () => (await import('../features/me/me.tsx')).Me);
const Secrets = later(async () => (await import('../features/secrets/secrets.tsx')).Secrets);
const Tokens = later(async () => (await import('../features/settings/tokens.tsx')).Tokens);
const NewPage = later(async () => (await import('../features/status-pages/new-page.tsx')).NewPage);
const StatusPage = later(async () => (await import('../features/status-pages/status-page.tsx')).StatusPage);
const StatusPages = later(async () => (await import('../features/status-pages/status-pages.tsx')).StatusPages);
const Walls = later(async () => (await import('../features/walls/walls.tsx')).Walls);

/** A part of a view with a scope of its own. */
type Section = { address: string; scope: string };

/** A row of the table of views: a new view is a folder and its row. */
type ViewDefinition = {
  /** For example `#/monitors/{id}`. */
  pattern: string;
  /** Its place in the navigation, for sessions with the scope; without one it is not listed there. */
  navigation?: { label: string; icon: IconName; scope: string; sections?: readonly Section[] };
  /** Who lacks the scope sees a page that says so; nothing is asked that is refused. By default `scopeOf` says it. */
  needs?: string;
  /** Whether it is no project's. */
  isOutside?: true;
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
  { pattern: '#/alerts/notices', show: () => <Notices /> },
  { pattern: '#/alerts/{id}', show: parameters => <Alert id={idOf(parameters)} /> },
  {
    pattern: '#/incidents',
    navigation: { label: 'Incidents', icon: 'incidents', scope: 'incidents:read' },
    show: () => <Incidents />,
  },
  { pattern: '#/incidents/new', show: () => <NewIncident /> },
  { pattern: '#/incidents/{id}', show: parameters => <Incident id={idOf(parameters)} /> },
  {
    pattern: '#/maintenance',
    navigation: { label: 'Maintenance', icon: 'maintenance', scope: 'maintenances:read' },
    show: () => <Maintenances />,
  },
  { pattern: '#/maintenance/new', show: (_, query) => <MaintenanceEditor id={null} from={query.get('from')} /> },
  { pattern: '#/maintenance/{id}', show: parameters => <Maintenance id={idOf(parameters)} /> },
  { pattern: '#/maintenance/{id}/edit', show: parameters => <MaintenanceEditor id={idOf(parameters)} from={null} /> },
  {
    pattern: '#/status-pages',
    navigation: { label: 'Status pages', icon: 'pages', scope: 'status-pages:read' },
    show: () => <StatusPages />,
  },
  { pattern: '#/status-pages/new', show: () => <NewPage /> },
  { pattern: '#/status-pages/{id}', show: parameters => <StatusPage id={idOf(parameters)} /> },
  {
    pattern: '#/regions',
    navigation: { label: 'Regions', icon: 'regions', scope: 'monitors:read' },
    show: () => <Regions />,
  },
  { pattern: '#/wall', show: () => <Walls /> },
  {
    pattern: '#/channels',
    navigation: { label: 'Channels', icon: 'channels', scope: 'channels:read' },
    show: () => <Channels />,
  },
  { pattern: '#/channels/new', show: () => <NewChannel /> },
  { pattern: '#/channels/routes/new', show: () => <RouteEditor id={null} /> },
  { pattern: '#/channels/routes/{id}', show: parameters => <RouteEditor id={idOf(parameters)} /> },
  { pattern: '#/channels/{id}', show: parameters => <Channel id={idOf(parameters)} /> },
  { pattern: '#/channels/{id}/edit', show: parameters => <EditChannel id={idOf(parameters)} /> },
  {
    pattern: '#/events',
    navigation: { label: 'Events', icon: 'events', scope: 'events:read', sections: eventSections },
    show: () => <LiveEvents />,
  },
  { pattern: '#/events/reports', show: () => <Reports /> },
  { pattern: '#/events/reports/{id}', show: parameters => <Report id={idOf(parameters)} /> },
  { pattern: '#/events/explore', show: () => <Explore /> },
  { pattern: '#/events/user', show: () => <UserTimeline /> },
  { pattern: '#/events/flows', show: () => <Flows /> },
  { pattern: '#/events/flows/new', show: () => <FlowEditor id={null} /> },
  { pattern: '#/events/flows/{id}', show: parameters => <Flow id={idOf(parameters)} /> },
  { pattern: '#/events/flows/{id}/edit', show: parameters => <FlowEditor id={idOf(parameters)} /> },
  { pattern: '#/events/releases', show: () => <Releases /> },
  {
    pattern: '#/settings',
    navigation: { label: 'Settings', icon: 'settings', scope: 'project:read' },
    show: () => <ProjectSettings />,
  },
  { pattern: '#/settings/limits', show: () => <Limits /> },
  { pattern: '#/settings/tokens', needs: 'tokens:read', show: () => <Tokens /> },
  { pattern: '#/settings/members', show: () => <Members /> },
  { pattern: '#/me', isOutside: true, show: () => <Me /> },
  { pattern: '#/installation', isOutside: true, show: () => <People /> },
  { pattern: '#/installation/people/{id}', isOutside: true, show: parameters => <Person id={idOf(parameters)} /> },
  { pattern: '#/installation/projects', isOutside: true, show: () => <Projects /> },
  { pattern: '#/installation/sign-in', isOutside: true, show: () => <SignInChecks /> },
  { pattern: '#/installation/audit', isOutside: true, show: () => <InstallationAudit /> },
  { pattern: '#/me/tokens', show: () => <Me /> },
  { pattern: '#/settings/secrets', show: () => <Secrets /> },
  { pattern: '#/settings/configuration', show: () => <Configuration /> },
  { pattern: '#/settings/audit', needs: 'audit:read', show: () => <AuditLog /> },
];

/** The view of an address, or the scope that the session lacks for it; null for an address without a view. */
export function findView(address: string, can: Can): JSX.Element | string | null {
  for (const view of views) {
    const parameters = matchAddress(view.pattern, address);
    if (parameters === null) continue;
    const entry = entryOf(view, can);
    if (entry !== null && entry !== view.pattern) return findView(entry, can);
    const needs = view.needs ?? scopeOf(view);
    return needs === undefined || can(needs) ? view.show(parameters, queryOf(address)) : needs;
  }
  return null;
}

/** The navigation of a session: only the views that it may see, and where each link leads. */
export function navigationFor(can: Can) {
  return views.flatMap(view => {
    const entry = entryOf(view, can);
    return view.navigation === undefined || entry === null
      ? []
      : [{ pattern: view.pattern, address: entry, ...view.navigation }];
  });
}

type Can = (scope: string) => boolean;

/** Where the navigation leads: of a view with sections to the first that the session may see; null if to nothing. */
function entryOf({ pattern, navigation }: ViewDefinition, can: Can): string | null {
  if (navigation === undefined) return null;
  const sections = navigation.sections ?? [{ address: pattern, scope: navigation.scope }];
  return sections.find(({ scope }) => can(scope))?.address ?? null;
}

/** The scope of the navigation, or of the section that the view is in. */
function scopeOf({ pattern, navigation }: ViewDefinition): string | undefined {
  return navigation?.scope ?? eventSections.findLast(({ address }) => isWithin(address, pattern))?.scope;
}

/** Whether an address leads to a view that needs no project. */
export function isOutside(address: string): boolean {
  return views.some(view => view.isOutside === true && matchAddress(view.pattern, address) !== null);
}
