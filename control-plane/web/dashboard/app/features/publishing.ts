// Views of alerts, incidents, maintenance, status pages, channels and routes, which are fetched together.

export { Alert } from './alerts/alert.tsx';
export { Channel } from './channels/channel.tsx';
export { EditChannel, NewChannel } from './channels/channel-editor.tsx';
export { Channels } from './channels/channels.tsx';
export { Incident } from './incidents/incident.tsx';
export { NewIncident } from './incidents/new-incident.tsx';
export { PromoteDialog } from './incidents/promote-dialog.tsx';
export { MaintenanceEditor } from './maintenances/editor/maintenance-editor.tsx';
export { Maintenance } from './maintenances/maintenance.tsx';
export { Maintenances } from './maintenances/maintenances.tsx';
export { Notices } from './notices/notices.tsx';
export { RouteEditor } from './routes/route-editor.tsx';
export { NewPage } from './status-pages/new-page.tsx';
export { StatusPage } from './status-pages/status-page.tsx';
export { StatusPages } from './status-pages/status-pages.tsx';
