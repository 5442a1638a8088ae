import type { z } from 'zod';
import type { regionSchema } from '#control-plane/agents/agent.ts';
import type { AlertView } from '#control-plane/alerts/alert.ts';
import type { CheckResultView } from '#control-plane/checks/result.ts';
import type { ComponentView } from '#control-plane/components/component.ts';
import type { IncidentUpdateView, incidentSchema } from '#control-plane/incidents/incident.ts';
import type { PromotionView } from '#control-plane/incidents/promote-routes.ts';
import type { BulkItem as BulkItemView } from '#control-plane/monitors/bulk.ts';
import type { dryRunSchema } from '#control-plane/monitors/dry-run.ts';
import type { monitorPostSchema } from '#control-plane/monitors/monitor.ts';
import type { MonitorView } from '#control-plane/monitors/view.ts';
import type { DeliveryView } from '#control-plane/notifications/delivery.ts';
import type { statusPageSchema } from '#control-plane/status-pages/status-page.ts';
import type { UptimeReport } from '#control-plane/uptime/report.ts';

// The API's own schemas as types. Only types may be imported here: they are erased before a browser loads the module.

export type Alert = AlertView;
export type Monitor = MonitorView;
export type MonitorSettings = z.input<typeof monitorPostSchema>;
export type MonitorDryRun = z.infer<typeof dryRunSchema>;
export type BulkItem = BulkItemView;
export type Vote = Monitor['votes'][number];
export type CheckResult = CheckResultView;
export type Uptime = UptimeReport;
/** One day or hour of a monitor's uptime; the API leaves out those in which nothing was observed. */
export type UptimeBucket = Uptime['data'][number];
export type Component = ComponentView;
export type StatusPage = z.infer<typeof statusPageSchema>;
export type Incident = z.infer<typeof incidentSchema>;
export type IncidentUpdate = IncidentUpdateView;
/** What promoting an alert would publish. */
export type Promotion = PromotionView;
export type Delivery = DeliveryView;
export type Region = z.infer<typeof regionSchema>;
export type Named = Promotion['status_pages'][number];
