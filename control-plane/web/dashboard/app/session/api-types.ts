import type { Answers, Bodies, Merged, Queries, Schemas } from '#control-plane/web/api-client/client.ts';

// The resources of the API, as its OpenAPI document describes them.

export type Alert = Schemas['Alert'];
/** A monitor of any kind. */
export type Monitor = Merged<Schemas['Monitor']>;
export type NewMonitor = Bodies['createMonitor'];
export type MonitorPost = Merged<NewMonitor>;
export type MonitorPatch = Bodies['updateMonitor'];
export type MonitorDryRun = Schemas['MonitorDryRun'];
export type Vote = Monitor['votes'][number];
export type CheckResult = Schemas['CheckResult'];
export type VerdictRow = Schemas['VerdictRow'];
export type Component = Schemas['Component'];
export type StatusPage = Schemas['StatusPage'];
export type Incident = Schemas['Incident'];
export type IncidentUpdate = Schemas['IncidentUpdate'];
export type Delivery = Schemas['Delivery'];
export type Region = Schemas['Region'];
export type PingFigures = Schemas['PingFigures'];
export type DnsAnswers = Schemas['DnsAnswers'];
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
export type BulkItem = Answers['bulkChangeMonitors']['items'][number];
export type Subscriber = Schemas['Subscriber'];
export type PageDomain = Schemas['PageDomain'];
export type RegionDetails = Schemas['RegionDetails'];
export type Wall = Schemas['Wall'];
export type Member = Schemas['Member'];
export type Passkey = Schemas['Passkey'];
export type Person = Schemas['Person'];
export type OwnSession = Schemas['Session'];
export type GroupRole = Schemas['GroupRole'];
export type Invitation = Schemas['Invitation'];
export type ConfigManager = Schemas['ConfigManager'];
export type Secret = Schemas['Secret'];
export type Maintenance = Schemas['Maintenance'];
export type MaintenancePost = Bodies['createMaintenance'];
export type MaintenancePreview = Schemas['MaintenancePreview'];
export type MaintenanceUpdate = Schemas['MaintenanceUpdate'];
export type Occurrence = Schemas['MaintenanceOccurrence'];
export type PlannedOccurrence = Schemas['PlannedOccurrence'];
export type Channel = Schemas['Channel'];
export type ChannelPost = Bodies['createChannel'];
export type ChannelTest = Bodies['testChannelDraft'];
export type Route = Schemas['Route'];
export type RoutePost = Bodies['createRoute'];
export type RouteMatch = Schemas['RouteMatch'];
export type Notice = Schemas['Notice'];
export type AlertGroup = Schemas['AlertGroup'];
export type Webhook = Schemas['Webhook'];
export type Backtest = Schemas['Backtest'];
export type BacktestChanges = NonNullable<Bodies['backtestMonitor']['changes']>;
export type StoredEvent = Schemas['StoredEvent'];
export type EventRate = Schemas['EventRate'];
export type EventName = Schemas['EventName'];
export type Trends = Schemas['Trends'];
export type TrendsQuery = NonNullable<Queries['getTrends']>;
export type Retention = Schemas['Retention'];
export type RetentionQuery = NonNullable<Queries['getRetention']>;
export type Report = Schemas['Report'];
export type ReportItem = Report['items'][number];
export type TimelineItem = Schemas['TimelineItem'];
export type Flow = Schemas['Flow'];
export type FunnelReport = Schemas['FunnelReport'];
export type Release = Schemas['Release'];
export type ReleaseComparison = Schemas['ReleaseComparison'];
export type AuditEntry = Schemas['AuditEntry'];
/** A change of a monitor, with the version that it made. */
export type MonitorChange = Schemas['MonitorChange'];
export type IncidentImpact = Schemas['Impact'];
export type MonitorTestBody = Bodies['testMonitor'];
export type TestedRegion = Schemas['MonitorTest']['data'][number];
