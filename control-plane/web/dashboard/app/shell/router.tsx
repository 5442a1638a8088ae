import type { JSX } from 'preact';
import { Alerts } from '../features/alerts/alerts.tsx';
import { eventSections } from '../features/events/sections.tsx';
import { Incidents } from '../features/incidents/incidents.tsx';
import { Monitors } from '../features/monitors/list/monitors.tsx';
import { Overview } from '../features/overview/overview.tsx';
import type { IconName } from '../kit/icon.tsx';
import { later } from '../kit/later.tsx';
import { isWithin, matchAddress, type Parameters, queryOf } from '../session/match-address.ts';

const monitoring = () => import('../features/monitoring.ts');
const publishing = () => import('../features/publishing.ts');
const analytics = () => import('../features/analytics.ts');
const settings = () => import('../features/settings.ts');

const Monitor = later(monitoring, views => views.Monitor);
const MonitorEditor = later(monitoring, views => views.MonitorEditor);
const Regions = later(monitoring, views => views.Regions);
const Walls = later(monitoring, views => views.Walls);
const Alert = later(publishing, views => views.Alert);
const Incident = later(publishing, views => views.Incident);
const Channel = later(publishing, views => views.Channel);
const EditChannel = later(publishing, views => views.EditChannel);
const NewChannel = later(publishing, views => views.NewChannel);
const Channels = later(publishing, views => views.Channels);
const NewIncident = later(publishing, views => views.NewIncident);
const MaintenanceEditor = later(publishing, views => views.MaintenanceEditor);
const Maintenance = later(publishing, views => views.Maintenance);
const Maintenances = later(publishing, views => views.Maintenances);
const Notices = later(publishing, views => views.Notices);
const RouteEditor = later(publishing, views => views.RouteEditor);
const NewPage = later(publishing, views => views.NewPage);
const StatusPage = later(publishing, views => views.StatusPage);
const StatusPages = later(publishing, views => views.StatusPages);
const Flow = later(analytics, views => views.Flow);
const FlowEditor = later(analytics, views => views.FlowEditor);
const Flows = later(analytics, views => views.Flows);
const Explore = later(analytics, views => views.Explore);
const Report = later(analytics, views => views.Report);
const Reports = later(analytics, views => views.Reports);
const LiveEvents = later(analytics, views => views.LiveEvents);
const Releases = later(analytics, views => views.Releases);
const UserTimeline = later(analytics, views => views.UserTimeline);
const AuditLog = later(settings, views => views.AuditLog);
const Limits = later(settings, views => views.Limits);
const ProjectSettings = later(settings, views => views.ProjectSettings);
const Members = later(settings, views => views.Members);
const Configuration = later(settings, views => views.Configuration);
const People = later(settings, views => views.People);
const Person = later(settings, views => views.Person);
const Projects = later(settings, views => views.Projects);
const SignInChecks = later(settings, views => views.SignInChecks);
const InstallationAudit = later(settings, views => views.InstallationAudit);
const Me = later(settings, views => views.Me);
const Secrets = later(settings, views => views.Secrets);
const Tokens = later(settings, views => views.Tokens);

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
