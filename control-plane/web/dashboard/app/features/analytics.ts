// Views of events, flows, reports and releases, which are fetched together.

export { Explore } from './events/explore/explore.tsx';
export { LiveEvents } from './events/live.tsx';
export { UserTimeline } from './events/user.tsx';
export { Flow } from './flows/flow.tsx';
export { FlowEditor } from './flows/flow-editor.tsx';
export { Flows } from './flows/flows.tsx';
export { Releases } from './releases/releases.tsx';
export { Report } from './reports/report.tsx';
export { Reports } from './reports/reports.tsx';
