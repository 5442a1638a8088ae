import type { Schemas } from '#control-plane/api-client/client.ts';
import type { Assertion } from '#shared/assertions/assertion.ts';

// The resources of the API, as its OpenAPI document describes them.

export type Alert = Schemas['Alert'];
/** The document has no name for any JSON value, which assertions compare with. */
export type Monitor = Omit<Schemas['Monitor'], 'assertions'> & { assertions: readonly Assertion[] };
export type MonitorDryRun = Schemas['MonitorDryRun'];
export type Vote = Monitor['votes'][number];
export type CheckResult = Schemas['CheckResult'];
export type Component = Schemas['Component'];
export type StatusPage = Schemas['StatusPage'];
export type Incident = Schemas['Incident'];
export type IncidentUpdate = Schemas['IncidentUpdate'];
export type Delivery = Schemas['Delivery'];
export type Region = Schemas['Region'];
export type Uptime = Schemas['Uptime'];
/** One day or hour of a monitor's uptime; the API leaves out those in which nothing was observed. */
export type UptimeBucket = Uptime['data'][number];
/** What promoting an alert would publish. */
export type Promotion = Schemas['Promotion'];
export type Named = Promotion['status_pages'][number];
export type Overview = Schemas['Overview'];
export type Project = Schemas['Project'];
export type Token = Schemas['Token'];
export type Agent = Schemas['Agent'];
/** What a bulk call did with one monitor. */
export type BulkItem = { id: string; name: string | null; outcome: 'changed' | 'unchanged' | 'failed' };
