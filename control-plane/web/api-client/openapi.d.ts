// Made by npm run api-types from the OpenAPI document d49d032a2ad34f1817dd72a5d5900fd3. Do not edit.

export interface paths {
    "/v0/project": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the project of the token
         * @description Requires the scope `project:read`.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the name and the allowed origins
         * @description Requires the scope `project:write`.
         */
        patch: operations["updateProject"];
        trace?: never;
    };
    "/v0/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens, newest first
         * @description Requires the scope `tokens:read`.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token; its secret is shown only once
         * @description Requires the scope `tokens:write`.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token and, unless `descendants=keep`, all tokens made by it
         * @description Requires the scope `tokens:write`.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what, newest first; with `Accept: application/x-ndjson` all of it, oldest first
         * @description Requires the scope `audit:read`.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how many monitors, alerts, incidents and deliveries there are by state, and the regions
         * @description Requires the scope `monitors:read`.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream changes as server-sent events; read the changed resources with the other endpoints
         * @description Requires the scope `monitors:read`.
         */
        get: operations["streamChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/components": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List components, newest first
         * @description Requires the scope `components:read`.
         */
        get: operations["listComponents"];
        put?: never;
        /**
         * Create a component of a status page
         * @description Requires the scope `components:write`.
         */
        post: operations["createComponent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/components/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reorder and regroup all components of a status page
         * @description Requires the scope `components:write`.
         */
        post: operations["orderComponents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/components/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a component with the status shown on the page
         * @description Requires the scope `components:read`.
         */
        get: operations["getComponent"];
        put?: never;
        post?: never;
        /**
         * Delete a component that no open incident affects
         * @description Requires the scope `components:write`.
         */
        delete: operations["deleteComponent"];
        options?: never;
        head?: never;
        /**
         * Update a component; `monitor_ids` is replaced, not merged
         * @description Requires the scope `components:write`.
         */
        patch: operations["updateComponent"];
        trace?: never;
    };
    "/v0/monitors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List monitors, newest first
         * @description Requires the scope `monitors:read`.
         */
        get: operations["listMonitors"];
        put?: never;
        /**
         * Create a monitor; restores one of the same name that was deleted within 30 days
         * @description Requires the scope `monitors:write`.
         */
        post: operations["createMonitor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/monitors/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a monitor with its status and votes
         * @description Requires the scope `monitors:read`.
         */
        get: operations["getMonitor"];
        put?: never;
        post?: never;
        /**
         * Delete a monitor; its history stays available for 30 days
         * @description Requires the scope `monitors:write`.
         */
        delete: operations["deleteMonitor"];
        options?: never;
        head?: never;
        /**
         * Update a monitor; arrays and objects are replaced, not merged
         * @description Requires the scope `monitors:write`.
         */
        patch: operations["updateMonitor"];
        trace?: never;
    };
    "/v0/monitors/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a monitor; it is not checked and opens no alerts
         * @description Requires the scope `monitors:write`.
         */
        post: operations["pauseMonitor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/monitors/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a monitor; it is checked immediately
         * @description Requires the scope `monitors:write`.
         */
        post: operations["resumeMonitor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/monitors/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of a monitor: who changed what, and the versions they made, newest first
         * @description Requires the scopes `monitors:read` and `audit:read`.
         */
        get: operations["listMonitorVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the labels of monitors, most used first: at most 200 keys with 100 values each
         * @description Requires the scope `monitors:read`.
         */
        get: operations["listLabels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/monitors/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause, resume, delete, label, patch or check up to 500 monitors; `dry_run` says what the call would do
         * @description Requires the scope `monitors:write`.
         */
        post: operations["bulkChangeMonitors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/monitors/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test monitor settings without storing them, from up to eight regions, at most ten times per minute
         * @description Requires the scope `monitors:write`.
         */
        post: operations["testMonitor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/monitors/{id}/check-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a monitor at once, at most every ten seconds; the checks count like those of its schedule
         * @description Requires the scope `monitors:write`.
         */
        post: operations["checkMonitorNow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/monitors/{id}/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List check results, newest first; available for 30 days after the monitor is deleted
         * @description Requires the scope `monitors:read`.
         */
        get: operations["listMonitorChecks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/monitors/{id}/verdicts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the verdicts on a monitor with the votes that made them, newest first
         * @description Requires the scope `monitors:read`.
         */
        get: operations["listMonitorVerdicts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/monitors/{id}/uptime": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get uptime by day or hour; available for 30 days after the monitor is deleted
         * @description Requires the scope `monitors:read`.
         */
        get: operations["getMonitorUptime"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Scrape the state of monitors: OpenMetrics 1.0, or Prometheus text 0.0.4, by `Accept`
         * @description Requires the scope `monitors:read`.
         */
        get: operations["getMonitorMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts, latest start first
         * @description Requires the scope `alerts:read`.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/alerts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an alert
         * @description Requires the scope `alerts:read`.
         */
        get: operations["getAlert"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/alerts/{id}/explanation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the votes and instants that made an alert open
         * @description Requires the scope `alerts:read`.
         */
        get: operations["getAlertExplanation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/alerts/{id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge an alert; stops escalation
         * @description Requires the scope `alerts:write`.
         */
        post: operations["acknowledgeAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/monitors/{id}/backtest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Re-evaluate the stored results of a monitor with other settings
         * @description Requires the scope `monitors:write`.
         */
        post: operations["backtestMonitor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/alert-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups of alerts that were notified together, newest first
         * @description Requires the scope `alerts:read`.
         */
        get: operations["listAlertGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/alert-groups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a group of alerts
         * @description Requires the scope `alerts:read`.
         */
        get: operations["getAlertGroup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/alert-groups/{id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge all open alerts of a group
         * @description Requires the scope `alerts:write`.
         */
        post: operations["acknowledgeAlertGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/notices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notices about regions, agents and channels, newest first
         * @description Requires the scope `alerts:read`.
         */
        get: operations["listNotices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List routes in the order in which alerts are matched against them
         * @description Requires the scope `routes:read`.
         */
        get: operations["listRoutes"];
        put?: never;
        /**
         * Create a route after the others
         * @description Requires the scope `routes:write`.
         */
        post: operations["createRoute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/routes/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reorder all routes
         * @description Requires the scope `routes:write`.
         */
        post: operations["orderRoute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/routes/match": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show which routes an alert would take, and whom they would notify when
         * @description Requires the scope `routes:write`.
         */
        post: operations["matchRoute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/routes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a route
         * @description Requires the scope `routes:read`.
         */
        get: operations["getRoute"];
        put?: never;
        post?: never;
        /**
         * Delete a route; channels it has notified still hear that alerts are resolved
         * @description Requires the scope `routes:write`.
         */
        delete: operations["deleteRoute"];
        options?: never;
        head?: never;
        /**
         * Update a route; `match`, `steps` and `quiet_hours` are replaced, not merged
         * @description Requires the scope `routes:write`.
         */
        patch: operations["updateRoute"];
        trace?: never;
    };
    "/v0/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List channels, newest first
         * @description Requires the scope `channels:read`.
         */
        get: operations["listChannels"];
        put?: never;
        /**
         * Create a channel; email addresses that are new to the project are asked to confirm
         * @description Requires the scope `channels:write`.
         */
        post: operations["createChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a channel
         * @description Requires the scope `channels:read`.
         */
        get: operations["getChannel"];
        put?: never;
        post?: never;
        /**
         * Delete a channel that no route names; its queued deliveries are cancelled
         * @description Requires the scope `channels:write`.
         */
        delete: operations["deleteChannel"];
        options?: never;
        head?: never;
        /**
         * Update a channel; `config` is replaced, not merged, but masked secrets are kept
         * @description Requires the scope `channels:write`.
         */
        patch: operations["updateChannel"];
        trace?: never;
    };
    "/v0/channels/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message without storing a channel, at most ten tests per minute
         * @description Requires the scope `channels:write`.
         */
        post: operations["testChannelDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/channels/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message to a channel, at most ten tests per minute
         * @description Requires the scope `channels:write`.
         */
        post: operations["testChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List incidents, latest start first
         * @description Requires the scope `incidents:read`.
         */
        get: operations["listIncidents"];
        put?: never;
        /**
         * Create an incident; its initial update is published and, unless `notify` is false, sent to subscribers. One that is over has `resolved_at`
         * @description Requires the scope `incidents:write`.
         */
        post: operations["createIncident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/incidents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an incident with all its updates
         * @description Requires the scope `incidents:read`.
         */
        get: operations["getIncident"];
        put?: never;
        post?: never;
        /**
         * Delete an incident and remove it from the page; no notifications are sent
         * @description Requires the scope `incidents:write`.
         */
        delete: operations["deleteIncident"];
        options?: never;
        head?: never;
        /**
         * Update an incident or attach a post-mortem; no notifications are sent
         * @description Requires the scope `incidents:write`.
         */
        patch: operations["updateIncident"];
        trace?: never;
    };
    "/v0/incidents/{id}/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post an update; it is published and sent to subscribers
         * @description Requires the scope `incidents:write`.
         */
        post: operations["createIncidentUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/incidents/{id}/updates/{update_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit the text of an update; the old text is stored, and no notifications are sent
         * @description Requires the scope `incidents:write`.
         */
        patch: operations["updateIncidentUpdate"];
        trace?: never;
    };
    "/v0/incidents/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve an incident with a last update; 409 if it is already resolved
         * @description Requires the scope `incidents:write`.
         */
        post: operations["resolveIncident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/incidents/{id}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of an incident and who made them, newest first
         * @description Requires the scope `incidents:read`.
         */
        get: operations["listIncidentAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/alerts/{alert_id}/promotion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview the incident that promoting an alert would publish
         * @description Requires the scope `alerts:read`.
         */
        get: operations["getAlertPromotion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/alerts/{alert_id}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Promote an alert to an incident; its first update says what fails and since when
         * @description Requires the scopes `incidents:write` and `alerts:read`.
         */
        post: operations["promoteAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/incidents/{id}/impact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Estimate how many users an incident affected, and compare the releases that preceded it
         * @description Requires the scopes `incidents:read` and `events:read`.
         */
        get: operations["getIncidentImpact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/releases/{id}/comparison": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare the users with errors in the hour before a release and in the hour after it
         * @description Requires the scopes `releases:read` and `events:read`.
         */
        get: operations["compareRelease"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/maintenances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List maintenance windows, newest first
         * @description Requires the scope `maintenances:read`.
         */
        get: operations["listMaintenances"];
        put?: never;
        /**
         * Plan a maintenance window, once or recurring
         * @description Requires the scope `maintenances:write`.
         */
        post: operations["createMaintenance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/maintenances/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview when a maintenance window would occur and what it would cover
         * @description Requires the scope `maintenances:write`.
         */
        post: operations["previewMaintenance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/maintenances/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a maintenance window
         * @description Requires the scope `maintenances:read`.
         */
        get: operations["getMaintenance"];
        put?: never;
        post?: never;
        /**
         * Delete a maintenance window with its effect on uptime; to keep that, cancel it
         * @description Requires the scope `maintenances:write`.
         */
        delete: operations["deleteMaintenance"];
        options?: never;
        head?: never;
        /**
         * Update a maintenance window; nobody is notified
         * @description Requires the scope `maintenances:write`.
         */
        patch: operations["updateMaintenance"];
        trace?: never;
    };
    "/v0/maintenances/{id}/occurrences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the occurrences of a maintenance window, latest start first; 90 days ahead
         * @description Requires the scope `maintenances:read`.
         */
        get: operations["listMaintenanceOccurrences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/maintenances/{id}/extend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extend the occurrence in progress, or the one named
         * @description Requires the scope `maintenances:write`.
         */
        post: operations["extendMaintenance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/maintenances/{id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the occurrence in progress now
         * @description Requires the scope `maintenances:write`.
         */
        post: operations["endMaintenance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/maintenances/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the occurrence in progress, else the next one, or the one named
         * @description Requires the scope `maintenances:write`.
         */
        post: operations["cancelMaintenance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/maintenances/{id}/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post an update on the pages that show the window; subscribers are notified
         * @description Requires the scope `maintenances:write`.
         */
        post: operations["createMaintenanceUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/maintenances/{id}/updates/{update_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit the text of an update; no notifications are sent
         * @description Requires the scope `maintenances:write`.
         */
        patch: operations["updateMaintenanceUpdate"];
        trace?: never;
    };
    "/v0/maintenance-occurrences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the occurrences of all maintenance windows, latest start first; 90 days ahead
         * @description Requires the scope `maintenances:read`.
         */
        get: operations["listPlannedOccurrences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/status-pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List status pages, newest first
         * @description Requires the scope `status-pages:read`.
         */
        get: operations["listStatusPages"];
        put?: never;
        /**
         * Create a status page; it is public immediately
         * @description Requires the scope `status-pages:write`.
         */
        post: operations["createStatusPage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/status-pages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a status page
         * @description Requires the scope `status-pages:read`.
         */
        get: operations["getStatusPage"];
        put?: never;
        post?: never;
        /**
         * Delete a status page without open incidents; with `components=delete` also its components
         * @description Requires the scope `status-pages:write`.
         */
        delete: operations["deleteStatusPage"];
        options?: never;
        head?: never;
        /**
         * Update a status page; a new slug changes its address, and the old address redirects to it
         * @description Requires the scope `status-pages:write`.
         */
        patch: operations["updateStatusPage"];
        trace?: never;
    };
    "/v0/status-pages/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Render the page as it would be with these changes; nothing is stored or published
         * @description Requires the scope `status-pages:write`.
         */
        post: operations["previewStatusPage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/status-pages/{id}/subscribers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the subscribers of a status page, newest first
         * @description Requires the scope `subscribers:read`.
         */
        get: operations["listStatusPageSubscribers"];
        put?: never;
        /**
         * Add a subscriber by email or webhook; without consent a confirmation email is sent
         * @description Requires the scope `subscribers:write`.
         */
        post: operations["createStatusPageSubscriber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/status-pages/{id}/subscribers/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import up to 1000 email addresses with consent, where the operator allows it; existing ones are not changed
         * @description Requires the scope `subscribers:write`.
         */
        post: operations["importSubscribers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/status-pages/{id}/subscribers/{subscriber_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a subscriber, including the address
         * @description Requires the scope `subscribers:write`.
         */
        delete: operations["deleteStatusPageSubscriber"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/incidents/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of an incident with their attempts, newest first
         * @description Requires the scope `incidents:read`.
         */
        get: operations["listIncidentDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/alerts/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of an alert and of its group with their attempts, newest first
         * @description Requires the scope `alerts:read`.
         */
        get: operations["listAlertDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/channels/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries to a channel with their attempts, newest first
         * @description Requires the scope `channels:read`.
         */
        get: operations["listChannelDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/maintenances/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a maintenance window with their attempts, newest first
         * @description Requires the scope `maintenances:read`.
         */
        get: operations["listMaintenanceDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries, sent and queued, newest first; those about alerts need `alerts:read` as well, those about maintenance `maintenances:read`
         * @description Requires the scope `incidents:read`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a failed or held delivery; one about an alert needs `alerts:write` as well, one about maintenance `maintenances:write`
         * @description Requires the scope `incidents:write`.
         */
        post: operations["replayDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks, newest first
         * @description Requires the scope `project:read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook; its signing secret is shown only once
         * @description Requires the scope `project:write`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Requires the scope `project:read`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook; its queued deliveries are cancelled
         * @description Requires the scope `project:write`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook; its secret stays the same
         * @description Requires the scope `project:write`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v0/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret of a webhook; the new one is shown only once, and for a while both sign messages
         * @description Requires the scope `project:write`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/slack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the Slack connection
         * @description Requires the scope `project:read`.
         */
        get: operations["getSlack"];
        /**
         * Connect Slack with a bot token that has the scope chat:write
         * @description Requires the scope `project:write`.
         */
        put: operations["connectSlack"];
        post?: never;
        /**
         * Disconnect Slack
         * @description Requires the scope `project:write`.
         */
        delete: operations["disconnectSlack"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/regions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the regions a monitor can run from, by code, and their state for this project
         * @description Requires the scope `monitors:read`.
         */
        get: operations["listRegions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents of private regions, and of shared ones with the scope agents:operate
         * @description Requires the scope `agents:read`.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Create an agent of a private region, or of a shared one with the scope agents:operate
         * @description Requires the scope `agents:write`.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an agent, which disconnects it at once and for good
         * @description Requires the scope `agents:write`.
         */
        delete: operations["revokeAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/walls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the links for screens, newest first
         * @description Requires the scope `walls:read`.
         */
        get: operations["listWalls"];
        put?: never;
        /**
         * Create a read-only link for screens; it is shown only once
         * @description Requires the scopes `walls:write` and `monitors:read`.
         */
        post: operations["createWall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/walls/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a link: its screens go dark within seconds
         * @description Requires the scope `walls:write`.
         */
        delete: operations["deleteWall"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events of at most an hour as they arrived, the last first
         * @description Requires the scope `events:read`.
         */
        get: operations["listEvents"];
        put?: never;
        /**
         * Send one event or up to 1000; browsers send project_id instead of a token
         * @description Requires the scope `events:write`, or `project_id` instead of a token from an allowed origin.
         */
        post: operations["ingestEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/events/rate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how fast events arrive, what is left of the limits, and what was refused in 24 hours
         * @description Requires the scope `events:read`.
         */
        get: operations["getEventRate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/users/{external_id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user’s events, newest first
         * @description Requires the scope `events:read`.
         */
        get: operations["getUserTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/users/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user’s events, newest first; the user may have any id, also one that no path can have, such as `.`
         * @description Requires the scope `events:read`.
         */
        get: operations["getUserTimelineByQuery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/releases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List releases, newest first
         * @description Requires the scope `releases:read`.
         */
        get: operations["listReleases"];
        put?: never;
        /**
         * Create a release; posting the same version and environment again returns the first one
         * @description Requires the scope `releases:write`.
         */
        post: operations["createRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/releases/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a release
         * @description Requires the scope `releases:read`.
         */
        get: operations["getRelease"];
        put?: never;
        post?: never;
        /**
         * Delete a release; funnel entries of its time are attributed to the release before
         * @description Requires the scope `releases:write`.
         */
        delete: operations["deleteRelease"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List flows, newest first
         * @description Requires the scope `flows:read`.
         */
        get: operations["listFlows"];
        put?: never;
        /**
         * Create a flow; its funnel is computed from all stored events
         * @description Requires the scope `flows:write`.
         */
        post: operations["createFlow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v0/flows/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a flow
         * @description Requires the scope `flows:read`.
         */
        get: operations["getFlow"];
        put?: never;
        post?: never;
        /**
         * Delete a flow and its funnel data
         * @description Requires the scope `flows:write`.
         */
        delete: operations["deleteFlow"];
        options?: never;
        head?: never;
        /**
         * Update a flow; new steps, window or order create a new version
         * @description Requires the scope `flows:write`.
         */
        patch: operations["updateFlow"];
        trace?: never;
    };
    "/v0/flows/{id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the funnel report: JSON, or SVG with `Accept: image/svg+xml`
         * @description Requires the scope `flows:read`.
         */
        get: operations["getFlowReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** Agent */
        Agent: {
            id: string;
            region: string;
            name: string;
            version: string | null;
            /** @enum {string} */
            state: "online" | "offline" | "draining";
            last_seen_at: string | null;
            clock_offset_ms: number | null;
            assignments: number;
            checks_per_second: number;
            queue_depth: number;
            missed_slots: number;
            /** @description checks that started more than 250 ms after their slot */
            late_starts: number;
            /** @description results that were lost because the spool was full */
            results_dropped: number;
            /** @description results that wait on the agent */
            spool_count: number;
            /** @description what it can do beside HTTP checks; older agents do not say */
            capabilities: string[];
            /** @description the agent cannot write its spool: what waits would be lost with it */
            spool_failing: boolean;
            /** @description of a region of this project, which may revoke it */
            private: boolean;
            /** Format: date-time */
            created_at: string;
            /** @description what the agent connects with; only in the response that created it */
            secret?: string;
        };
        /** Alert */
        Alert: {
            id: string;
            project_id: string;
            monitor_id: string;
            /** @enum {string} */
            kind: "down" | "degraded" | "certificate";
            title: string;
            /** @enum {string} */
            severity: "p1" | "p2" | "p3";
            /** @enum {string} */
            state: "open" | "acknowledged" | "resolved";
            regions_failing: string[];
            regions: string[];
            quorum: number;
            reason: {
                summary: string;
                region: string | null;
                expected: string | null;
                actual: string | null;
                status_code: number | null;
                error_code: string | null;
            };
            /** @description of the monitor when the alert opened */
            labels: {
                [key: string]: string;
            };
            /** Format: date-time */
            started_at: string;
            /**
             * Format: date-time
             * @description when the rules for alerts were met
             */
            opened_at: string;
            /** @description of the monitor’s `alert_rules` when the alert opened */
            rules_version: number | null;
            /** @description opened during maintenance: nobody is notified yet */
            held: boolean;
            held_since: string | null;
            /** @description when maintenance was over and people were notified */
            released_at: string | null;
            flapping_since: string | null;
            /** Format: date-time */
            last_seen_at: string;
            acknowledged_at: string | null;
            acknowledged_by: {
                /** @enum {string} */
                type: "token" | "link" | "slack" | "pagerduty";
                id: string;
                name: string;
            } | null;
            escalated_at: string | null;
            resolved_at: string | null;
            /** @description the alert of kind `down` that resolved this one */
            superseded_by: string | null;
            group_id: string | null;
            incident_id: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /** AlertClock */
        AlertClock: {
            /** @description end of the last good check in the region that failed first */
            last_good: string | null;
            /** @description start of its first failed attempt */
            failing: string | null;
            /** @description end of that attempt */
            failed: string | null;
            /** @description when its result arrived */
            reported: string | null;
            /** @description when the other regions were asked to check at once */
            confirm_asked: string | null;
            /** @description end of the attempt that turned each vote down */
            confirmed: {
                region: string;
                at: string;
            }[];
            /** @description when enough votes were down: `decided_at` of the verdict */
            quorum: string | null;
            /** @description when the rules for alerts were met */
            opens: string;
            created: string;
            /** @description when people were to be notified */
            told: string | null;
            /** @description when the first message was sent */
            sent: string | null;
            /** @description time since the instant before, by the name of the later one */
            ms: {
                [key: string]: number;
            };
            /** @description from `last_good` to `failing`: when the outage could not be seen */
            unseen_ms: number | null;
        };
        /** AlertExplanation */
        AlertExplanation: {
            alert_id: string;
            sentence: string;
            rule: {
                /** @enum {string} */
                kind: "down" | "degraded" | "certificate";
                regions: string[];
                quorum: number;
                config_version: number | null;
                rules_version: number | null;
                alert_rules: {
                    /**
                     * @description how long the monitor must be down before an alert opens
                     * @default 0
                     */
                    confirm_seconds: number;
                    /**
                     * @description how long it must be up again before the alert resolves
                     * @default 0
                     */
                    recover_seconds: number;
                    /**
                     * @description after this many changes to down within the window the alert stays open until the window is quiet
                     * @default null
                     */
                    flap: {
                        changes: number;
                        window_seconds: number;
                    } | null;
                    /**
                     * @description opens an alert of kind `degraded`; null: never
                     * @default null
                     */
                    degraded: {
                        /** @default 300 */
                        after_seconds: number;
                        /**
                         * @default p3
                         * @enum {string}
                         */
                        severity: "p1" | "p2" | "p3";
                    } | null;
                    /**
                     * @description opens an alert of kind `certificate`; no part of the verdict unless `in_verdict` says so
                     * @default {
                     *       "enabled": true,
                     *       "thresholds": null,
                     *       "in_verdict": false
                     *     }
                     */
                    certificate: {
                        /** @default true */
                        enabled: boolean;
                        /**
                         * @description null: one of p3 at 14 days, or a third of the certificate’s life if that is less
                         * @default null
                         */
                        thresholds: {
                            days_left: number;
                            /**
                             * @default p3
                             * @enum {string}
                             */
                            severity: "p1" | "p2" | "p3";
                        }[] | null;
                        /**
                         * @description whether checks warn at the first threshold; a change makes a new `config_version`
                         * @default false
                         */
                        in_verdict: boolean;
                    };
                } | null;
            };
            votes: {
                region: string;
                /** @enum {string} */
                vote: "up" | "warn" | "down" | "unknown";
                since: string | null;
                as_of: string | null;
                expires_at: string | null;
                /** @description from `as_of` to the decision */
                age_ms: number | null;
                counted: boolean;
                why_not: ("quarantined" | "expired" | "no_result" | "resolver" | "blocked_address" | "probe") | null;
                check: components["schemas"]["CheckResult"] | null;
            }[];
            /** @description of an alert of kind `certificate`: what each region saw last when it opened */
            certificates: {
                region: string;
                /** @description end of the check that saw it */
                as_of: string;
                valid_from: string;
                valid_to: string;
                /** @description at `as_of`, exactly */
                days_left: number;
                issuer: string | null;
                subject: string | null;
                fingerprint_sha256: string | null;
                /** @description that showed it, if a redirect led there */
                host?: string;
                /** @description those that held for it */
                thresholds: {
                    days_left: number;
                    /** @enum {string} */
                    severity: "p1" | "p2" | "p3";
                    crossed: boolean;
                }[];
                check: components["schemas"]["CheckResult"];
            }[];
            /** @description single votes that would have changed the verdict */
            flips: {
                region: string;
                /** @enum {string} */
                vote: "up" | "down" | "unknown";
                verdict: string;
            }[];
            /** @description the window that it opened in, or was held by */
            maintenance: {
                id: string;
                occurrence_id: string;
                /** Format: date-time */
                ends_at: string;
                /** @description since when nobody was notified; null if the window holds nothing */
                held_since: string | null;
                /** @description when people were notified after it */
                released_at: string | null;
            } | null;
            /** @description the alerts that people were notified of together */
            group: {
                id: string;
                /** @description what its alerts have in common; null while there is one */
                cause: {
                    type: string;
                    value: string;
                    error_code: string | null;
                } | null;
                /** @description how many it has */
                alerts: number;
                /** Format: date-time */
                opened_at: string;
                /** @description when the first message was queued */
                told_at: string | null;
                state: string;
            } | null;
            deliveries: {
                id: string;
                channel: string;
                state: string;
                /** Format: date-time */
                created_at: string;
                sent_at: string | null;
            }[];
            missing: {
                what: string;
                why: string;
            }[];
            clock: components["schemas"]["AlertClock"];
        };
        /** AlertGroup */
        AlertGroup: {
            id: string;
            project_id: string;
            /** @description what its alerts have in common; null while there is one */
            cause: {
                /** @enum {string} */
                type: "certificate" | "address" | "host" | "region";
                value: string;
                error_code: string | null;
            } | null;
            alert_ids: string[];
            /** Format: date-time */
            opened_at: string;
            /** @description when the first message was queued */
            told_at: string | null;
            /**
             * @description `cancelled`: all were resolved before anybody was notified
             * @enum {string}
             */
            state: "open" | "acknowledged" | "resolved" | "cancelled";
        };
        /** AlertPolicy */
        AlertPolicy: {
            /**
             * @default p2
             * @enum {string}
             */
            severity: "p1" | "p2" | "p3";
            /** @default null */
            slack_channel: string | null;
            /** @default null */
            escalate_after_minutes: number | null;
        };
        /** AlertPolicy */
        AlertPolicyInput: {
            /**
             * @default p2
             * @enum {string}
             */
            severity: "p1" | "p2" | "p3";
            /** @default null */
            slack_channel: string | null;
            /** @default null */
            escalate_after_minutes: number | null;
        };
        /** Assertion */
        Assertion: {
            /** @constant */
            type: "status";
            /** @enum {string} */
            operator: "eq" | "neq" | "lt" | "lte" | "gt" | "gte" | "in" | "not_in";
            /** @description number; for in and not_in an array of numbers and ranges such as "200-299" */
            value: unknown;
        } | {
            /** @constant */
            type: "body_contains";
            /**
             * @default contains
             * @enum {string}
             */
            operator: "contains" | "not_contains";
            value: string;
            /** @default false */
            case_insensitive: boolean;
        } | {
            /** @constant */
            type: "header";
            name: string;
            /** @enum {string} */
            operator: "eq" | "neq" | "contains" | "not_contains" | "exists" | "not_exists" | "matches" | "in" | "not_in";
            /** @description string; for in and not_in an array of strings; none for exists and not_exists */
            value?: unknown;
        } | {
            /** @constant */
            type: "json_path";
            /** @description RFC 9535 query */
            path: string;
            /** @enum {string} */
            operator: "eq" | "neq" | "lt" | "lte" | "gt" | "gte" | "contains" | "not_contains" | "exists" | "not_exists" | "in" | "not_in" | "matches";
            /** @description any JSON; none for exists and not_exists */
            value?: unknown;
        } | {
            /** @constant */
            type: "latency_p95";
            /** @enum {string} */
            operator: "lt" | "lte";
            value_ms: number;
            /** @default 10 */
            window_minutes: number;
        };
        /** Assertion */
        AssertionInput: {
            /** @constant */
            type: "status";
            /** @enum {string} */
            operator: "eq" | "neq" | "lt" | "lte" | "gt" | "gte" | "in" | "not_in";
            /** @description number; for in and not_in an array of numbers and ranges such as "200-299" */
            value: unknown;
        } | {
            /** @constant */
            type: "body_contains";
            /**
             * @default contains
             * @enum {string}
             */
            operator: "contains" | "not_contains";
            value: string;
            /** @default false */
            case_insensitive: boolean;
        } | {
            /** @constant */
            type: "header";
            name: string;
            /** @enum {string} */
            operator: "eq" | "neq" | "contains" | "not_contains" | "exists" | "not_exists" | "matches" | "in" | "not_in";
            /** @description string; for in and not_in an array of strings; none for exists and not_exists */
            value?: unknown;
        } | {
            /** @constant */
            type: "json_path";
            /** @description RFC 9535 query */
            path: string;
            /** @enum {string} */
            operator: "eq" | "neq" | "lt" | "lte" | "gt" | "gte" | "contains" | "not_contains" | "exists" | "not_exists" | "in" | "not_in" | "matches";
            /** @description any JSON; none for exists and not_exists */
            value?: unknown;
        } | {
            /** @constant */
            type: "latency_p95";
            /** @enum {string} */
            operator: "lt" | "lte";
            value_ms: number;
            /** @default 10 */
            window_minutes: number;
        };
        /** AuditEntry */
        AuditEntry: {
            id: string;
            at: string;
            actor: {
                /** @enum {string} */
                type: "token" | "link" | "slack" | "pagerduty" | "admin";
                /** @description ID of the token, or `operator` */
                id: string;
                /** @description the name of that time */
                name: string | null;
            };
            /** @enum {string} */
            via: "api" | "dashboard" | "bulk" | "apply" | "import" | "admin";
            /** @enum {string} */
            action: "project.created" | "project.updated" | "project.limits_changed" | "project.quota_changed" | "project.imports_changed" | "token.created" | "token.revoked" | "session.created" | "session.refused" | "session.ended" | "monitor.created" | "monitor.restored" | "monitor.updated" | "monitor.paused" | "monitor.resumed" | "monitor.deleted" | "component.created" | "component.updated" | "component.ordered" | "component.deleted" | "status_page.created" | "status_page.updated" | "status_page.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.imported" | "subscriber.deleted" | "alert.acknowledged" | "alert_group.acknowledged" | "incident.opened" | "incident.promoted" | "incident.changed" | "incident.updated" | "incident.update_edited" | "incident.resolved" | "incident.deleted" | "delivery.replayed" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.deleted" | "slack.connected" | "slack.disconnected" | "release.created" | "release.deleted" | "flow.created" | "flow.updated" | "flow.deleted" | "event.user_erased" | "event.erased" | "channel.created" | "channel.updated" | "channel.deleted" | "route.created" | "route.updated" | "route.ordered" | "route.deleted" | "maintenance.created" | "maintenance.updated" | "maintenance.extended" | "maintenance.ended" | "maintenance.cancelled" | "maintenance.update_posted" | "maintenance.update_edited" | "maintenance.deleted" | "wall.created" | "wall.deleted" | "region.created" | "agent.created" | "agent.revoked" | "check.rebuilt" | "secret.resealed" | "installation.restored" | "sending.paused" | "sending.resumed";
            /** @enum {string} */
            resource: "project" | "token" | "session" | "monitor" | "component" | "status_page" | "subscriber" | "alert" | "alert_group" | "incident" | "delivery" | "webhook" | "slack" | "release" | "flow" | "event" | "channel" | "route" | "maintenance" | "wall" | "region" | "agent" | "check" | "secret" | "installation" | "sending";
            /** @description ID of what changed */
            subject: string;
            /** @description its name of that time */
            name: string | null;
            /** @description fields that changed; null if it was created. A secret is shown as `secret:` and a hash */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description the same fields afterwards; null if it was deleted */
            after: {
                [key: string]: unknown;
            } | null;
            /** @description what else the request changed; of a list only what came and went */
            also: {
                /** @enum {string} */
                resource: "project" | "token" | "session" | "monitor" | "component" | "status_page" | "subscriber" | "alert" | "alert_group" | "incident" | "delivery" | "webhook" | "slack" | "release" | "flow" | "event" | "channel" | "route" | "maintenance" | "wall" | "region" | "agent" | "check" | "secret" | "installation" | "sending";
                subject: string;
                name: string | null;
                before: {
                    [key: string]: unknown;
                } | null;
                after: {
                    [key: string]: unknown;
                } | null;
            }[];
            request_id: string | null;
            plan_id: string | null;
            /** @description what entries of version 0.4 and before say instead of `before` and `after`; else null */
            detail: {
                [key: string]: unknown;
            } | null;
        };
        /** Backtest */
        Backtest: {
            from: string;
            to: string;
            /** @description stored check results in the range */
            results: number;
            not_replayable: {
                pointer: string;
                /** @enum {string} */
                reason: "no_results" | "answer_not_kept" | "cut_off" | "other_slots" | "other_target";
            }[];
            before: {
                alerts: {
                    /** @enum {string} */
                    kind: "down" | "degraded" | "certificate";
                    /** Format: date-time */
                    started_at: string;
                    /** Format: date-time */
                    opened_at: string;
                    resolved_at: string | null;
                }[];
                uptime: number | null;
                down_seconds: number;
                degraded_seconds: number;
                undetermined_seconds: number;
                /** @description in windows that do not count in uptime */
                maintenance_seconds: number;
            };
            /** @description null if a change cannot be replayed */
            after: {
                alerts: {
                    /** @enum {string} */
                    kind: "down" | "degraded" | "certificate";
                    /** Format: date-time */
                    started_at: string;
                    /** Format: date-time */
                    opened_at: string;
                    resolved_at: string | null;
                }[];
                uptime: number | null;
                down_seconds: number;
                degraded_seconds: number;
                undetermined_seconds: number;
                /** @description in windows that do not count in uptime */
                maintenance_seconds: number;
            } | null;
            diff: {
                new: {
                    /** @enum {string} */
                    kind: "down" | "degraded" | "certificate";
                    /** Format: date-time */
                    started_at: string;
                    /** Format: date-time */
                    opened_at: string;
                    resolved_at: string | null;
                }[];
                gone: {
                    /** @enum {string} */
                    kind: "down" | "degraded" | "certificate";
                    /** Format: date-time */
                    started_at: string;
                    /** Format: date-time */
                    opened_at: string;
                    resolved_at: string | null;
                }[];
                moved: {
                    before: {
                        /** @enum {string} */
                        kind: "down" | "degraded" | "certificate";
                        /** Format: date-time */
                        started_at: string;
                        /** Format: date-time */
                        opened_at: string;
                        resolved_at: string | null;
                    };
                    after: {
                        /** @enum {string} */
                        kind: "down" | "degraded" | "certificate";
                        /** Format: date-time */
                        started_at: string;
                        /** Format: date-time */
                        opened_at: string;
                        resolved_at: string | null;
                    };
                    /** @description how much later it would have opened */
                    opened_ms: number;
                    /** @description how much later it would have resolved */
                    resolved_ms: number | null;
                }[];
            } | null;
        };
        /** Change */
        Change: {
            /**
             * @description what changed, by the name of its list
             * @enum {string}
             */
            topic: "project" | "monitors" | "alerts" | "notices" | "incidents" | "maintenances" | "status_pages" | "channels" | "routes" | "flows" | "releases" | "agents";
            /** @description at most 100; null: more than these, or which is not known */
            ids: string[] | null;
        };
        /** Channel */
        Channel: {
            id: string;
            project_id: string;
            key: string | null;
            managed_by: string | null;
            name: string;
            /** @enum {string} */
            type: "email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http";
            /** @description secrets read `********`; sent back, they are kept */
            config: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            detail: "full" | "brief";
            enabled: boolean;
            /**
             * @description `failing`: five deliveries in a row failed, or one three times; `unverified`: an address is not confirmed
             * @enum {string}
             */
            state: "ok" | "failing" | "unverified";
            /** @description email addresses that have not confirmed yet */
            unconfirmed: string[];
            last_sent_at: string | null;
            last_error: string | null;
            /** @description signs what a webhook gets; only in the response that created the channel */
            secret?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** ChannelTest */
        ChannelTest: {
            sent: boolean;
            /** @description why it was not sent */
            error: string | null;
            /** @description how long the service took */
            ms: number;
        };
        /** CheckResult */
        CheckResult: {
            id: string;
            monitor_id: string;
            region: string;
            agent_id: string;
            /** @enum {string} */
            status: "ok" | "warn" | "err";
            /** Format: date-time */
            scheduled_at: string;
            /** Format: date-time */
            started_at: string;
            latency_ms: number | null;
            /** @description how long the agent itself stood still during the check: then `latency_ms` is no measurement of the target and takes no part in assertions, percentiles, averages and metrics. Null if it did not */
            delayed_ms: number | null;
            timings: {
                dns_ms: number | null;
                connect_ms: number | null;
                tls_ms: number | null;
                first_byte_ms: number | null;
                download_ms: number | null;
            } | null;
            status_code: number | null;
            error: {
                /** @enum {string} */
                code: "dns_failure" | "connect_refused" | "connect_timeout" | "connection_reset" | "tls_error" | "timeout" | "too_many_redirects" | "body_too_large" | "blocked_address" | "protocol_error";
                message: string;
            } | null;
            failure_source: ("target" | "resolver" | "probe") | null;
            assertions: {
                index: number;
                /** @enum {string} */
                type: "status" | "body_contains" | "header" | "json_path" | "latency_p95";
                passed: boolean | null;
                expected: string;
                actual: string | null;
                skipped?: string;
            }[];
            attempt: number;
            /** @enum {string} */
            kind: "scheduled" | "confirm";
            remote_ip: string | null;
            bytes: number;
            truncated: boolean;
            tls: {
                protocol: string;
                valid_to: string;
                days_left: number;
                /** @description null, like what follows, from agents without `tls.facts` */
                valid_from: string | null;
                issuer: string | null;
                subject: string | null;
                fingerprint_sha256: string | null;
                /** @description that showed it, with its port, if the check was redirected to another one */
                host?: string;
                /** @description certificates of the hosts before it */
                earlier?: {
                    host: string;
                    valid_from: string;
                    valid_to: string;
                    issuer: string;
                    subject: string;
                    fingerprint_sha256: string;
                }[];
            } | null;
            /** @description what in the response is not as HTTP has it, but was read as browsers do; older agents report none */
            warnings: {
                code: string;
                message: string;
            }[];
            config_version: number;
            /** Format: date-time */
            received_at: string;
        };
        /** Component */
        Component: {
            id: string;
            project_id: string;
            status_page_id: string;
            name: string;
            description: string;
            group: string | null;
            position: number;
            /** @enum {string} */
            status: "operational" | "degraded_performance" | "partial_outage" | "major_outage" | "under_maintenance";
            monitor_ids: string[];
            monitor_selector: string | null;
            show_uptime: boolean;
            /** @description monitors that match `monitor_selector`, the first 500 by ID */
            matched_monitor_ids: string[];
            /** @description whether more than 500 match */
            matched_truncated: boolean;
            /**
             * @description the worst of `status`, open incidents and monitor verdicts; `unknown`: a monitor has no verdict
             * @enum {string}
             */
            shown_status: "operational" | "degraded_performance" | "partial_outage" | "major_outage" | "under_maintenance" | "unknown";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** Delivery */
        Delivery: {
            id: string;
            /** @enum {string} */
            kind: "incident_update" | "confirmation" | "alert" | "webhook" | "operator" | "digest" | "notice" | "test" | "maintenance_update";
            /**
             * @description for an alert’s channel, its type
             * @enum {string}
             */
            channel: "email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http";
            /** @description the incident update, alert or event that it is about */
            subject: string;
            incident_id: string | null;
            alert_id: string | null;
            /** @description the group of alerts */
            group_id: string | null;
            /** @description the channel of alerts */
            channel_id: string | null;
            /** @description the route that named the channel */
            route_id: string | null;
            /** @description what the channel is notified of, such as `opened` or `reminder` */
            step: string | null;
            /** @description the subscriber, webhook or channel; null for a Slack channel */
            recipient_id: string | null;
            /** @description address, URL or Slack channel; masked without `subscribers:read`, a project’s webhook without `project:write` */
            recipient: string | null;
            /** @enum {string} */
            state: "queued" | "sent" | "failed" | "held" | "cancelled";
            attempts: number;
            /** @description why the last attempt failed, or why it is held or cancelled; of one that was sent what there is to say */
            error: string | null;
            next_attempt_at: string | null;
            /** Format: date-time */
            created_at: string;
            sent_at: string | null;
        };
        /** Event */
        Event: {
            /** @description 1 to 200 characters after trimming, no control characters */
            name: string;
            /**
             * @description default: track; create releases with POST /v0/releases
             * @enum {string}
             */
            type?: "track" | "error";
            external_user_id?: string | null;
            session_id?: string | null;
            /** @description at most 10 levels and 255 keys; at most 32 KiB for the event, 4 KiB from a page */
            props?: {
                [key: string]: unknown;
            } | null;
            /** @description RFC 3339 with Z or an offset, at most an hour in the future; default: now */
            timestamp?: string | null;
            /** @description idempotency key of the event: stored once per project in 24 hours */
            dedup_id?: string | null;
        };
        /** EventRate */
        EventRate: {
            limits: {
                sustained_per_second: number;
                burst_per_second: number;
                burst_seconds: number;
            };
            /** @description events that may be sent before the sustained limit applies */
            sustained: {
                capacity: number;
                available: number;
            };
            /** @description events that may be sent at once */
            peak: {
                capacity: number;
                available: number;
            };
            /** @description of the UTC day */
            bytes_today: {
                used: number;
                maximum: number;
                /** Format: date-time */
                resets_at: string;
            };
            /** @description of the last 60 minutes, ascending, up to a few seconds ago */
            minutes: {
                stored: number;
                known: number;
                refused: number;
                at: string;
            }[];
            last_24_hours: {
                stored: number;
                known: number;
                refused: number;
            };
            /** @description of the last 24 hours by code, the most frequent first; `last_at` is a minute */
            refusals: {
                code: string;
                events: number;
                /** Format: date-time */
                last_at: string;
            }[];
        };
        /** Flow */
        Flow: {
            id: string;
            project_id: string;
            name: string;
            /** @description at most 1000 values in all conditions, and 16384 bytes of JSON */
            steps: components["schemas"]["FlowStep"][];
            window_seconds: number;
            /** @enum {string} */
            order: "ordered" | "strict";
            /** @description increases when steps, window or order change */
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** FlowStep */
        FlowStep: {
            name?: string;
            event: string;
            /** @default [] */
            where: {
                prop: string;
                /** @enum {string} */
                op: "eq" | "neq" | "in" | "not_in" | "contains" | "not_contains" | "exists" | "not_exists" | "lt" | "lte" | "gt" | "gte";
                value?: (string | number | boolean | null) | (string | number | boolean | null)[];
            }[];
        };
        /** FlowStep */
        FlowStepInput: {
            name?: string;
            event: string;
            /** @default [] */
            where: {
                prop: string;
                /** @enum {string} */
                op: "eq" | "neq" | "in" | "not_in" | "contains" | "not_contains" | "exists" | "not_exists" | "lt" | "lte" | "gt" | "gte";
                value?: (string | number | boolean | null) | (string | number | boolean | null)[];
            }[];
        };
        /** FunnelReport */
        FunnelReport: {
            flow_id: string;
            version: number;
            /** @description entries in this range are counted */
            range: {
                from: string;
                to: string;
            };
            /** @enum {string} */
            group_by: "none" | "day" | "hour" | "release" | "property";
            steps: {
                step: number;
                name: string;
                users: number;
                from_first: number | null;
                from_previous: number | null;
            }[];
            buckets?: {
                bucket: string;
                steps: {
                    step: number;
                    name: string;
                    users: number;
                    from_first: number | null;
                    from_previous: number | null;
                }[];
            }[];
            releases?: {
                /** @description null for entries before the first release */
                release_id: string | null;
                version: string | null;
                name: string | null;
                released_at: string | null;
                steps: {
                    step: number;
                    name: string;
                    users: number;
                    from_first: number | null;
                    from_previous: number | null;
                }[];
            }[];
            property?: string;
            /** @description the 20 values with the most users, then entries without the property, then all other values */
            values?: {
                /** @enum {string} */
                type: "value" | "missing" | "other";
                /** @description null also for `missing` and `other` */
                value: string | number | boolean | null;
                steps: {
                    step: number;
                    name: string;
                    users: number;
                    from_first: number | null;
                    from_previous: number | null;
                }[];
            }[];
            /** @description entries before this were already deleted when this version was created; null if none were */
            complete_from: string | null;
            /** @description everything ingested before this is counted */
            complete_through: string;
            /** @enum {string} */
            source: "raw" | "hourly" | "mixed";
            /** @description hours of the range, and those that the roll-up has yet to compute: they are read from raw events */
            roll_up: {
                hours: number;
                pending: number;
            };
            /** @description true if a count is estimated because it is too large to keep exactly: standard error 0.81 % */
            estimated: boolean;
        };
        /** Impact */
        Impact: {
            /**
             * @description of what is computed, and how
             * @constant
             */
            definition: 1;
            /** Format: date-time */
            computed_at: string;
            window: {
                from: string;
                to: string;
            };
            users: {
                /** @enum {string} */
                status: "measured" | "cannot_tell";
                reason: ("no_events" | "window_too_short" | "too_few_users" | "no_baseline" | "not_kept" | "too_many_events") | null;
                /** @description users with an error in the window */
                with_errors: number | null;
                /** @description users with any event in the window */
                active: number | null;
                /** @description users who would have had an error anyway, by the same hours of weeks before */
                expected: number | null;
                affected: number | null;
                /** @description with `high` the interval that holds the true number 95 times in 100 */
                low: number | null;
                high: number | null;
                significant: boolean | null;
            };
            missing: {
                /** @enum {string} */
                status: "measured" | "cannot_tell";
                reason: ("no_events" | "window_too_short" | "too_few_users" | "no_baseline" | "not_kept" | "too_many_events") | null;
                /** @description median of active users in the same hours of previous weeks */
                expected: number | null;
                low: number | null;
                high: number | null;
            };
            releases: {
                /** @enum {string} */
                status: "measured" | "none";
                candidates: {
                    id: string;
                    version: string;
                    name: string | null;
                    /** Format: date-time */
                    released_at: string;
                    /**
                     * @description `suspect`: more users had an error after it than before, beyond chance
                     * @enum {string}
                     */
                    verdict: "suspect" | "unlikely" | "cannot_tell";
                    /** @description why nothing can be said */
                    reason: ("too_few_users" | "too_close" | "rose_before" | "not_clear" | "not_kept" | "too_many_events") | null;
                    /** @description share of users with an error after the release, by the share before */
                    ratio: number | null;
                    low: number | null;
                    high: number | null;
                    before: {
                        active: number;
                        with_errors: number;
                    } | null;
                    after: {
                        active: number;
                        with_errors: number;
                    } | null;
                    /** @description errors after the release that were not seen in the seven days before it; none if there are too many events */
                    new_errors: {
                        name: string;
                        users: number;
                    }[];
                }[];
            };
            /** @constant */
            source: "raw";
            estimated: boolean;
        };
        /** Incident */
        Incident: {
            id: string;
            project_id: string;
            status_page_id: string;
            alert_id: string | null;
            title: string;
            /** @enum {string} */
            state: "investigating" | "identified" | "monitoring" | "resolved";
            /** @enum {string} */
            severity: "p1" | "p2" | "p3";
            /** @enum {string} */
            impact: "none" | "degraded" | "partial" | "major";
            affected_components: string[];
            updates: components["schemas"]["IncidentUpdate"][];
            /** Format: date-time */
            started_at: string;
            resolved_at: string | null;
            postmortem_url: string | null;
            postmortem_body: string | null;
            url: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** IncidentUpdate */
        IncidentUpdate: {
            id: string;
            /** @enum {string} */
            state: "investigating" | "identified" | "monitoring" | "resolved";
            body: string;
            /** Format: date-time */
            posted_at: string;
            edited_at: string | null;
        };
        /** IngestReceipt */
        IngestReceipt: {
            receipt_id: string;
            received: number;
            accepted: number;
            duplicates: number;
            rejected: number;
            /** @description in the order sent; null for rejected events */
            event_ids: (string | null)[];
            errors: {
                index: number;
                pointer: string;
                /** @enum {string} */
                code: "required" | "type" | "enum" | "format" | "too_short" | "too_long" | "out_of_range" | "unknown_reference" | "read_only" | "in_future" | "not_allowed" | "release_not_ingestible";
                detail: string;
            }[];
        };
        /** Maintenance */
        Maintenance: {
            id: string;
            project_id: string;
            /** @description always null for now */
            key: null;
            /** @description always null for now */
            managed_by: null;
            title: string;
            /** @description Markdown */
            description: string;
            scope: {
                monitor_ids: string[];
                selector: string | null;
                component_ids: string[];
                status_page_ids: string[];
            };
            starts_at: string | null;
            ends_at: string | null;
            /** @description of a recurring maintenance, instead of `starts_at` and `ends_at` */
            schedule: components["schemas"]["MaintenanceSchedule"] | null;
            /**
             * @description `hold`: nobody is notified of alerts while it lasts
             * @enum {string}
             */
            alerts: "hold" | "send";
            exclude_from_uptime: boolean;
            /** @description an alert still open this long after the end is sent */
            settle_seconds: number;
            /** @description whether status pages show it */
            announced: boolean;
            announce_before_hours: number;
            /** @description what subscribers of the pages are notified of */
            notify: ("announced" | "started" | "updates" | "completed")[];
            /** @enum {string} */
            state: "scheduled" | "in_progress" | "completed" | "cancelled";
            current: components["schemas"]["MaintenanceOccurrence"] | null;
            next: components["schemas"]["MaintenanceOccurrence"] | null;
            /** @description how many monitors are in its scope now */
            matched_monitors: number;
            /** @description the latest hundred, in order of posting */
            updates: components["schemas"]["MaintenanceUpdate"][];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** MaintenanceOccurrence */
        MaintenanceOccurrence: {
            id: string;
            /** Format: date-time */
            starts_at: string;
            /** Format: date-time */
            ends_at: string;
            original_start: string;
            /** @enum {string} */
            state: "scheduled" | "in_progress" | "completed" | "cancelled";
            /** @description how many are in it */
            monitors: number;
        };
        /** MaintenancePreview */
        MaintenancePreview: {
            /** @description the first twenty */
            occurrences: {
                /** Format: date-time */
                starts_at: string;
                /** Format: date-time */
                ends_at: string;
            }[];
            /** @description how many monitors match */
            monitors: number;
            components: string[];
            /** @description pages that show it */
            status_pages: string[];
        };
        /** MaintenanceSchedule */
        MaintenanceSchedule: {
            /** @description local time of the first occurrence, in a year from 2000 to 2099 */
            start: string;
            timezone: string;
            duration_seconds: number;
            rrule: string;
            /**
             * @description local dates without an occurrence
             * @default []
             */
            exclude: string[];
        };
        /** MaintenanceSchedule */
        MaintenanceScheduleInput: {
            /** @description local time of the first occurrence, in a year from 2000 to 2099 */
            start: string;
            timezone: string;
            duration_seconds: number;
            rrule: string;
            /**
             * @description local dates without an occurrence
             * @default []
             */
            exclude: string[];
        };
        /** MaintenanceUpdate */
        MaintenanceUpdate: {
            id: string;
            occurrence_id: string;
            /** @enum {string} */
            state: "scheduled" | "in_progress" | "verifying" | "completed";
            body: string;
            /** Format: date-time */
            posted_at: string;
            edited_at: string | null;
        };
        /** Monitor */
        Monitor: {
            id: string;
            project_id: string;
            /** @description always null for now */
            key: null;
            /** @description always null for now */
            managed_by: null;
            name: string;
            /** @description http or https, without credentials; blanks and the like in path and query are percent-encoded */
            url: string;
            /** @enum {string} */
            method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            interval_seconds: number;
            timeout_ms: number;
            regions: string[];
            quorum: number;
            assertions: components["schemas"]["Assertion"][];
            headers: {
                [key: string]: string;
            };
            body: string | null;
            follow_redirects: boolean;
            alert_policy: components["schemas"]["AlertPolicy"];
            /** @description when alerts open and resolve */
            alert_rules: {
                /**
                 * @description how long the monitor must be down before an alert opens
                 * @default 0
                 */
                confirm_seconds: number;
                /**
                 * @description how long it must be up again before the alert resolves
                 * @default 0
                 */
                recover_seconds: number;
                /**
                 * @description after this many changes to down within the window the alert stays open until the window is quiet
                 * @default null
                 */
                flap: {
                    changes: number;
                    window_seconds: number;
                } | null;
                /**
                 * @description opens an alert of kind `degraded`; null: never
                 * @default null
                 */
                degraded: {
                    /** @default 300 */
                    after_seconds: number;
                    /**
                     * @default p3
                     * @enum {string}
                     */
                    severity: "p1" | "p2" | "p3";
                } | null;
                /**
                 * @description opens an alert of kind `certificate`; no part of the verdict unless `in_verdict` says so
                 * @default {
                 *       "enabled": true,
                 *       "thresholds": null,
                 *       "in_verdict": false
                 *     }
                 */
                certificate: {
                    /** @default true */
                    enabled: boolean;
                    /**
                     * @description null: one of p3 at 14 days, or a third of the certificate’s life if that is less
                     * @default null
                     */
                    thresholds: {
                        days_left: number;
                        /**
                         * @default p3
                         * @enum {string}
                         */
                        severity: "p1" | "p2" | "p3";
                    }[] | null;
                    /**
                     * @description whether checks warn at the first threshold; a change makes a new `config_version`
                     * @default false
                     */
                    in_verdict: boolean;
                };
            };
            component_ids: string[];
            /** @description by key; selectors find monitors by them */
            labels: {
                [key: string]: string;
            };
            enabled: boolean;
            /** @enum {string} */
            status: "up" | "degraded" | "down" | "undetermined" | "pending" | "paused";
            status_since: string;
            votes: {
                region: string;
                /** @enum {string} */
                vote: "up" | "warn" | "down" | "unknown";
                /** @description when the region began to vote so */
                since: string | null;
                /** @description end of the check that cast or refreshed the vote */
                as_of: string | null;
                /** @description why the vote is unknown */
                reason: ("no_result" | "expired" | "resolver" | "blocked_address" | "probe") | null;
            }[];
            /** @description the window that it is in */
            maintenance: {
                id: string;
                occurrence_id: string;
                /** Format: date-time */
                ends_at: string;
            } | null;
            /** @description regions that cast no vote because no agent can */
            unable_regions: {
                region: string;
                /**
                 * @description no agent is online there, or none can do all that the monitor needs
                 * @enum {string}
                 */
                reason: "no_agent" | "no_able_agent";
                /** @description what the agent that comes closest cannot do */
                missing: string[];
            }[];
            /** @description with `include=summary` */
            summary?: components["schemas"]["Monitor summary"];
            config_version: number;
            /** @description increases with each change of `alert_rules` */
            rules_version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description what is valid but probably not meant; only in responses to POST and PATCH, and only if there is any */
            warnings?: {
                pointer: string;
                /** @enum {string} */
                code: "address_not_public";
                detail: string;
            }[];
        };
        /** Monitor summary */
        "Monitor summary": {
            /** @description share of the observed time that was not down; null: nothing observed */
            uptime_30d: number | null;
            /** @description 95th percentile of the latency of good checks in the last 24 hours */
            p95_ms: number | null;
            /** @description average latency of the last 24 hours, the oldest first; null: no good check */
            hourly_latency_ms: (number | null)[];
        };
        /** MonitorChange */
        MonitorChange: {
            id: string;
            at: string;
            actor: {
                /** @enum {string} */
                type: "token" | "link" | "slack" | "pagerduty" | "admin";
                /** @description ID of the token, or `operator` */
                id: string;
                /** @description the name of that time */
                name: string | null;
            };
            /** @enum {string} */
            via: "api" | "dashboard" | "bulk" | "apply" | "import" | "admin";
            /** @enum {string} */
            action: "project.created" | "project.updated" | "project.limits_changed" | "project.quota_changed" | "project.imports_changed" | "token.created" | "token.revoked" | "session.created" | "session.refused" | "session.ended" | "monitor.created" | "monitor.restored" | "monitor.updated" | "monitor.paused" | "monitor.resumed" | "monitor.deleted" | "component.created" | "component.updated" | "component.ordered" | "component.deleted" | "status_page.created" | "status_page.updated" | "status_page.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.imported" | "subscriber.deleted" | "alert.acknowledged" | "alert_group.acknowledged" | "incident.opened" | "incident.promoted" | "incident.changed" | "incident.updated" | "incident.update_edited" | "incident.resolved" | "incident.deleted" | "delivery.replayed" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.deleted" | "slack.connected" | "slack.disconnected" | "release.created" | "release.deleted" | "flow.created" | "flow.updated" | "flow.deleted" | "event.user_erased" | "event.erased" | "channel.created" | "channel.updated" | "channel.deleted" | "route.created" | "route.updated" | "route.ordered" | "route.deleted" | "maintenance.created" | "maintenance.updated" | "maintenance.extended" | "maintenance.ended" | "maintenance.cancelled" | "maintenance.update_posted" | "maintenance.update_edited" | "maintenance.deleted" | "wall.created" | "wall.deleted" | "region.created" | "agent.created" | "agent.revoked" | "check.rebuilt" | "secret.resealed" | "installation.restored" | "sending.paused" | "sending.resumed";
            /** @enum {string} */
            resource: "project" | "token" | "session" | "monitor" | "component" | "status_page" | "subscriber" | "alert" | "alert_group" | "incident" | "delivery" | "webhook" | "slack" | "release" | "flow" | "event" | "channel" | "route" | "maintenance" | "wall" | "region" | "agent" | "check" | "secret" | "installation" | "sending";
            /** @description ID of what changed */
            subject: string;
            /** @description its name of that time */
            name: string | null;
            /** @description fields that changed; null if it was created. A secret is shown as `secret:` and a hash */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description the same fields afterwards; null if it was deleted */
            after: {
                [key: string]: unknown;
            } | null;
            /** @description what else the request changed; of a list only what came and went */
            also: {
                /** @enum {string} */
                resource: "project" | "token" | "session" | "monitor" | "component" | "status_page" | "subscriber" | "alert" | "alert_group" | "incident" | "delivery" | "webhook" | "slack" | "release" | "flow" | "event" | "channel" | "route" | "maintenance" | "wall" | "region" | "agent" | "check" | "secret" | "installation" | "sending";
                subject: string;
                name: string | null;
                before: {
                    [key: string]: unknown;
                } | null;
                after: {
                    [key: string]: unknown;
                } | null;
            }[];
            request_id: string | null;
            plan_id: string | null;
            /** @description what entries of version 0.4 and before say instead of `before` and `after`; else null */
            detail: {
                [key: string]: unknown;
            } | null;
            /** @description the version that the change made; null if it made none, or it is no longer kept */
            config_version: number | null;
            /** @description whether votes of before the change stopped counting */
            drops_votes: boolean | null;
        };
        /** MonitorDryRun */
        MonitorDryRun: {
            /** @description as it would be */
            monitor: components["schemas"]["Monitor"];
            /** @description fields that would have another value; none for a new monitor */
            changed: string[];
            /** @description whether `config_version` would increase and all regions would check at once */
            bumps: boolean;
            /** @description whether the votes would be dropped */
            drops_votes: boolean;
            /** @description the last 24 hours by the changes that can be replayed; null if there are none, for a new monitor, and if it would take too long */
            backtest: components["schemas"]["Backtest"] | null;
        };
        /** MonitorTest */
        MonitorTest: {
            data: {
                region: string;
                agent_id: string | null;
                result: components["schemas"]["TestedCheck"] | null;
                /** @description why there is no result: no agent is online, none can do this, or none answered in time */
                problem: ("no_agent" | "no_able_agent" | "timeout") | null;
                /** @description what came back, with the values of the request blacked out; null without a response */
                response: {
                    status_code: number;
                    headers: {
                        [key: string]: string;
                    };
                    body_excerpt: string;
                } | null;
            }[];
        };
        /** Notice */
        Notice: {
            id: string;
            /** @enum {string} */
            kind: "region.silent" | "region.quarantined" | "agent.silent" | "monitor.unable" | "channel.failing" | "work.failing" | "email.failing";
            subject: {
                /** @enum {string} */
                type: "region" | "agent" | "channel" | "work" | "email";
                id: string;
                name: string;
            };
            title: string;
            detail: string;
            /** @enum {string} */
            state: "open" | "closed";
            /** @description whether results that were checked meanwhile arrived later */
            late_results: boolean;
            /** Format: date-time */
            opened_at: string;
            closed_at: string | null;
        };
        /** Overview */
        Overview: {
            /** @description by status */
            monitors: {
                up: number;
                degraded: number;
                down: number;
                undetermined: number;
                pending: number;
                paused: number;
            };
            /** @description those of `monitors` that are in a maintenance window, by status */
            in_maintenance: {
                up: number;
                degraded: number;
                down: number;
                undetermined: number;
                pending: number;
                paused: number;
            };
            /** @description null without `alerts:read` */
            alerts: {
                /** @description without those that are held */
                open: number;
                acknowledged: number;
                /** @description open, with notifications that wait for the end of maintenance */
                held: number;
            } | null;
            /** @description null without `incidents:read` */
            incidents: {
                unresolved: number;
            } | null;
            /** @description of the last 24 hours, the newest 1000; null without `incidents:read` */
            deliveries: {
                failed: number;
                held: number;
            } | null;
            regions: components["schemas"]["Region"][];
        };
        /** PlannedOccurrence */
        PlannedOccurrence: {
            id: string;
            /** Format: date-time */
            starts_at: string;
            /** Format: date-time */
            ends_at: string;
            original_start: string;
            /** @enum {string} */
            state: "scheduled" | "in_progress" | "completed" | "cancelled";
            /** @description how many are in it */
            monitors: number;
            maintenance_id: string;
            title: string;
            announced: boolean;
        };
        /** Problem */
        Problem: {
            /** Format: uri */
            type: string;
            title: string;
            status: number;
            detail: string;
            instance?: string;
            /** @enum {string} */
            code: "invalid_json" | "invalid_parameter" | "invalid_cursor" | "invalid_idempotency_key" | "empty_batch" | "missing_token" | "invalid_token" | "token_expired" | "token_revoked" | "invalid_signature" | "insufficient_scope" | "origin_not_allowed" | "not_found" | "method_not_allowed" | "request_timeout" | "already_resolved" | "alert_already_promoted" | "alert_resolved" | "limit_reached" | "monitor_paused" | "name_taken" | "channel_in_use" | "maintenance_over" | "slug_taken" | "component_in_use" | "status_page_in_use" | "delivery_not_replayable" | "count_changed" | "idempotency_in_progress" | "changed_since" | "link_expired" | "payload_too_large" | "batch_too_large" | "unsupported_media_type" | "validation_failed" | "idempotency_key_reused" | "release_not_ingestible" | "backtest_too_large" | "rate_limited" | "headers_too_large" | "internal_error" | "unavailable";
            request_id: string;
            /** @description Seconds to wait before the next attempt */
            retry_after?: number;
            errors?: {
                /** @description JSON Pointer into the body */
                pointer?: string;
                /** @description Name of a query parameter or header */
                parameter?: string;
                /** @enum {string} */
                code: "required" | "type" | "enum" | "format" | "too_short" | "too_long" | "out_of_range" | "unknown_reference" | "read_only" | "in_future" | "not_allowed";
                detail: string;
            }[];
        };
        /** Project */
        Project: {
            id: string;
            name: string;
            /** @enum {string} */
            plan: "pro" | "team" | "agency" | "business" | "enterprise";
            event_retention_days: number;
            ingest_limits: {
                sustained_per_second: number;
                burst_per_second: number;
                burst_seconds: number;
            };
            allowed_origins: string[];
            /** @description of alerts with one cause into one message */
            grouping: {
                /**
                 * @description how long the first message waits for more alerts
                 * @default 5
                 */
                wait_seconds: number;
                /**
                 * @description how long after an alert the next may join its group
                 * @default 300
                 */
                join_seconds: number;
            };
            /** @description when silence opens a notice */
            notices: {
                /**
                 * @description after the last vote of a region expired; null: never
                 * @default 300
                 */
                region_silent_after_seconds: number | null;
                /**
                 * @description after the last sign of life of an agent; null: never
                 * @default 300
                 */
                agent_silent_after_seconds: number | null;
            };
            /** Format: date-time */
            created_at: string;
            /** @description what the project may have and has; the operator can raise a maximum */
            quotas: {
                /** @enum {string} */
                resource: "monitors" | "monitor_regions" | "tokens" | "status_pages" | "components" | "open_incidents" | "incidents" | "maintenances" | "webhooks" | "channels" | "routes" | "subscribers" | "flows" | "agents" | "walls" | "releases" | "event_bytes_per_day";
                maximum: number;
                used: number;
            }[];
        };
        /** Promotion */
        Promotion: {
            title: string;
            /** @enum {string} */
            severity: "p1" | "p2" | "p3";
            /** @enum {string} */
            impact: "none" | "degraded" | "partial" | "major";
            /** @description null if several pages or none fit: choose one of status_pages */
            status_page_id: string | null;
            affected_components: string[];
            components: {
                id: string;
                name: string;
            }[];
            initial_update: {
                /** @enum {string} */
                state: "investigating" | "identified" | "monitoring" | "resolved";
                body: string;
            };
            /** @description pages with a component of the monitor */
            status_pages: {
                id: string;
                name: string;
            }[];
            /** @description the incident, if the alert was already promoted */
            incident_id: string | null;
        };
        /** Region */
        Region: {
            code: string;
            name: string;
            agents_online: number;
            agents_total: number;
            /** @description what at least one online agent can do */
            capabilities: string[];
        };
        /** RegionDetails */
        RegionDetails: {
            code: string;
            name: string;
            agents_online: number;
            agents_total: number;
            /** @description what at least one online agent can do */
            capabilities: string[];
            /** @description only this project sees it */
            private: boolean;
            /** @description its votes do not count for this project since then */
            quarantined_since: string | null;
            /** @description enabled monitors of the project that run there */
            monitors: number;
            /** @description those of them whose vote from there is missing or has expired */
            monitors_without_vote: number;
            /** @description completion of the newest check for the project */
            last_result_at: string | null;
        };
        /** Release */
        Release: {
            id: string;
            project_id: string;
            version: string;
            name: string | null;
            environment: string;
            /** Format: date-time */
            released_at: string;
            url: string | null;
            commit_sha: string | null;
            props: {
                [key: string]: unknown;
            } | null;
            /** @description the event that marks the release on timelines */
            event_id: string;
            /** Format: date-time */
            created_at: string;
        };
        /** ReleaseComparison */
        ReleaseComparison: {
            release_id: string;
            /** Format: date-time */
            computed_at: string;
            /** @description at most an hour, cut at the previous release */
            before_window: {
                from: string;
                to: string;
            };
            /** @description at most an hour, cut at the next release and at now */
            after_window: {
                from: string;
                to: string;
            };
            /**
             * @description `suspect`: more users had an error after it than before, beyond chance
             * @enum {string}
             */
            verdict: "suspect" | "unlikely" | "cannot_tell";
            /** @description why nothing can be said */
            reason: ("too_few_users" | "too_close" | "rose_before" | "not_clear" | "not_kept" | "too_many_events") | null;
            /** @description share of users with an error after the release, by the share before */
            ratio: number | null;
            low: number | null;
            high: number | null;
            before: {
                active: number;
                with_errors: number;
            } | null;
            after: {
                active: number;
                with_errors: number;
            } | null;
            /** @description errors after the release that were not seen in the seven days before it; none if there are too many events */
            new_errors: {
                name: string;
                users: number;
            }[];
        };
        /** Route */
        Route: {
            id: string;
            project_id: string;
            key: string | null;
            managed_by: string | null;
            name: string;
            enabled: boolean;
            match: {
                /**
                 * @description of the alert’s labels; null: any
                 * @default null
                 */
                selector: string | null;
                /**
                 * @description empty: any
                 * @default []
                 */
                severities: ("p1" | "p2" | "p3")[];
                /**
                 * @description empty: any
                 * @default []
                 */
                kinds: ("down" | "degraded" | "certificate")[];
                /**
                 * @description empty: none; a route with a selector gets none
                 * @default []
                 */
                notices: ("region.silent" | "region.quarantined" | "agent.silent" | "monitor.unable" | "channel.failing" | "work.failing" | "email.failing")[];
            };
            /** @description whether later routes are evaluated as well */
            continue: boolean;
            steps: {
                after_minutes: number;
                channel_ids: string[];
            }[];
            remind_every_minutes: number | null;
            quiet_hours: {
                timezone: string;
                /**
                 * @default [
                 *       "mo",
                 *       "tu",
                 *       "we",
                 *       "th",
                 *       "fr",
                 *       "sa",
                 *       "su"
                 *     ]
                 */
                days: ("mo" | "tu" | "we" | "th" | "fr" | "sa" | "su")[];
                from: string;
                /** @description the same as `from` is the whole day */
                to: string;
                /**
                 * @default [
                 *       "p1"
                 *     ]
                 */
                except_severities: ("p1" | "p2" | "p3")[];
            } | null;
            /** @description routes are evaluated in this order */
            position: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** RouteMatch */
        RouteMatch: {
            routes: {
                id: string;
                steps: {
                    due_at: string | null;
                    channel_ids: string[];
                }[];
                /** @description the first three, if nobody acknowledges */
                reminders: {
                    /** Format: date-time */
                    due_at: string;
                }[];
                /** @description the end of the quiet hours that the first message falls into */
                held_until: string | null;
            }[];
        };
        /** SlackConnection */
        SlackConnection: {
            connected: boolean;
            connected_at: string | null;
        };
        /** StatusPage */
        StatusPage: {
            id: string;
            project_id: string;
            name: string;
            slug: string;
            description: string;
            timezone: string;
            /**
             * @description language of all fixed words, numbers and dates of the page and its feeds
             * @enum {string}
             */
            locale: "en" | "de" | "fr";
            /** @enum {string} */
            theme: "auto" | "light" | "dark";
            history_days: number;
            /** @description colour of buttons and links, adjusted so that text stays readable in both themes */
            color: string | null;
            /** @description target of the link on the name and the logo; null: the page itself */
            home_url: string | null;
            /** @description where visitors get help; every page links to it */
            support_url: string | null;
            /** @description URL of the image, which is served with the page */
            logo: string | null;
            url: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** StoredEvent */
        StoredEvent: {
            id: string;
            name: string;
            /** @enum {string} */
            type: "track" | "release" | "error";
            timestamp: string;
            props?: {
                [key: string]: unknown;
            };
            /** @description the session that the event named, if it did */
            session_id?: string;
            external_user_id: string | null;
            /** Format: date-time */
            ingested_at: string;
        };
        /** Subscriber */
        Subscriber: {
            id: string;
            status_page_id: string;
            /** @enum {string} */
            channel: "email" | "webhook";
            email: string | null;
            url: string | null;
            component_ids: string[];
            /** @enum {string} */
            state: "pending" | "active" | "unsubscribed" | "quarantined";
            /** @description why it was quarantined, if its import was ended */
            state_reason: string | null;
            consent: string | null;
            /** @description consecutive failed deliveries */
            failures: number;
            /** Format: date-time */
            created_at: string;
            confirmed_at: string | null;
            /** @description signs the webhook’s messages; returned only when it is created */
            secret?: string;
        };
        /** TestedCheck */
        TestedCheck: {
            /** @enum {string} */
            status: "ok" | "warn" | "err";
            /** Format: date-time */
            started_at: string;
            latency_ms: number | null;
            /** @description how long the agent itself stood still during the check: then `latency_ms` is no measurement of the target and takes no part in assertions, percentiles, averages and metrics. Null if it did not */
            delayed_ms: number | null;
            timings: {
                dns_ms: number | null;
                connect_ms: number | null;
                tls_ms: number | null;
                first_byte_ms: number | null;
                download_ms: number | null;
            } | null;
            status_code: number | null;
            error: {
                /** @enum {string} */
                code: "dns_failure" | "connect_refused" | "connect_timeout" | "connection_reset" | "tls_error" | "timeout" | "too_many_redirects" | "body_too_large" | "blocked_address" | "protocol_error";
                message: string;
            } | null;
            failure_source: ("target" | "resolver" | "probe") | null;
            assertions: {
                index: number;
                /** @enum {string} */
                type: "status" | "body_contains" | "header" | "json_path" | "latency_p95";
                passed: boolean | null;
                expected: string;
                actual: string | null;
                skipped?: string;
            }[];
            remote_ip: string | null;
            bytes: number;
            truncated: boolean;
            tls: {
                protocol: string;
                valid_to: string;
                days_left: number;
                /** @description null, like what follows, from agents without `tls.facts` */
                valid_from: string | null;
                issuer: string | null;
                subject: string | null;
                fingerprint_sha256: string | null;
                /** @description that showed it, with its port, if the check was redirected to another one */
                host?: string;
                /** @description certificates of the hosts before it */
                earlier?: {
                    host: string;
                    valid_from: string;
                    valid_to: string;
                    issuer: string;
                    subject: string;
                    fingerprint_sha256: string;
                }[];
            } | null;
            /** @description what in the response is not as HTTP has it, but was read as browsers do; older agents report none */
            warnings: {
                code: string;
                message: string;
            }[];
        };
        /** TimelineItem */
        TimelineItem: {
            id: string;
            name: string;
            /** @enum {string} */
            type: "track" | "release" | "error";
            timestamp: string;
            props?: {
                [key: string]: unknown;
            };
            /** @description the session that the event named, if it did */
            session_id?: string;
        };
        /** Token */
        Token: {
            id: string;
            project_id: string;
            name: string;
            scopes: string[];
            expires_at: string | null;
            last_used_at: string | null;
            revoked_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description id of the token that made it; null for the operator’s */
            created_by: string | null;
            /** @description the secret; only in the response that created the token */
            token?: string;
        };
        /** Uptime */
        Uptime: {
            data: {
                bucket: string;
                uptime: number;
                incidents: number;
                down_seconds: number;
                degraded_seconds: number;
                observed_seconds: number;
                excluded: {
                    paused_seconds: number;
                    maintenance_seconds: number;
                    undetermined_seconds: number;
                };
                checks: {
                    ok: number;
                    warn: number;
                    err: number;
                };
                latency_ms: {
                    p50: number | null;
                    p95: number | null;
                };
            }[];
            range: {
                from: string;
                to: string;
            };
            /** @enum {string} */
            granularity: "day" | "hour";
        };
        /** VerdictRow */
        VerdictRow: {
            /** @enum {string} */
            verdict: "up" | "degraded" | "down" | "undetermined" | "pending" | "paused" | "deleted";
            since: string;
            /** @description null for the verdict that holds */
            until: string | null;
            /** @description when it was known: the end of the check or the expiry that made it */
            decided_at: string | null;
            cause: ("vote" | "expiry" | "configuration" | "quarantine" | "import") | null;
            /** @description whether results that arrived late changed it */
            revised: boolean;
            quorum: number | null;
            config_version: number;
            votes: {
                region: string;
                /** @enum {string} */
                vote: "up" | "warn" | "down" | "unknown";
                /** @description false for a quarantined region */
                counted: boolean | null;
                since: string | null;
                as_of: string | null;
                expires_at: string | null;
                /** @description the check that cast or refreshed the vote; kept for 30 days */
                check_id: string | null;
            }[];
        };
        /** Wall */
        Wall: {
            id: string;
            project_id: string;
            key: string | null;
            managed_by: string | null;
            name: string;
            selector: string | null;
            /** @description when a screen last read it, to the minute */
            last_seen_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description the link, which holds the secret; only in the response that created the wall */
            url?: string;
        };
        /** Webhook */
        Webhook: {
            id: string;
            project_id: string;
            /** @description masked without `project:write`, since it may contain a secret */
            url: string;
            kinds: ("alert.opened" | "alert.acknowledged" | "alert.escalated" | "alert.resolved" | "incident.opened" | "incident.updated" | "incident.resolved" | "alert.held" | "alert.updated" | "maintenance.scheduled" | "maintenance.changed" | "maintenance.started" | "maintenance.updated" | "maintenance.ended" | "maintenance.cancelled" | "notice.opened" | "notice.closed")[];
            alert_kinds: ("down" | "degraded" | "certificate")[];
            /** @description disabled after five consecutive failed deliveries or one 410 response */
            enabled: boolean;
            /** @description consecutive failed deliveries */
            failures: number;
            /** Format: date-time */
            created_at: string;
            /** @description until then, messages are signed with the previous secret, too; null if there is none */
            previous_secret_until: string | null;
            /** @description signs the messages; returned only when the webhook is created and when its secret is rotated */
            secret?: string;
        };
    };
    responses: {
        /**
         * @description - `invalid_json`: The body is not valid JSON
         *     - `invalid_parameter`: A parameter is not valid
         *     - `invalid_cursor`: The cursor is not valid
         *     - `invalid_idempotency_key`: The Idempotency-Key is not valid
         *     - `empty_batch`: The batch is empty
         */
        Problem400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `missing_token`: A token is required
         *     - `invalid_token`: The token is not valid
         *     - `token_expired`: The token has expired
         *     - `token_revoked`: The token was revoked
         *     - `invalid_signature`: The signature is not valid
         */
        Problem401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `insufficient_scope`: The token lacks a scope
         *     - `origin_not_allowed`: The origin is not allowed
         */
        Problem403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `not_found`: Not found */
        Problem404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `method_not_allowed`: The method is not allowed here */
        Problem405: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `request_timeout`: The request took too long to arrive */
        Problem408: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `already_resolved`: Already resolved
         *     - `alert_already_promoted`: The alert has already been promoted
         *     - `alert_resolved`: The alert is resolved
         *     - `limit_reached`: The project’s quota is used up
         *     - `monitor_paused`: The monitor is paused
         *     - `name_taken`: The name is taken
         *     - `channel_in_use`: The channel is in use
         *     - `maintenance_over`: The maintenance is over
         *     - `slug_taken`: The slug is taken
         *     - `component_in_use`: The component is in use
         *     - `status_page_in_use`: The status page is in use
         *     - `delivery_not_replayable`: The delivery cannot be replayed
         *     - `count_changed`: The number of matches has changed
         *     - `idempotency_in_progress`: The first request is still running
         */
        Problem409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `changed_since`: The resource has changed since */
        Problem412: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `link_expired`: The link has expired */
        Problem410: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `payload_too_large`: The body is too large
         *     - `batch_too_large`: The batch is too large
         */
        Problem413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `unsupported_media_type`: The media type is not supported */
        Problem415: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `validation_failed`: The body is not valid
         *     - `idempotency_key_reused`: The Idempotency-Key was used for another request
         *     - `release_not_ingestible`: Releases are not accepted as events
         *     - `backtest_too_large`: The back-test is too large
         */
        Problem422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `rate_limited`: Too many requests */
        Problem429: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `headers_too_large`: The headers are too large */
        Problem431: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `internal_error`: Something went wrong on our side */
        Problem500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `unavailable`: Temporarily unavailable */
        Problem503: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "allowed_origins": [
                 *         "https://shop.example.com"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name?: string;
                    allowed_origins?: string[];
                    /** @description of alerts with one cause into one message */
                    grouping?: {
                        /**
                         * @description how long the first message waits for more alerts
                         * @default 5
                         */
                        wait_seconds?: number;
                        /**
                         * @description how long after an alert the next may join its group
                         * @default 300
                         */
                        join_seconds?: number;
                    };
                    /** @description when silence opens a notice */
                    notices?: {
                        /**
                         * @description after the last vote of a region expired; null: never
                         * @default 300
                         */
                        region_silent_after_seconds?: number | null;
                        /**
                         * @description after the last sign of life of an agent; null: never
                         * @default 300
                         */
                        agent_silent_after_seconds?: number | null;
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Token"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "CI",
                 *       "scopes": [
                 *         "monitors:write",
                 *         "releases:write"
                 *       ],
                 *       "expires_at": "2027-12-31T00:00:00Z"
                 *     }
                 */
                "application/json": {
                    name: string;
                    scopes: ("*" | "project:read" | "project:write" | "tokens:read" | "tokens:write" | "monitors:read" | "monitors:write" | "alerts:read" | "alerts:write" | "channels:read" | "channels:write" | "routes:read" | "routes:write" | "agents:read" | "agents:write" | "incidents:read" | "incidents:write" | "status-pages:read" | "status-pages:write" | "components:read" | "components:write" | "subscribers:read" | "subscribers:write" | "events:read" | "events:write" | "releases:read" | "releases:write" | "flows:read" | "flows:write" | "audit:read" | "audit:write" | "maintenances:read" | "maintenances:write" | "walls:read" | "walls:write" | "agents:operate")[];
                    /** @description not after your own token’s expiry, which is the default; null for never */
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: {
                descendants?: "revoke" | "keep";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                subject?: string;
                actor?: string;
                resource?: ("project" | "token" | "session" | "monitor" | "component" | "status_page" | "subscriber" | "alert" | "alert_group" | "incident" | "delivery" | "webhook" | "slack" | "release" | "flow" | "event" | "channel" | "route" | "maintenance" | "wall" | "region" | "agent" | "check" | "secret" | "installation" | "sending")[];
                action?: ("project.created" | "project.updated" | "project.limits_changed" | "project.quota_changed" | "project.imports_changed" | "token.created" | "token.revoked" | "session.created" | "session.refused" | "session.ended" | "monitor.created" | "monitor.restored" | "monitor.updated" | "monitor.paused" | "monitor.resumed" | "monitor.deleted" | "component.created" | "component.updated" | "component.ordered" | "component.deleted" | "status_page.created" | "status_page.updated" | "status_page.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.imported" | "subscriber.deleted" | "alert.acknowledged" | "alert_group.acknowledged" | "incident.opened" | "incident.promoted" | "incident.changed" | "incident.updated" | "incident.update_edited" | "incident.resolved" | "incident.deleted" | "delivery.replayed" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.deleted" | "slack.connected" | "slack.disconnected" | "release.created" | "release.deleted" | "flow.created" | "flow.updated" | "flow.deleted" | "event.user_erased" | "event.erased" | "channel.created" | "channel.updated" | "channel.deleted" | "route.created" | "route.updated" | "route.ordered" | "route.deleted" | "maintenance.created" | "maintenance.updated" | "maintenance.extended" | "maintenance.ended" | "maintenance.cancelled" | "maintenance.update_posted" | "maintenance.update_edited" | "maintenance.deleted" | "wall.created" | "wall.deleted" | "region.created" | "agent.created" | "agent.revoked" | "check.rebuilt" | "secret.resealed" | "installation.restored" | "sending.paused" | "sending.resumed")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                    "application/x-ndjson": {
                        data: components["schemas"]["AuditEntry"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    streamChanges: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Change"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listComponents: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                status_page_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Component"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createComponent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status_page_id": "stp_2xRmTqD6",
                 *       "name": "Checkout",
                 *       "group": "Shop",
                 *       "monitor_selector": "service=checkout, env=prod"
                 *     }
                 */
                "application/json": {
                    status_page_id: string;
                    name: string;
                    /** @default  */
                    description?: string;
                    /** @default null */
                    group?: string | null;
                    /** @default null */
                    position?: number | null;
                    /**
                     * @default operational
                     * @enum {string}
                     */
                    status?: "operational" | "degraded_performance" | "partial_outage" | "major_outage" | "under_maintenance";
                    /** @default [] */
                    monitor_ids?: string[];
                    /** @default null */
                    monitor_selector?: string | null;
                    /** @default true */
                    show_uptime?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Component"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    orderComponents: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status_page_id": "stp_2xRmTqD6",
                 *       "components": [
                 *         {
                 *           "id": "cmp_9Jq1LpVb",
                 *           "group": "Shop"
                 *         },
                 *         {
                 *           "id": "cmp_7HnUw3Zk",
                 *           "group": "Shop"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    status_page_id: string;
                    components: {
                        id: string;
                        group: string | null;
                    }[];
                };
            };
        };
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getComponent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Component"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteComponent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateComponent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that was read. If the resource has changed since, nothing is written: 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "partial_outage"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    description?: string;
                    group?: string | null;
                    position?: number;
                    /** @enum {string} */
                    status?: "operational" | "degraded_performance" | "partial_outage" | "major_outage" | "under_maintenance";
                    monitor_ids?: string[];
                    monitor_selector?: string | null;
                    show_uptime?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Component"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMonitors: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                enabled?: "true" | "false";
                selector?: string;
                kind?: "http"[];
                status?: ("up" | "degraded" | "down" | "undetermined" | "pending" | "paused")[];
                q?: string;
                include?: "summary";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Monitor"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createMonitor: {
        parameters: {
            query?: {
                dry_run?: "true" | "false";
            };
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Checkout",
                 *       "url": "https://shop.example.com/checkout",
                 *       "interval_seconds": 30,
                 *       "regions": [
                 *         "eu-west",
                 *         "us-east",
                 *         "ap-south"
                 *       ],
                 *       "quorum": 2,
                 *       "assertions": [
                 *         {
                 *           "type": "status",
                 *           "operator": "eq",
                 *           "value": 200
                 *         },
                 *         {
                 *           "type": "body_contains",
                 *           "value": "Sign in"
                 *         }
                 *       ],
                 *       "alert_policy": {
                 *         "severity": "p1",
                 *         "escalate_after_minutes": 15
                 *       },
                 *       "labels": {
                 *         "env": "prod",
                 *         "service": "checkout"
                 *       }
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description http or https, without credentials; blanks and the like in path and query are percent-encoded */
                    url: string;
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
                    interval_seconds: number;
                    /** @default null */
                    timeout_ms?: number | null;
                    regions: string[];
                    /** @default null */
                    quorum?: number | null;
                    /** @default [] */
                    assertions?: components["schemas"]["AssertionInput"][];
                    headers?: {
                        [key: string]: string;
                    };
                    /** @default null */
                    body?: string | null;
                    /** @default true */
                    follow_redirects?: boolean;
                    /**
                     * @default {
                     *       "severity": "p2",
                     *       "slack_channel": null,
                     *       "escalate_after_minutes": null
                     *     }
                     */
                    alert_policy?: components["schemas"]["AlertPolicyInput"] | null;
                    /**
                     * @default {
                     *       "confirm_seconds": 0,
                     *       "recover_seconds": 0,
                     *       "flap": null,
                     *       "degraded": null,
                     *       "certificate": {
                     *         "enabled": true,
                     *         "thresholds": null,
                     *         "in_verdict": false
                     *       }
                     *     }
                     */
                    alert_rules?: {
                        /**
                         * @description how long the monitor must be down before an alert opens
                         * @default 0
                         */
                        confirm_seconds?: number;
                        /**
                         * @description how long it must be up again before the alert resolves
                         * @default 0
                         */
                        recover_seconds?: number;
                        /**
                         * @description after this many changes to down within the window the alert stays open until the window is quiet
                         * @default null
                         */
                        flap?: {
                            changes: number;
                            window_seconds: number;
                        } | null;
                        /**
                         * @description opens an alert of kind `degraded`; null: never
                         * @default null
                         */
                        degraded?: {
                            /** @default 300 */
                            after_seconds?: number;
                            /**
                             * @default p3
                             * @enum {string}
                             */
                            severity?: "p1" | "p2" | "p3";
                        } | null;
                        /**
                         * @description opens an alert of kind `certificate`; no part of the verdict unless `in_verdict` says so
                         * @default {
                         *       "enabled": true,
                         *       "thresholds": null,
                         *       "in_verdict": false
                         *     }
                         */
                        certificate?: {
                            /** @default true */
                            enabled?: boolean;
                            /**
                             * @description null: one of p3 at 14 days, or a third of the certificate’s life if that is less
                             * @default null
                             */
                            thresholds?: {
                                days_left: number;
                                /**
                                 * @default p3
                                 * @enum {string}
                                 */
                                severity?: "p1" | "p2" | "p3";
                            }[] | null;
                            /**
                             * @description whether checks warn at the first threshold; a change makes a new `config_version`
                             * @default false
                             */
                            in_verdict?: boolean;
                        };
                    } | null;
                    /** @default [] */
                    component_ids?: string[];
                    /** @description by key; selectors find monitors by them */
                    labels?: {
                        [key: string]: string;
                    };
                    /** @default true */
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitorDryRun"];
                };
            };
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Monitor"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMonitor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Monitor"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMonitor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateMonitor: {
        parameters: {
            query?: {
                dry_run?: "true" | "false";
            };
            header?: {
                /** @description The `updated_at` that was read. If the resource has changed since, nothing is written: 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "interval_seconds": 60,
                 *       "assertions": [
                 *         {
                 *           "type": "status",
                 *           "operator": "eq",
                 *           "value": 200
                 *         },
                 *         {
                 *           "type": "body_contains",
                 *           "value": "Sign in"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    name?: string;
                    /** @description http or https, without credentials; blanks and the like in path and query are percent-encoded */
                    url?: string;
                    /** @enum {string} */
                    method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
                    interval_seconds?: number;
                    timeout_ms?: number | null;
                    regions?: string[];
                    quorum?: number | null;
                    assertions?: components["schemas"]["AssertionInput"][];
                    headers?: {
                        [key: string]: string;
                    };
                    body?: string | null;
                    follow_redirects?: boolean;
                    alert_policy?: components["schemas"]["AlertPolicyInput"] | null;
                    alert_rules?: {
                        /**
                         * @description how long the monitor must be down before an alert opens
                         * @default 0
                         */
                        confirm_seconds?: number;
                        /**
                         * @description how long it must be up again before the alert resolves
                         * @default 0
                         */
                        recover_seconds?: number;
                        /**
                         * @description after this many changes to down within the window the alert stays open until the window is quiet
                         * @default null
                         */
                        flap?: {
                            changes: number;
                            window_seconds: number;
                        } | null;
                        /**
                         * @description opens an alert of kind `degraded`; null: never
                         * @default null
                         */
                        degraded?: {
                            /** @default 300 */
                            after_seconds?: number;
                            /**
                             * @default p3
                             * @enum {string}
                             */
                            severity?: "p1" | "p2" | "p3";
                        } | null;
                        /**
                         * @description opens an alert of kind `certificate`; no part of the verdict unless `in_verdict` says so
                         * @default {
                         *       "enabled": true,
                         *       "thresholds": null,
                         *       "in_verdict": false
                         *     }
                         */
                        certificate?: {
                            /** @default true */
                            enabled?: boolean;
                            /**
                             * @description null: one of p3 at 14 days, or a third of the certificate’s life if that is less
                             * @default null
                             */
                            thresholds?: {
                                days_left: number;
                                /**
                                 * @default p3
                                 * @enum {string}
                                 */
                                severity?: "p1" | "p2" | "p3";
                            }[] | null;
                            /**
                             * @description whether checks warn at the first threshold; a change makes a new `config_version`
                             * @default false
                             */
                            in_verdict?: boolean;
                        };
                    } | null;
                    component_ids?: string[];
                    /** @description by key; selectors find monitors by them */
                    labels?: {
                        [key: string]: string;
                    };
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Monitor"] | components["schemas"]["MonitorDryRun"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseMonitor: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Monitor"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeMonitor: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Monitor"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMonitorVersions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["MonitorChange"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLabels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            key: string;
                            /** @description how many monitors have it */
                            monitors: number;
                            values: {
                                value: string;
                                /** @description how many monitors have it */
                                monitors: number;
                            }[];
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    bulkChangeMonitors: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "selector": "env=staging",
                 *       "action": "patch",
                 *       "patch": {
                 *         "interval_seconds": 300
                 *       },
                 *       "expected_count": 24
                 *     }
                 */
                "application/json": {
                    /** @description a selector of labels, such as `env=prod, team in (web, api), !legacy`; `*` matches everything */
                    selector?: string;
                    ids?: string[];
                    /** @enum {string} */
                    action: "pause" | "resume" | "delete" | "add_labels" | "remove_labels" | "patch" | "check_now";
                    /** @description for `add_labels` an object, for `remove_labels` an array of keys */
                    labels?: {
                        [key: string]: string;
                    } | string[];
                    /** @description for `patch`: what PATCH of a monitor takes, except `name` and `url` */
                    patch?: {
                        /** @enum {string} */
                        method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
                        interval_seconds?: number;
                        timeout_ms?: number | null;
                        regions?: string[];
                        quorum?: number | null;
                        assertions?: components["schemas"]["AssertionInput"][];
                        headers?: {
                            [key: string]: string;
                        };
                        body?: string | null;
                        follow_redirects?: boolean;
                        alert_policy?: components["schemas"]["AlertPolicyInput"] | null;
                        alert_rules?: {
                            /**
                             * @description how long the monitor must be down before an alert opens
                             * @default 0
                             */
                            confirm_seconds?: number;
                            /**
                             * @description how long it must be up again before the alert resolves
                             * @default 0
                             */
                            recover_seconds?: number;
                            /**
                             * @description after this many changes to down within the window the alert stays open until the window is quiet
                             * @default null
                             */
                            flap?: {
                                changes: number;
                                window_seconds: number;
                            } | null;
                            /**
                             * @description opens an alert of kind `degraded`; null: never
                             * @default null
                             */
                            degraded?: {
                                /** @default 300 */
                                after_seconds?: number;
                                /**
                                 * @default p3
                                 * @enum {string}
                                 */
                                severity?: "p1" | "p2" | "p3";
                            } | null;
                            /**
                             * @description opens an alert of kind `certificate`; no part of the verdict unless `in_verdict` says so
                             * @default {
                             *       "enabled": true,
                             *       "thresholds": null,
                             *       "in_verdict": false
                             *     }
                             */
                            certificate?: {
                                /** @default true */
                                enabled?: boolean;
                                /**
                                 * @description null: one of p3 at 14 days, or a third of the certificate’s life if that is less
                                 * @default null
                                 */
                                thresholds?: {
                                    days_left: number;
                                    /**
                                     * @default p3
                                     * @enum {string}
                                     */
                                    severity?: "p1" | "p2" | "p3";
                                }[] | null;
                                /**
                                 * @description whether checks warn at the first threshold; a change makes a new `config_version`
                                 * @default false
                                 */
                                in_verdict?: boolean;
                            };
                        } | null;
                        component_ids?: string[];
                        /** @description by key; selectors find monitors by them */
                        labels?: {
                            [key: string]: string;
                        };
                        enabled?: boolean;
                    };
                    /** @description how many monitors match the selector, as a dry run says; required with a selector */
                    expected_count?: number;
                    /**
                     * @description only say what the call would do
                     * @default false
                     */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        matched: number;
                        changed: number;
                        unchanged: number;
                        failed: number;
                        dry_run: boolean;
                        /** @description in the order of their IDs */
                        items: {
                            id: string;
                            /** @description null if the project has no such monitor */
                            name: string | null;
                            /** @enum {string} */
                            outcome: "changed" | "unchanged" | "failed";
                            /** @description what the single call would answer */
                            problem?: {
                                [key: string]: unknown;
                            };
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testMonitor: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://shop.example.com/checkout",
                 *       "interval_seconds": 30,
                 *       "regions": [
                 *         "eu-west",
                 *         "us-east"
                 *       ],
                 *       "headers": {
                 *         "Authorization": "********"
                 *       },
                 *       "monitor_id": "mon_01jx5t9c3fzq8w2k6n7v4b1hme",
                 *       "assertions": [
                 *         {
                 *           "type": "status",
                 *           "operator": "eq",
                 *           "value": 200
                 *         },
                 *         {
                 *           "type": "body_contains",
                 *           "value": "Sign in"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description http or https, without credentials; blanks and the like in path and query are percent-encoded */
                    url: string;
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
                    interval_seconds: number;
                    /** @default null */
                    timeout_ms?: number | null;
                    regions: string[];
                    /** @default null */
                    quorum?: number | null;
                    /** @default [] */
                    assertions?: components["schemas"]["AssertionInput"][];
                    headers?: {
                        [key: string]: string;
                    };
                    /** @default null */
                    body?: string | null;
                    /** @default true */
                    follow_redirects?: boolean;
                    /**
                     * @default {
                     *       "severity": "p2",
                     *       "slack_channel": null,
                     *       "escalate_after_minutes": null
                     *     }
                     */
                    alert_policy?: components["schemas"]["AlertPolicyInput"] | null;
                    /**
                     * @default {
                     *       "confirm_seconds": 0,
                     *       "recover_seconds": 0,
                     *       "flap": null,
                     *       "degraded": null,
                     *       "certificate": {
                     *         "enabled": true,
                     *         "thresholds": null,
                     *         "in_verdict": false
                     *       }
                     *     }
                     */
                    alert_rules?: {
                        /**
                         * @description how long the monitor must be down before an alert opens
                         * @default 0
                         */
                        confirm_seconds?: number;
                        /**
                         * @description how long it must be up again before the alert resolves
                         * @default 0
                         */
                        recover_seconds?: number;
                        /**
                         * @description after this many changes to down within the window the alert stays open until the window is quiet
                         * @default null
                         */
                        flap?: {
                            changes: number;
                            window_seconds: number;
                        } | null;
                        /**
                         * @description opens an alert of kind `degraded`; null: never
                         * @default null
                         */
                        degraded?: {
                            /** @default 300 */
                            after_seconds?: number;
                            /**
                             * @default p3
                             * @enum {string}
                             */
                            severity?: "p1" | "p2" | "p3";
                        } | null;
                        /**
                         * @description opens an alert of kind `certificate`; no part of the verdict unless `in_verdict` says so
                         * @default {
                         *       "enabled": true,
                         *       "thresholds": null,
                         *       "in_verdict": false
                         *     }
                         */
                        certificate?: {
                            /** @default true */
                            enabled?: boolean;
                            /**
                             * @description null: one of p3 at 14 days, or a third of the certificate’s life if that is less
                             * @default null
                             */
                            thresholds?: {
                                days_left: number;
                                /**
                                 * @default p3
                                 * @enum {string}
                                 */
                                severity?: "p1" | "p2" | "p3";
                            }[] | null;
                            /**
                             * @description whether checks warn at the first threshold; a change makes a new `config_version`
                             * @default false
                             */
                            in_verdict?: boolean;
                        };
                    } | null;
                    /** @default [] */
                    component_ids?: string[];
                    /** @description by key; selectors find monitors by them */
                    labels?: {
                        [key: string]: string;
                    };
                    /** @default true */
                    enabled?: boolean;
                    /** @description the monitor whose header values and body stand for those that are `"********"` */
                    monitor_id?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitorTest"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    checkMonitorNow: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "regions": [
                 *         "eu-west"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description of the monitor; all of them by default */
                    regions?: string[];
                };
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description `scheduled_at` of the checks */
                        at: string;
                        /** @description regions that were asked */
                        regions: string[];
                        unable_regions: {
                            region: string;
                            /**
                             * @description no agent is online there, or none can do all that the monitor needs
                             * @enum {string}
                             */
                            reason: "no_agent" | "no_able_agent";
                            /** @description what the agent that comes closest cannot do */
                            missing: string[];
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMonitorChecks: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                at?: string;
                region?: string;
                kind?: "scheduled" | "confirm";
                status?: "ok" | "warn" | "err";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CheckResult"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMonitorVerdicts: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                verdict?: ("up" | "degraded" | "down" | "undetermined" | "pending" | "paused" | "deleted")[];
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["VerdictRow"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMonitorUptime: {
        parameters: {
            query?: {
                granularity?: "day" | "hour";
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Uptime"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMonitorMetrics: {
        parameters: {
            query?: {
                selector?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/openmetrics-text": string;
                    "text/plain": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                state?: ("open" | "acknowledged" | "resolved")[];
                severity?: ("p1" | "p2" | "p3")[];
                monitor_id?: string;
                kind?: ("down" | "degraded" | "certificate")[];
                held?: "true" | "false";
                group_id?: string;
                selector?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Alert"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAlertExplanation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertExplanation"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acknowledgeAlert: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    backtestMonitor: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "changes": {
                 *         "quorum": 1,
                 *         "alert_rules": {
                 *           "confirm_seconds": 60
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description fields of the monitor, as in a PATCH */
                    changes?: {
                        name?: string;
                        /** @description http or https, without credentials; blanks and the like in path and query are percent-encoded */
                        url?: string;
                        /** @enum {string} */
                        method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
                        interval_seconds?: number;
                        timeout_ms?: number | null;
                        regions?: string[];
                        quorum?: number | null;
                        assertions?: components["schemas"]["AssertionInput"][];
                        headers?: {
                            [key: string]: string;
                        };
                        body?: string | null;
                        follow_redirects?: boolean;
                        alert_policy?: components["schemas"]["AlertPolicyInput"] | null;
                        alert_rules?: {
                            /**
                             * @description how long the monitor must be down before an alert opens
                             * @default 0
                             */
                            confirm_seconds?: number;
                            /**
                             * @description how long it must be up again before the alert resolves
                             * @default 0
                             */
                            recover_seconds?: number;
                            /**
                             * @description after this many changes to down within the window the alert stays open until the window is quiet
                             * @default null
                             */
                            flap?: {
                                changes: number;
                                window_seconds: number;
                            } | null;
                            /**
                             * @description opens an alert of kind `degraded`; null: never
                             * @default null
                             */
                            degraded?: {
                                /** @default 300 */
                                after_seconds?: number;
                                /**
                                 * @default p3
                                 * @enum {string}
                                 */
                                severity?: "p1" | "p2" | "p3";
                            } | null;
                            /**
                             * @description opens an alert of kind `certificate`; no part of the verdict unless `in_verdict` says so
                             * @default {
                             *       "enabled": true,
                             *       "thresholds": null,
                             *       "in_verdict": false
                             *     }
                             */
                            certificate?: {
                                /** @default true */
                                enabled?: boolean;
                                /**
                                 * @description null: one of p3 at 14 days, or a third of the certificate’s life if that is less
                                 * @default null
                                 */
                                thresholds?: {
                                    days_left: number;
                                    /**
                                     * @default p3
                                     * @enum {string}
                                     */
                                    severity?: "p1" | "p2" | "p3";
                                }[] | null;
                                /**
                                 * @description whether checks warn at the first threshold; a change makes a new `config_version`
                                 * @default false
                                 */
                                in_verdict?: boolean;
                            };
                        } | null;
                        component_ids?: string[];
                        /** @description by key; selectors find monitors by them */
                        labels?: {
                            [key: string]: string;
                        };
                        enabled?: boolean;
                    };
                    /**
                     * Format: date-time
                     * @description 7 days before `to` by default, at most 29
                     */
                    from?: string;
                    /**
                     * Format: date-time
                     * @description now by default
                     */
                    to?: string;
                    /**
                     * @description leave out the changes that cannot be replayed
                     * @default false
                     */
                    partial?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backtest"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAlertGroups: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                state?: ("open" | "acknowledged" | "resolved" | "cancelled")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AlertGroup"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAlertGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertGroup"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acknowledgeAlertGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertGroup"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listNotices: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                kind?: ("region.silent" | "region.quarantined" | "agent.silent" | "monitor.unable" | "channel.failing" | "work.failing" | "email.failing")[];
                state?: ("open" | "closed")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Notice"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRoutes: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Route"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Production",
                 *       "match": {
                 *         "selector": "env=prod"
                 *       },
                 *       "steps": [
                 *         {
                 *           "after_minutes": 0,
                 *           "channel_ids": [
                 *             "chn_5WqKb8Rj"
                 *           ]
                 *         },
                 *         {
                 *           "after_minutes": 15,
                 *           "channel_ids": [
                 *             "chn_9TmXc2Vd"
                 *           ]
                 *         }
                 *       ],
                 *       "remind_every_minutes": 30,
                 *       "quiet_hours": {
                 *         "timezone": "Europe/Berlin",
                 *         "days": [
                 *           "sa",
                 *           "su"
                 *         ],
                 *         "from": "22:00",
                 *         "to": "08:00"
                 *       }
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @default true */
                    enabled?: boolean;
                    /**
                     * @default {
                     *       "selector": null,
                     *       "severities": [],
                     *       "kinds": [],
                     *       "notices": []
                     *     }
                     */
                    match?: {
                        /**
                         * @description of the alert’s labels; null: any
                         * @default null
                         */
                        selector?: string | null;
                        /**
                         * @description empty: any
                         * @default []
                         */
                        severities?: ("p1" | "p2" | "p3")[];
                        /**
                         * @description empty: any
                         * @default []
                         */
                        kinds?: ("down" | "degraded" | "certificate")[];
                        /**
                         * @description empty: none; a route with a selector gets none
                         * @default []
                         */
                        notices?: ("region.silent" | "region.quarantined" | "agent.silent" | "monitor.unable" | "channel.failing" | "work.failing" | "email.failing")[];
                    };
                    /**
                     * @description whether later routes are evaluated as well
                     * @default false
                     */
                    continue?: boolean;
                    steps: {
                        after_minutes: number;
                        channel_ids: string[];
                    }[];
                    /** @default null */
                    remind_every_minutes?: number | null;
                    /** @default null */
                    quiet_hours?: {
                        timezone: string;
                        /**
                         * @default [
                         *       "mo",
                         *       "tu",
                         *       "we",
                         *       "th",
                         *       "fr",
                         *       "sa",
                         *       "su"
                         *     ]
                         */
                        days?: ("mo" | "tu" | "we" | "th" | "fr" | "sa" | "su")[];
                        from: string;
                        /** @description the same as `from` is the whole day */
                        to: string;
                        /**
                         * @default [
                         *       "p1"
                         *     ]
                         */
                        except_severities?: ("p1" | "p2" | "p3")[];
                    } | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Route"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    orderRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         "rte_3FhLs6Yn",
                 *         "rte_8ZkPd1Wg"
                 *       ]
                 *     }
                 */
                "application/json": {
                    ids: string[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Route"][];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    matchRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "labels": {
                 *         "env": "prod"
                 *       },
                 *       "severity": "p1"
                 *     }
                 */
                "application/json": {
                    labels?: {
                        [key: string]: string;
                    };
                    /** @description instead of labels */
                    monitor_id?: string;
                    /**
                     * @default down
                     * @enum {string}
                     */
                    kind?: "down" | "degraded" | "certificate";
                    /**
                     * @default p2
                     * @enum {string}
                     */
                    severity?: "p1" | "p2" | "p3";
                    /**
                     * Format: date-time
                     * @description when people are notified of the alert; now by default
                     */
                    at?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouteMatch"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRoute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Route"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteRoute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that was read. If the resource has changed since, nothing is written: 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/json": {
                    name?: string;
                    enabled?: boolean;
                    match?: {
                        /**
                         * @description of the alert’s labels; null: any
                         * @default null
                         */
                        selector?: string | null;
                        /**
                         * @description empty: any
                         * @default []
                         */
                        severities?: ("p1" | "p2" | "p3")[];
                        /**
                         * @description empty: any
                         * @default []
                         */
                        kinds?: ("down" | "degraded" | "certificate")[];
                        /**
                         * @description empty: none; a route with a selector gets none
                         * @default []
                         */
                        notices?: ("region.silent" | "region.quarantined" | "agent.silent" | "monitor.unable" | "channel.failing" | "work.failing" | "email.failing")[];
                    };
                    /** @description whether later routes are evaluated as well */
                    continue?: boolean;
                    steps?: {
                        after_minutes: number;
                        channel_ids: string[];
                    }[];
                    remind_every_minutes?: number | null;
                    quiet_hours?: {
                        timezone: string;
                        /**
                         * @default [
                         *       "mo",
                         *       "tu",
                         *       "we",
                         *       "th",
                         *       "fr",
                         *       "sa",
                         *       "su"
                         *     ]
                         */
                        days?: ("mo" | "tu" | "we" | "th" | "fr" | "sa" | "su")[];
                        from: string;
                        /** @description the same as `from` is the whole day */
                        to: string;
                        /**
                         * @default [
                         *       "p1"
                         *     ]
                         */
                        except_severities?: ("p1" | "p2" | "p3")[];
                    } | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Route"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listChannels: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Channel"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "On call",
                 *       "type": "slack",
                 *       "config": {
                 *         "channel": "#alerts"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @constant */
                    type: "email";
                    name: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @default full
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    /** @default true */
                    enabled?: boolean;
                    config: {
                        /** @description each address is asked to confirm once */
                        to: string[];
                    };
                } | {
                    /** @constant */
                    type: "slack";
                    name: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @default full
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    /** @default true */
                    enabled?: boolean;
                    config: {
                        /**
                         * @description a channel that the project’s bot posts to
                         * @default null
                         */
                        channel?: string | null;
                        /** @description an incoming webhook, instead of the bot */
                        webhook_url?: (string | "********") | null;
                    };
                } | {
                    /** @constant */
                    type: "webhook";
                    name: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @default full
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    /** @default true */
                    enabled?: boolean;
                    config: {
                        url: string | "********";
                    };
                } | {
                    /** @constant */
                    type: "pagerduty";
                    name: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @default full
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    /** @default true */
                    enabled?: boolean;
                    config: {
                        /** @description the integration key of an Events API v2 integration */
                        routing_key: string | "********";
                        /**
                         * @default us
                         * @enum {string}
                         */
                        region?: "us" | "eu";
                        /**
                         * @description of a V3 webhook subscription that acknowledges alerts here
                         * @default null
                         */
                        webhook_secret?: (string | "********") | null;
                    };
                } | {
                    /** @constant */
                    type: "opsgenie";
                    name: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @default full
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    /** @default true */
                    enabled?: boolean;
                    config: {
                        api_key: string | "********";
                        /**
                         * @description `jsm`: Jira Service Management, the successor of Opsgenie
                         * @default us
                         * @enum {string}
                         */
                        site?: "us" | "eu" | "jsm";
                    };
                } | {
                    /** @constant */
                    type: "teams";
                    name: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @default full
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    /** @default true */
                    enabled?: boolean;
                    config: {
                        /** @description of a workflow that posts to a channel when a webhook request is received */
                        url: string | "********";
                    };
                } | {
                    /** @constant */
                    type: "discord";
                    name: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @default full
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    /** @default true */
                    enabled?: boolean;
                    config: {
                        url: string | "********";
                        /** @default null */
                        thread_id?: string | null;
                    };
                } | {
                    /** @constant */
                    type: "telegram";
                    name: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @default full
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    /** @default true */
                    enabled?: boolean;
                    config: {
                        bot_token: string | "********";
                        chat_id: string;
                        /** @default null */
                        topic_id?: number | null;
                    };
                } | {
                    /** @constant */
                    type: "ntfy";
                    name: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @default brief
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    /** @default true */
                    enabled?: boolean;
                    config: {
                        /** @description http or https, without credentials */
                        server?: string;
                        topic: string | "********";
                        /** @default null */
                        token?: (string | "********") | null;
                    };
                } | {
                    /** @constant */
                    type: "google_chat";
                    name: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @default full
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    /** @default true */
                    enabled?: boolean;
                    config: {
                        url: string | "********";
                    };
                } | {
                    /** @constant */
                    type: "apprise";
                    name: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @default full
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    /** @default true */
                    enabled?: boolean;
                    config: {
                        /** @description of Apprise API, such as https://apprise.example.com/notify/key */
                        url: string | "********";
                        /** @default null */
                        tag?: string | null;
                    };
                } | {
                    /** @constant */
                    type: "http";
                    name: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @default full
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    /** @default true */
                    enabled?: boolean;
                    config: {
                        url: string | "********";
                        /**
                         * @default POST
                         * @enum {string}
                         */
                        method?: "POST" | "PUT";
                        /** @default {} */
                        headers?: {
                            [key: string]: string;
                        };
                        /** @default application/json */
                        content_type?: string;
                        /** @description `{{path}}` is replaced by a value, escaped for `content_type` */
                        template: string;
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that was read. If the resource has changed since, nothing is written: 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "detail": "brief"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    /**
                     * @description `brief`: only names, counts, times, the kind of failure and the status code
                     * @enum {string}
                     */
                    detail?: "full" | "brief";
                    enabled?: boolean;
                    config?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testChannelDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "email",
                 *       "config": {
                 *         "to": [
                 *           "ada@example.com"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @constant */
                    type: "email";
                    config: {
                        /** @description each address is asked to confirm once */
                        to: string[];
                    };
                    /** @description a channel of the type, whose stored secrets stand for masked ones */
                    channel_id?: string;
                } | {
                    /** @constant */
                    type: "slack";
                    config: {
                        /**
                         * @description a channel that the project’s bot posts to
                         * @default null
                         */
                        channel?: string | null;
                        /** @description an incoming webhook, instead of the bot */
                        webhook_url?: (string | "********") | null;
                    };
                    /** @description a channel of the type, whose stored secrets stand for masked ones */
                    channel_id?: string;
                } | {
                    /** @constant */
                    type: "webhook";
                    config: {
                        url: string | "********";
                    };
                    /** @description a channel of the type, whose stored secrets stand for masked ones */
                    channel_id?: string;
                } | {
                    /** @constant */
                    type: "pagerduty";
                    config: {
                        /** @description the integration key of an Events API v2 integration */
                        routing_key: string | "********";
                        /**
                         * @default us
                         * @enum {string}
                         */
                        region?: "us" | "eu";
                        /**
                         * @description of a V3 webhook subscription that acknowledges alerts here
                         * @default null
                         */
                        webhook_secret?: (string | "********") | null;
                    };
                    /** @description a channel of the type, whose stored secrets stand for masked ones */
                    channel_id?: string;
                } | {
                    /** @constant */
                    type: "opsgenie";
                    config: {
                        api_key: string | "********";
                        /**
                         * @description `jsm`: Jira Service Management, the successor of Opsgenie
                         * @default us
                         * @enum {string}
                         */
                        site?: "us" | "eu" | "jsm";
                    };
                    /** @description a channel of the type, whose stored secrets stand for masked ones */
                    channel_id?: string;
                } | {
                    /** @constant */
                    type: "teams";
                    config: {
                        /** @description of a workflow that posts to a channel when a webhook request is received */
                        url: string | "********";
                    };
                    /** @description a channel of the type, whose stored secrets stand for masked ones */
                    channel_id?: string;
                } | {
                    /** @constant */
                    type: "discord";
                    config: {
                        url: string | "********";
                        /** @default null */
                        thread_id?: string | null;
                    };
                    /** @description a channel of the type, whose stored secrets stand for masked ones */
                    channel_id?: string;
                } | {
                    /** @constant */
                    type: "telegram";
                    config: {
                        bot_token: string | "********";
                        chat_id: string;
                        /** @default null */
                        topic_id?: number | null;
                    };
                    /** @description a channel of the type, whose stored secrets stand for masked ones */
                    channel_id?: string;
                } | {
                    /** @constant */
                    type: "ntfy";
                    config: {
                        /** @description http or https, without credentials */
                        server?: string;
                        topic: string | "********";
                        /** @default null */
                        token?: (string | "********") | null;
                    };
                    /** @description a channel of the type, whose stored secrets stand for masked ones */
                    channel_id?: string;
                } | {
                    /** @constant */
                    type: "google_chat";
                    config: {
                        url: string | "********";
                    };
                    /** @description a channel of the type, whose stored secrets stand for masked ones */
                    channel_id?: string;
                } | {
                    /** @constant */
                    type: "apprise";
                    config: {
                        /** @description of Apprise API, such as https://apprise.example.com/notify/key */
                        url: string | "********";
                        /** @default null */
                        tag?: string | null;
                    };
                    /** @description a channel of the type, whose stored secrets stand for masked ones */
                    channel_id?: string;
                } | {
                    /** @constant */
                    type: "http";
                    config: {
                        url: string | "********";
                        /**
                         * @default POST
                         * @enum {string}
                         */
                        method?: "POST" | "PUT";
                        /** @default {} */
                        headers?: {
                            [key: string]: string;
                        };
                        /** @default application/json */
                        content_type?: string;
                        /** @description `{{path}}` is replaced by a value, escaped for `content_type` */
                        template: string;
                    };
                    /** @description a channel of the type, whose stored secrets stand for masked ones */
                    channel_id?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelTest"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelTest"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIncidents: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                state?: ("investigating" | "identified" | "monitoring" | "resolved")[];
                severity?: ("p1" | "p2" | "p3")[];
                status_page_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Incident"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createIncident: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Payments fail",
                 *       "severity": "p1",
                 *       "impact": "major",
                 *       "status_page_id": "stp_2xRmTqD6",
                 *       "affected_components": [
                 *         "cmp_7HnUw3Zk"
                 *       ],
                 *       "initial_update": {
                 *         "state": "investigating",
                 *         "body": "Card payments fail. We are looking into it."
                 *       }
                 *     }
                 */
                "application/json": {
                    title: string;
                    /** @enum {string} */
                    severity: "p1" | "p2" | "p3";
                    /** @default null */
                    impact?: ("none" | "degraded" | "partial" | "major") | null;
                    /** @default [] */
                    affected_components?: string[];
                    started_at?: string | null;
                    status_page_id: string;
                    /** @description of an incident that is over: its end, at which `initial_update`, whose state is `resolved`, is dated */
                    resolved_at?: string | null;
                    /** @default null */
                    initial_update?: {
                        /** @enum {string} */
                        state: "investigating" | "identified" | "monitoring" | "resolved";
                        /** @description Markdown */
                        body: string;
                    } | null;
                    /**
                     * @description false: no subscriber, webhook or feed hears of the creation and of `initial_update`
                     * @default true
                     */
                    notify?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getIncident: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteIncident: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateIncident: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that was read. If the resource has changed since, nothing is written: 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Card payments fail",
                 *       "impact": "partial"
                 *     }
                 */
                "application/json": {
                    title?: string;
                    /** @enum {string} */
                    severity?: "p1" | "p2" | "p3";
                    /** @enum {string} */
                    impact?: "none" | "degraded" | "partial" | "major";
                    affected_components?: string[];
                    /** Format: date-time */
                    started_at?: string;
                    postmortem_url?: string | null;
                    /** @description Markdown, hosted on the incident’s page */
                    postmortem_body?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createIncidentUpdate: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "state": "identified",
                 *       "body": "Our payment provider is down. We are switching to another one."
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    state: "investigating" | "identified" | "monitoring" | "resolved";
                    /** @description Markdown */
                    body: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateIncidentUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                update_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "Our payment provider is down. We have switched to another one."
                 *     }
                 */
                "application/json": {
                    /** @description Markdown */
                    body: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resolveIncident: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "Payments work again."
                 *     }
                 */
                "application/json": {
                    /** @description Markdown */
                    body: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIncidentAudit: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAlertPromotion: {
        parameters: {
            query?: {
                severity?: "p1" | "p2" | "p3";
                status_page_id?: string;
            };
            header?: never;
            path: {
                alert_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Promotion"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    promoteAlert: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                alert_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "severity": "p1",
                 *       "status_page_id": "stp_2xRmTqD6"
                 *     }
                 */
                "application/json": {
                    /** @default null */
                    severity?: ("p1" | "p2" | "p3") | null;
                    /** @default null */
                    status_page_id?: string | null;
                    /** @default null */
                    title?: string | null;
                    /** @default null */
                    impact?: ("none" | "degraded" | "partial" | "major") | null;
                    /**
                     * @description Markdown of the first update
                     * @default null
                     */
                    body?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getIncidentImpact: {
        parameters: {
            query?: {
                errors?: string;
                environment?: string;
                lookback_minutes?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Impact"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compareRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseComparison"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMaintenances: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                state?: ("scheduled" | "in_progress" | "completed" | "cancelled")[];
                monitor_id?: string;
                status_page_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Maintenance"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createMaintenance: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Database upgrade",
                 *       "description": "The shop is read-only.",
                 *       "scope": {
                 *         "component_ids": [
                 *           "cmp_7HnUw3Zk"
                 *         ]
                 *       },
                 *       "schedule": {
                 *         "start": "2026-12-06T02:00:00",
                 *         "timezone": "Europe/Berlin",
                 *         "duration_seconds": 3600,
                 *         "rrule": "FREQ=MONTHLY;BYDAY=1SU"
                 *       },
                 *       "announced": true
                 *     }
                 */
                "application/json": {
                    title: string;
                    /**
                     * @description Markdown
                     * @default
                     */
                    description?: string;
                    /** @description what is in maintenance: all of these together; components and pages bring their monitors */
                    scope: {
                        /** @default [] */
                        monitor_ids?: string[];
                        /** @default null */
                        selector?: string | null;
                        /** @default [] */
                        component_ids?: string[];
                        /** @default [] */
                        status_page_ids?: string[];
                    };
                    starts_at?: string | null;
                    ends_at?: string | null;
                    /**
                     * @description of a recurring maintenance, instead of `starts_at` and `ends_at`
                     * @default null
                     */
                    schedule?: components["schemas"]["MaintenanceScheduleInput"] | null;
                    /**
                     * @description `hold`: nobody is notified of alerts while it lasts
                     * @default hold
                     * @enum {string}
                     */
                    alerts?: "hold" | "send";
                    /** @default true */
                    exclude_from_uptime?: boolean;
                    /**
                     * @description an alert still open this long after the end is sent
                     * @default 60
                     */
                    settle_seconds?: number;
                    /**
                     * @description whether status pages show it
                     * @default false
                     */
                    announced?: boolean;
                    /** @default 72 */
                    announce_before_hours?: number;
                    /** @default null */
                    notify?: ("announced" | "started" | "updates" | "completed")[] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Maintenance"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewMaintenance: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Database upgrade",
                 *       "description": "The shop is read-only.",
                 *       "scope": {
                 *         "component_ids": [
                 *           "cmp_7HnUw3Zk"
                 *         ]
                 *       },
                 *       "schedule": {
                 *         "start": "2026-12-06T02:00:00",
                 *         "timezone": "Europe/Berlin",
                 *         "duration_seconds": 3600,
                 *         "rrule": "FREQ=MONTHLY;BYDAY=1SU"
                 *       },
                 *       "announced": true
                 *     }
                 */
                "application/json": {
                    title: string;
                    /**
                     * @description Markdown
                     * @default
                     */
                    description?: string;
                    /** @description what is in maintenance: all of these together; components and pages bring their monitors */
                    scope: {
                        /** @default [] */
                        monitor_ids?: string[];
                        /** @default null */
                        selector?: string | null;
                        /** @default [] */
                        component_ids?: string[];
                        /** @default [] */
                        status_page_ids?: string[];
                    };
                    starts_at?: string | null;
                    ends_at?: string | null;
                    /**
                     * @description of a recurring maintenance, instead of `starts_at` and `ends_at`
                     * @default null
                     */
                    schedule?: components["schemas"]["MaintenanceScheduleInput"] | null;
                    /**
                     * @description `hold`: nobody is notified of alerts while it lasts
                     * @default hold
                     * @enum {string}
                     */
                    alerts?: "hold" | "send";
                    /** @default true */
                    exclude_from_uptime?: boolean;
                    /**
                     * @description an alert still open this long after the end is sent
                     * @default 60
                     */
                    settle_seconds?: number;
                    /**
                     * @description whether status pages show it
                     * @default false
                     */
                    announced?: boolean;
                    /** @default 72 */
                    announce_before_hours?: number;
                    /** @default null */
                    notify?: ("announced" | "started" | "updates" | "completed")[] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenancePreview"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMaintenance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Maintenance"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMaintenance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateMaintenance: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that was read. If the resource has changed since, nothing is written: 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Database upgrade, second part"
                 *     }
                 */
                "application/json": {
                    title?: string;
                    /** @description Markdown */
                    description?: string;
                    /** @description what is in maintenance: all of these together; components and pages bring their monitors */
                    scope?: {
                        /** @default [] */
                        monitor_ids?: string[];
                        /** @default null */
                        selector?: string | null;
                        /** @default [] */
                        component_ids?: string[];
                        /** @default [] */
                        status_page_ids?: string[];
                    };
                    starts_at?: string | null;
                    ends_at?: string | null;
                    /** @description of a recurring maintenance, instead of `starts_at` and `ends_at` */
                    schedule?: components["schemas"]["MaintenanceScheduleInput"] | null;
                    /**
                     * @description `hold`: nobody is notified of alerts while it lasts
                     * @enum {string}
                     */
                    alerts?: "hold" | "send";
                    exclude_from_uptime?: boolean;
                    /** @description an alert still open this long after the end is sent */
                    settle_seconds?: number;
                    /** @description whether status pages show it */
                    announced?: boolean;
                    announce_before_hours?: number;
                    /** @description what subscribers of the pages are notified of */
                    notify?: ("announced" | "started" | "updates" | "completed")[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Maintenance"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMaintenanceOccurrences: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["MaintenanceOccurrence"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    extendMaintenance: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ends_at": "2026-12-06T03:00:00Z"
                 *     }
                 */
                "application/json": {
                    /** Format: date-time */
                    ends_at: string;
                    occurrence_id?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Maintenance"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endMaintenance: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    occurrence_id?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Maintenance"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelMaintenance: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    occurrence_id?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Maintenance"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createMaintenanceUpdate: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "state": "verifying",
                 *       "body": "The upgrade is done. We are checking the result."
                 *     }
                 */
                "application/json": {
                    /**
                     * @description `completed` ends the maintenance; by default the current state
                     * @enum {string}
                     */
                    state?: "scheduled" | "in_progress" | "verifying" | "completed";
                    /** @description Markdown */
                    body: string;
                    occurrence_id?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Maintenance"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateMaintenanceUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                update_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "The upgrade is done. We have checked the result."
                 *     }
                 */
                "application/json": {
                    /** @description Markdown */
                    body: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Maintenance"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPlannedOccurrences: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PlannedOccurrence"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listStatusPages: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StatusPage"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createStatusPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example Shop",
                 *       "slug": "example-shop",
                 *       "timezone": "Europe/Berlin",
                 *       "theme": "auto"
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @default null */
                    slug?: string | null;
                    /** @default  */
                    description?: string;
                    /** @default UTC */
                    timezone?: string;
                    /**
                     * @description language of all fixed words, numbers and dates of the page and its feeds
                     * @default en
                     * @enum {string}
                     */
                    locale?: "en" | "de" | "fr";
                    /**
                     * @default auto
                     * @enum {string}
                     */
                    theme?: "auto" | "light" | "dark";
                    /** @default 90 */
                    history_days?: number;
                    /**
                     * @description colour of buttons and links, adjusted so that text stays readable in both themes
                     * @default null
                     */
                    color?: string | null;
                    /**
                     * @description target of the link on the name and the logo; null: the page itself
                     * @default null
                     */
                    home_url?: string | null;
                    /**
                     * @description where visitors get help; every page links to it
                     * @default null
                     */
                    support_url?: string | null;
                    /**
                     * @description PNG, JPEG or WebP image of at most 64 KiB as a data URL (data:image/png;base64,…); null: none
                     * @default null
                     */
                    logo?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusPage"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getStatusPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusPage"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteStatusPage: {
        parameters: {
            query?: {
                components?: "refuse" | "delete";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateStatusPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that was read. If the resource has changed since, nothing is written: 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "color": "#0b6bcb",
                 *       "home_url": "https://shop.example.com"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    slug?: string;
                    description?: string;
                    timezone?: string;
                    /**
                     * @description language of all fixed words, numbers and dates of the page and its feeds
                     * @enum {string}
                     */
                    locale?: "en" | "de" | "fr";
                    /** @enum {string} */
                    theme?: "auto" | "light" | "dark";
                    history_days?: number;
                    /** @description colour of buttons and links, adjusted so that text stays readable in both themes */
                    color?: string | null;
                    /** @description target of the link on the name and the logo; null: the page itself */
                    home_url?: string | null;
                    /** @description where visitors get help; every page links to it */
                    support_url?: string | null;
                    /** @description PNG, JPEG or WebP image of at most 64 KiB as a data URL (data:image/png;base64,…); null: none */
                    logo?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusPage"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewStatusPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example Shop status",
                 *       "color": "#0b6bcb"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    slug?: string;
                    description?: string;
                    timezone?: string;
                    /**
                     * @description language of all fixed words, numbers and dates of the page and its feeds
                     * @enum {string}
                     */
                    locale?: "en" | "de" | "fr";
                    /** @enum {string} */
                    theme?: "auto" | "light" | "dark";
                    history_days?: number;
                    /** @description colour of buttons and links, adjusted so that text stays readable in both themes */
                    color?: string | null;
                    /** @description target of the link on the name and the logo; null: the page itself */
                    home_url?: string | null;
                    /** @description where visitors get help; every page links to it */
                    support_url?: string | null;
                    /** @description PNG, JPEG or WebP image of at most 64 KiB as a data URL (data:image/png;base64,…); null: none */
                    logo?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description a whole document, with the last 30 days at most */
                        html: string;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listStatusPageSubscribers: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Subscriber"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createStatusPageSubscriber: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "component_ids": [
                 *         "cmp_7HnUw3Zk"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @default email
                     * @enum {string}
                     */
                    channel?: "email" | "webhook";
                    email?: string | null;
                    url?: string | null;
                    /**
                     * @description notify about these components only; empty: about the whole page
                     * @default []
                     */
                    component_ids?: string[];
                    /** @default null */
                    consent?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscriber"];
                };
            };
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscriber"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    importSubscribers: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "consent": "Subscribed to our former status page and confirmed there",
                 *       "subscribers": [
                 *         {
                 *           "email": "ada@example.com"
                 *         },
                 *         {
                 *           "email": "grace@example.com"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description how and when the person consented */
                    consent: string;
                    subscribers: {
                        /** @description an email address */
                        email: string;
                        /**
                         * @description notify about these components only; empty: about the whole page
                         * @default []
                         */
                        component_ids?: string[];
                        /**
                         * @description as it was on another page; only active ones get updates
                         * @default active
                         * @enum {string}
                         */
                        state?: "pending" | "active" | "unsubscribed" | "quarantined";
                    }[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        added: number;
                        existing: number;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteStatusPageSubscriber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                subscriber_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIncidentDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                state?: ("queued" | "sent" | "failed" | "held" | "cancelled")[];
                channel?: ("email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http")[];
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAlertDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                state?: ("queued" | "sent" | "failed" | "held" | "cancelled")[];
                channel?: ("email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http")[];
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listChannelDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                state?: ("queued" | "sent" | "failed" | "held" | "cancelled")[];
                channel?: ("email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http")[];
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMaintenanceDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                state?: ("queued" | "sent" | "failed" | "held" | "cancelled")[];
                channel?: ("email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http")[];
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                state?: ("queued" | "sent" | "failed" | "held" | "cancelled")[];
                channel?: ("email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/upquorum",
                 *       "kinds": [
                 *         "alert.opened",
                 *         "alert.resolved"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description http or https, without credentials */
                    url: string;
                    /**
                     * @default [
                     *       "alert.opened",
                     *       "alert.acknowledged",
                     *       "alert.escalated",
                     *       "alert.resolved",
                     *       "incident.opened",
                     *       "incident.updated",
                     *       "incident.resolved"
                     *     ]
                     */
                    kinds?: ("alert.opened" | "alert.acknowledged" | "alert.escalated" | "alert.resolved" | "incident.opened" | "incident.updated" | "incident.resolved" | "alert.held" | "alert.updated" | "maintenance.scheduled" | "maintenance.changed" | "maintenance.started" | "maintenance.updated" | "maintenance.ended" | "maintenance.cancelled" | "notice.opened" | "notice.closed")[];
                    /**
                     * @description the kinds of alerts it receives
                     * @default [
                     *       "down"
                     *     ]
                     */
                    alert_kinds?: ("down" | "degraded" | "certificate")[];
                    /** @default true */
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/json": {
                    /** @description http or https, without credentials */
                    url?: string;
                    kinds?: ("alert.opened" | "alert.acknowledged" | "alert.escalated" | "alert.resolved" | "incident.opened" | "incident.updated" | "incident.resolved" | "alert.held" | "alert.updated" | "maintenance.scheduled" | "maintenance.changed" | "maintenance.started" | "maintenance.updated" | "maintenance.ended" | "maintenance.cancelled" | "notice.opened" | "notice.closed")[];
                    /** @description the kinds of alerts it receives */
                    alert_kinds?: ("down" | "degraded" | "certificate")[];
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 86400
                 *     }
                 */
                "application/json": {
                    /**
                     * @description how long messages are signed with the previous secret, too
                     * @default 86400
                     */
                    overlap_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSlack: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlackConnection"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    connectSlack: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bot_token": "xoxb-0000-your-token"
                 *     }
                 */
                "application/json": {
                    /** @description never shown again */
                    bot_token: string;
                    /**
                     * @description with it, buttons in messages acknowledge alerts; never shown again
                     * @default null
                     */
                    signing_secret?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlackConnection"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    disconnectSlack: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRegions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RegionDetails"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                region?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Agent"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "region": "office",
                 *       "name": "office-1"
                 *     }
                 */
                "application/json": {
                    region: string;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWalls: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Wall"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWall: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Operations room",
                 *       "selector": "env=prod"
                 *     }
                 */
                "application/json": {
                    /** @description where the screen hangs; the screen shows it */
                    name: string;
                    /**
                     * @description the monitors it shows; null: all
                     * @default null
                     */
                    selector?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wall"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteWall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                types?: ("track" | "release" | "error")[];
                name?: string;
                external_user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StoredEvent"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ingestEvents: {
        parameters: {
            query?: {
                project_id?: string;
                sent_at?: number;
            };
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "type": "track",
                 *         "name": "signed_up",
                 *         "external_user_id": "user-42",
                 *         "timestamp": "2026-11-22T09:30:00Z",
                 *         "props": {
                 *           "plan": "team"
                 *         }
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["Event"] | components["schemas"]["Event"][];
                "text/plain": string;
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestReceipt"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getEventRate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRate"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUserTimeline: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                types?: ("track" | "release" | "error")[];
            };
            header?: never;
            path: {
                external_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TimelineItem"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUserTimelineByQuery: {
        parameters: {
            query: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                types?: ("track" | "release" | "error")[];
                external_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TimelineItem"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listReleases: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                environment?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Release"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createRelease: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": "2026.11.3",
                 *       "environment": "production",
                 *       "commit_sha": "4f5ca1e"
                 *     }
                 */
                "application/json": {
                    version: string;
                    name?: string | null;
                    /** @default production */
                    environment?: string;
                    released_at?: string | null;
                    url?: string | null;
                    commit_sha?: string | null;
                    props?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFlows: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Flow"][];
                        pagination: {
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createFlow: {
        parameters: {
            query?: never;
            header?: {
                /** @description A retry with the same key and the same request returns the first response, for 24 hours. A request that changes nothing, such as a preview or a dry run, is computed again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Sign-up",
                 *       "steps": [
                 *         {
                 *           "name": "Sees the price",
                 *           "event": "pricing_viewed"
                 *         },
                 *         {
                 *           "name": "Signs up",
                 *           "event": "signed_up",
                 *           "where": [
                 *             {
                 *               "prop": "plan",
                 *               "op": "in",
                 *               "value": [
                 *                 "team",
                 *                 "business"
                 *               ]
                 *             }
                 *           ]
                 *         }
                 *       ],
                 *       "window_seconds": 86400
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description at most 1000 values in all conditions, and 16384 bytes of JSON */
                    steps: components["schemas"]["FlowStepInput"][];
                    /** @default 604800 */
                    window_seconds?: number;
                    /**
                     * @default ordered
                     * @enum {string}
                     */
                    order?: "ordered" | "strict";
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Flow"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFlow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Flow"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteFlow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateFlow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that was read. If the resource has changed since, nothing is written: 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "steps": [
                 *         {
                 *           "name": "Sees the price",
                 *           "event": "pricing_viewed"
                 *         },
                 *         {
                 *           "name": "Signs up",
                 *           "event": "signed_up",
                 *           "where": [
                 *             {
                 *               "prop": "plan",
                 *               "op": "in",
                 *               "value": [
                 *                 "team",
                 *                 "business"
                 *               ]
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    name?: string;
                    /** @description at most 1000 values in all conditions, and 16384 bytes of JSON */
                    steps?: components["schemas"]["FlowStepInput"][];
                    window_seconds?: number;
                    /** @enum {string} */
                    order?: "ordered" | "strict";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Flow"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFlowReport: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                group_by?: "none" | "day" | "hour" | "release" | "property";
                property?: string;
                release_id?: string;
                version?: number;
                source?: "auto" | "raw" | "hourly";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunnelReport"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error (RFC 9457) */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
