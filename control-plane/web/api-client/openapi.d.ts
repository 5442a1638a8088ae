// Made by npm run api-types from the OpenAPI document 4de1260478021f864864e075ef052a45. Do not edit.

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
         * @description Returns the name, plan, quotas and limits of the project that the token belongs to.
         *
         *     Requires the scope `project:read`.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the name, the allowed origins, or the settings of notices and grouping
         * @description Fields that are left out stay as they are. `notices` and `grouping` are replaced as a whole.
         *
         *     Requires the scope `project:write`.
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
         * @description Returns all tokens of the project, also expired and revoked ones. Secrets are never returned.
         *
         *     Requires the scope `tokens:read`.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token; its secret is shown only once
         * @description The response is the only one with the secret. A token cannot have scopes that its creator lacks.
         *
         *     Requires the scope `tokens:write`.
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
        /**
         * Get a token, without its secret
         * @description Returns a token without its secret.
         *
         *     Requires the scope `tokens:read`.
         */
        get: operations["getToken"];
        put?: never;
        post?: never;
        /**
         * Revoke a token and, unless `descendants=keep`, all tokens created with it
         * @description Requests with the token are refused within seconds. A revoked token cannot be restored.
         *
         *     Requires the scope `tokens:write`.
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
         * List changes and who made them, newest first; with `Accept: application/x-ndjson` all, oldest first
         * @description With `Accept: application/x-ndjson` the whole log is streamed, oldest entry first, one on each line.
         *
         *     Requires the scope `audit:read`.
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
    "/v0/components": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List components, newest first
         * @description Returns the components of all status pages, or of one with `status_page_id`.
         *
         *     Requires the scope `components:read`.
         */
        get: operations["listComponents"];
        put?: never;
        /**
         * Create a component of a status page
         * @description Its status follows the monitors in `monitor_ids` and those that match `monitor_selector`.
         *
         *     Requires the scope `components:write`.
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
         * @description List every component of the page once, in the order wanted, with its group.
         *
         *     Requires the scope `components:write`.
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
         * @description `shown_status` is what visitors see: the worst of the manual status, open incidents and monitors.
         *
         *     Requires the scope `components:read`.
         */
        get: operations["getComponent"];
        put?: never;
        post?: never;
        /**
         * Delete a component that no open incident affects
         * @description The component disappears from its page. Refused while an open incident affects it.
         *
         *     Requires the scope `components:write`.
         */
        delete: operations["deleteComponent"];
        options?: never;
        head?: never;
        /**
         * Update a component; `monitor_ids` is replaced, not merged
         * @description Fields that are left out stay as they are. The page is published again at once.
         *
         *     Requires the scope `components:write`.
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
         * @description Filters can be combined. Uptime and latency are returned with `include=summary`.
         *
         *     Requires the scope `monitors:read`.
         */
        get: operations["listMonitors"];
        put?: never;
        /**
         * Create a monitor; restores one of the same name that was deleted within 30 days
         * @description The first checks run within seconds. A monitor of the same name that was deleted within 30 days is restored with its history. With `dry_run=true` nothing is stored; the response shows what would be created.
         *
         *     Requires the scope `monitors:write`.
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
         * @description Returns the settings, the status and the current vote of each region.
         *
         *     Requires the scope `monitors:read`.
         */
        get: operations["getMonitor"];
        put?: never;
        post?: never;
        /**
         * Delete a monitor; its history stays available for 30 days
         * @description Checks stop at once and open alerts resolve. Its checks and uptime can be read for 30 days.
         *
         *     Requires the scope `monitors:write`.
         */
        delete: operations["deleteMonitor"];
        options?: never;
        head?: never;
        /**
         * Update a monitor; arrays and objects are replaced, not merged
         * @description Fields that are left out stay as they are. With `dry_run=true` nothing is stored, and the response shows the changes with a back-test of the last 24 hours.
         *
         *     Requires the scope `monitors:write`.
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
         * @description Open alerts resolve. Paused time does not count for uptime. Pausing a paused monitor changes nothing.
         *
         *     Requires the scope `monitors:write`.
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
         * @description All regions check at once. Resuming a monitor that is not paused changes nothing.
         *
         *     Requires the scope `monitors:write`.
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
         * @description Each item is an entry of the audit log, with the version of the settings that it made, if any.
         *
         *     Requires the scopes `monitors:read` and `audit:read`.
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
         * @description Use it to offer keys and values for selectors.
         *
         *     Requires the scope `monitors:read`.
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
         * @description Choose monitors with `ids` or with `selector` and `expected_count`. Each monitor is changed alone: the response lists the outcome of each, so that a repeated call completes the rest.
         *
         *     Requires the scope `monitors:write`.
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
         * @description Each region runs one check. Tests are not checks: they do not vote and are not stored.
         *
         *     Requires the scope `monitors:write`.
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
         * @description The results appear among the checks of the monitor within seconds.
         *
         *     Requires the scope `monitors:write`.
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
         * @description Each item is the result of one check in one region, with its timings and assertions.
         *
         *     Requires the scope `monitors:read`.
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
         * @description A verdict is what a quorum of regions agrees on. Each item lists the votes behind it.
         *
         *     Requires the scope `monitors:read`.
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
    "/v0/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts, latest start first
         * @description Filters can be combined; `selector` matches the labels that the monitor had when the alert opened.
         *
         *     Requires the scope `alerts:read`.
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
         * @description Returns the alert with its reason, its acknowledgement and the incident that it was promoted to.
         *
         *     Requires the scope `alerts:read`.
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
         * @description Reminders and escalations stop. Acknowledging an acknowledged alert changes nothing.
         *
         *     Requires the scope `alerts:write`.
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
         * @description Nothing is stored. The response compares the alerts and the uptime of the range before and after.
         *
         *     Requires the scope `monitors:write`.
         */
        post: operations["backtestMonitor"];
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
         * @description A notice means that monitoring itself is impaired, such as a silent region or a failing channel.
         *
         *     Requires the scope `alerts:read`.
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
    "/v0/maintenances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List maintenance windows, newest first
         * @description Filters can be combined; `from` and `to` select windows with an occurrence in the range.
         *
         *     Requires the scope `maintenances:read`.
         */
        get: operations["listMaintenances"];
        put?: never;
        /**
         * Plan a maintenance window, once or recurring
         * @description Give `starts_at` and `ends_at` for a single window, or `schedule` for a recurring one. With `announced`, status pages show it and subscribers are notified.
         *
         *     Requires the scope `maintenances:write`.
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
         * @description Nothing is stored. The response has the first occurrences and the monitors in its scope.
         *
         *     Requires the scope `maintenances:write`.
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
         * @description Returns the window with its current and next occurrence and its latest updates.
         *
         *     Requires the scope `maintenances:read`.
         */
        get: operations["getMaintenance"];
        put?: never;
        post?: never;
        /**
         * Delete a maintenance window and undo its effect on uptime; to keep the effect, cancel it instead
         * @description The window is removed with all its effects on uptime. To keep them, cancel it instead.
         *
         *     Requires the scope `maintenances:write`.
         */
        delete: operations["deleteMaintenance"];
        options?: never;
        head?: never;
        /**
         * Update a maintenance window; nobody is notified
         * @description Fields that are left out stay as they are. Occurrences that are over do not change.
         *
         *     Requires the scope `maintenances:write`.
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
         * @description Occurrences are known up to 90 days ahead.
         *
         *     Requires the scope `maintenances:read`.
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
         * @description Without `occurrence_id`, the occurrence in progress gets the later end.
         *
         *     Requires the scope `maintenances:write`.
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
         * @description Delayed notifications are sent if their problems continue.
         *
         *     Requires the scope `maintenances:write`.
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
         * Cancel the occurrence in progress, otherwise the next one, or the one named
         * @description Later occurrences of a recurring window stay as they are.
         *
         *     Requires the scope `maintenances:write`.
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
         * @description The update is published at once, and subscribers of the pages are notified.
         *
         *     Requires the scope `maintenances:write`.
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
         * @description The page shows the new text and when it was edited.
         *
         *     Requires the scope `maintenances:write`.
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
         * @description Returns the occurrences of all windows in one list, for calendars.
         *
         *     Requires the scope `maintenances:read`.
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
    "/v0/regions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the regions a monitor can run from, by code, and their state for this project
         * @description Returns shared regions and the private regions of the project, with what their agents can do.
         *
         *     Requires the scope `monitors:read`.
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
         * @description Returns each agent with its load and the results that it has yet to deliver.
         *
         *     Requires the scope `agents:read`.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Create an agent of a private region, or of a shared one with the scope agents:operate
         * @description The response is the only one with the secret that the agent connects with.
         *
         *     Requires the scope `agents:write`.
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
        /**
         * Get an agent that is not revoked
         * @description Returns an agent without its secret.
         *
         *     Requires the scope `agents:read`.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        /**
         * Revoke an agent; it is disconnected at once and permanently
         * @description The agent is disconnected at once and permanently. Others in its region take over its monitors.
         *
         *     Requires the scope `agents:write`.
         */
        delete: operations["revokeAgent"];
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
         * @description Time in maintenance, paused and undetermined time is excluded and listed on its own.
         *
         *     Requires the scope `monitors:read`.
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
    "/v0/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List incidents, latest start first
         * @description Filters can be combined. Each incident has all its updates.
         *
         *     Requires the scope `incidents:read`.
         */
        get: operations["listIncidents"];
        put?: never;
        /**
         * Create an incident; its initial update is published and, unless `notify` is false, sent to subscribers. One that is over has `resolved_at`
         * @description The initial update is published at once. Unless `notify` is false, subscribers are notified. An incident that is already over is created with `resolved_at`.
         *
         *     Requires the scope `incidents:write`.
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
         * @description Returns the incident with its updates and its post-mortem.
         *
         *     Requires the scope `incidents:read`.
         */
        get: operations["getIncident"];
        put?: never;
        post?: never;
        /**
         * Delete an incident and remove it from the page; no notifications are sent
         * @description The incident disappears from the page, its history and its feeds.
         *
         *     Requires the scope `incidents:write`.
         */
        delete: operations["deleteIncident"];
        options?: never;
        head?: never;
        /**
         * Update an incident or attach a post-mortem; no notifications are sent
         * @description Fields that are left out stay as they are. To tell subscribers something, post an update.
         *
         *     Requires the scope `incidents:write`.
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
         * @description The state of the incident becomes that of the update.
         *
         *     Requires the scope `incidents:write`.
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
         * @description The page shows the new text and when it was edited.
         *
         *     Requires the scope `incidents:write`.
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
         * @description Subscribers are notified, and the components return to the status of their monitors.
         *
         *     Requires the scope `incidents:write`.
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
         * @description Each item is an entry of the audit log.
         *
         *     Requires the scope `incidents:read`.
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
         * @description Nothing is published. Title, components and first update can be changed when promoting.
         *
         *     Requires the scope `alerts:read`.
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
         * @description The alert counts as acknowledged. Resolving the alert later does not resolve the incident.
         *
         *     Requires the scopes `incidents:write` and `alerts:read`.
         */
        post: operations["promoteAlert"];
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
         * @description Returns the settings of each page. Its components are a list of their own.
         *
         *     Requires the scope `status-pages:read`.
         */
        get: operations["listStatusPages"];
        put?: never;
        /**
         * Create a status page; it is public immediately
         * @description The page is public at `url` at once.
         *
         *     Requires the scope `status-pages:write`.
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
         * @description Returns the settings of the page. Its components are a list of their own.
         *
         *     Requires the scope `status-pages:read`.
         */
        get: operations["getStatusPage"];
        put?: never;
        post?: never;
        /**
         * Delete a status page without open incidents; with `components=delete` also its components
         * @description The page, its feeds and its subscribers are removed. Refused while an incident is open.
         *
         *     Requires the scope `status-pages:write`.
         */
        delete: operations["deleteStatusPage"];
        options?: never;
        head?: never;
        /**
         * Update a status page; a new slug changes its address, and the old address redirects to it
         * @description Fields that are left out stay as they are. The page is published again at once.
         *
         *     Requires the scope `status-pages:write`.
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
         * @description The response has the whole page as HTML.
         *
         *     Requires the scope `status-pages:write`.
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
         * @description Returns subscribers in all states, also those that have not confirmed.
         *
         *     Requires the scope `subscribers:read`.
         */
        get: operations["listStatusPageSubscribers"];
        put?: never;
        /**
         * Add a subscriber; an email address without consent is sent a confirmation email
         * @description An email address must be confirmed by its owner unless `consent` says how they agreed. An address that is known already is returned with 200.
         *
         *     Requires the scope `subscribers:write`.
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
         * @description No confirmation is sent: you state in `consent` how the people agreed.
         *
         *     Requires the scope `subscribers:write`.
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
         * @description The address is erased. Nobody is notified.
         *
         *     Requires the scope `subscribers:write`.
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
         * @description Returns the messages about the incident to subscribers, webhooks and Slack.
         *
         *     Requires the scope `incidents:read`.
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
         * @description Returns the messages about the alert to channels, webhooks and Slack.
         *
         *     Requires the scope `alerts:read`.
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
         * @description Returns the messages that were sent to the channel or are queued for it.
         *
         *     Requires the scope `channels:read`.
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
         * @description Returns the messages about the maintenance window to subscribers and webhooks.
         *
         *     Requires the scope `maintenances:read`.
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
         * @description Filters can be combined. Deliveries about subjects that the token may not read are left out.
         *
         *     Requires the scope `incidents:read`.
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
         * @description The message is queued again and sent within seconds.
         *
         *     Requires the scope `incidents:write`.
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
         * @description Secrets are never returned.
         *
         *     Requires the scope `project:read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook; its signing secret is shown only once
         * @description The response is the only one with the secret. Messages are signed as Standard Webhooks.
         *
         *     Requires the scope `project:write`.
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
         * @description Returns the webhook without its secret.
         *
         *     Requires the scope `project:read`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook; its queued deliveries are cancelled
         * @description Nothing more is sent to it.
         *
         *     Requires the scope `project:write`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook; its secret stays the same
         * @description Fields that are left out stay as they are. `enabled: true` starts a disabled webhook again.
         *
         *     Requires the scope `project:write`.
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
         * @description The response is the only one with the new secret.
         *
         *     Requires the scope `project:write`.
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
         * @description The bot token is never returned.
         *
         *     Requires the scope `project:read`.
         */
        get: operations["getSlack"];
        /**
         * Connect Slack with a bot token that has the scope chat:write
         * @description The token is tried before it is stored. It replaces the one that was stored before.
         *
         *     Requires the scope `project:write`.
         */
        put: operations["connectSlack"];
        post?: never;
        /**
         * Disconnect Slack
         * @description The stored bot token is erased.
         *
         *     Requires the scope `project:write`.
         */
        delete: operations["disconnectSlack"];
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
         * Explain why an alert opened
         * @description Returns the rule, each vote, the time of each step, and the messages that were sent.
         *
         *     Requires the scope `alerts:read`.
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
    "/v0/alert-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups of alerts that were notified together, newest first
         * @description A group is the set of alerts with one cause that are sent as one message.
         *
         *     Requires the scope `alerts:read`.
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
         * @description Returns the group with its cause and the IDs of its alerts.
         *
         *     Requires the scope `alerts:read`.
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
         * @description Reminders and escalations stop for each alert of the group.
         *
         *     Requires the scope `alerts:write`.
         */
        post: operations["acknowledgeAlertGroup"];
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
         * @description An alert follows the first route that matches, and later ones while each has `continue`.
         *
         *     Requires the scope `routes:read`.
         */
        get: operations["listRoutes"];
        put?: never;
        /**
         * Create a route at the end of the list
         * @description The route is evaluated after those that exist. Change the order with `POST /v0/routes/order`.
         *
         *     Requires the scope `routes:write`.
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
         * @description List the ID of every route once, in the order wanted.
         *
         *     Requires the scope `routes:write`.
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
         * Preview which routes an alert would follow, and whom they would notify when
         * @description Nothing is sent. Give the labels of an alert, or a monitor in `monitor_id`.
         *
         *     Requires the scope `routes:write`.
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
         * @description Returns the route with its steps and quiet hours.
         *
         *     Requires the scope `routes:read`.
         */
        get: operations["getRoute"];
        put?: never;
        post?: never;
        /**
         * Delete a route; channels it has notified are still notified of resolutions
         * @description Channels that the route has notified are still told when those alerts resolve.
         *
         *     Requires the scope `routes:write`.
         */
        delete: operations["deleteRoute"];
        options?: never;
        head?: never;
        /**
         * Update a route; `match`, `steps` and `quiet_hours` are replaced, not merged
         * @description Fields that are left out stay as they are. Alerts that were already sent keep their route.
         *
         *     Requires the scope `routes:write`.
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
         * @description Secrets in `config` are shown as `********`.
         *
         *     Requires the scope `channels:read`.
         */
        get: operations["listChannels"];
        put?: never;
        /**
         * Create a channel; email addresses that are new to the project are asked to confirm
         * @description Nothing is sent to an email address before its owner has confirmed it.
         *
         *     Requires the scope `channels:write`.
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
         * @description Secrets in `config` are shown as `********`.
         *
         *     Requires the scope `channels:read`.
         */
        get: operations["getChannel"];
        put?: never;
        post?: never;
        /**
         * Delete a channel that no route names; its queued deliveries are cancelled
         * @description Refused while a route names the channel.
         *
         *     Requires the scope `channels:write`.
         */
        delete: operations["deleteChannel"];
        options?: never;
        head?: never;
        /**
         * Update a channel; `config` is replaced, not merged, but masked secrets are kept
         * @description Fields that are left out stay as they are. `config` is replaced; a secret sent as `********` is kept.
         *
         *     Requires the scope `channels:write`.
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
         * @description The response says whether the service accepted the message, and if not, why.
         *
         *     Requires the scope `channels:write`.
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
         * @description The response says whether the service accepted the message, and if not, why.
         *
         *     Requires the scope `channels:write`.
         */
        post: operations["testChannel"];
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
         * @description If there is not enough data, the status is `cannot_tell`, with a reason.
         *
         *     Requires the scopes `incidents:read` and `events:read`.
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
         * @description Both windows end early where another release is near.
         *
         *     Requires the scopes `releases:read` and `events:read`.
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
    "/v0/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List recently ingested events, newest first, from a range of at most an hour
         * @description Events are listed by the time of arrival. The range is at most an hour.
         *
         *     Requires the scope `events:read`.
         */
        get: operations["listEvents"];
        put?: never;
        /**
         * Send one event or up to 1000; browsers send project_id instead of a token
         * @description Events are accepted one by one: `errors` lists those that were refused. Send `dedup_id` to retry safely.
         *
         *     Requires the scope `events:write`, or `project_id` instead of a token from an allowed origin.
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
         * Get the ingestion rate, remaining limits, and refusals of the last 24 hours
         * @description Requests without a valid token or project are not counted, since they belong to no project.
         *
         *     Requires the scope `events:read`.
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
         * @description Events are listed by their own `timestamp`.
         *
         *     Requires the scope `events:read`.
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
         * @description Use it for users whose ID cannot stand in a path.
         *
         *     Requires the scope `events:read`.
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
         * @description Releases are listed by `released_at`.
         *
         *     Requires the scope `releases:read`.
         */
        get: operations["listReleases"];
        put?: never;
        /**
         * Create a release; posting the same version and environment again returns the first one
         * @description Posting a version again in the same environment returns the first release with 200.
         *
         *     Requires the scope `releases:write`.
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
         * @description Returns the release with its properties.
         *
         *     Requires the scope `releases:read`.
         */
        get: operations["getRelease"];
        put?: never;
        post?: never;
        /**
         * Delete a release; funnel entries of its time are attributed to the release before
         * @description The release disappears from timelines and reports.
         *
         *     Requires the scope `releases:write`.
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
         * @description Returns the current version of each flow.
         *
         *     Requires the scope `flows:read`.
         */
        get: operations["listFlows"];
        put?: never;
        /**
         * Create a flow; its funnel is computed from all stored events
         * @description The funnel can be read as soon as the events of the past have been counted.
         *
         *     Requires the scope `flows:write`.
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
         * @description Returns the current version of the flow.
         *
         *     Requires the scope `flows:read`.
         */
        get: operations["getFlow"];
        put?: never;
        post?: never;
        /**
         * Delete a flow and its funnel data
         * @description Events are not deleted.
         *
         *     Requires the scope `flows:write`.
         */
        delete: operations["deleteFlow"];
        options?: never;
        head?: never;
        /**
         * Update a flow; new steps, window or order create a new version
         * @description Fields that are left out stay as they are. Reports of earlier versions stay available.
         *
         *     Requires the scope `flows:write`.
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
         * @description Counts users who complete each step within the window. The range and the groups are in the query.
         *
         *     Requires the scope `flows:read`.
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
    "/v0/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how many monitors, alerts, incidents and deliveries there are by state, and the regions
         * @description Counts that need a scope that the token lacks are null.
         *
         *     Requires the scope `monitors:read`.
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
         * @description Each server-sent event names a list that changed; read it again. The stream ends with the validity of the token.
         *
         *     Requires the scope `monitors:read`.
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
    "/v0/walls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the links for screens, newest first
         * @description The links themselves are never returned, since they hold a secret.
         *
         *     Requires the scope `walls:read`.
         */
        get: operations["listWalls"];
        put?: never;
        /**
         * Create a read-only link for screens; it is shown only once
         * @description The response is the only one with the link. Whoever has it can see the monitors, but change nothing.
         *
         *     Requires the scopes `walls:write` and `monitors:read`.
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
        /**
         * Get a wallboard link, without its URL
         * @description Returns a wallboard link without its URL, which holds a secret.
         *
         *     Requires the scope `walls:read`.
         */
        get: operations["getWall"];
        put?: never;
        post?: never;
        /**
         * Delete a wallboard link; its screens go blank within seconds
         * @description The link stops working within seconds, and screens that show it go blank.
         *
         *     Requires the scope `walls:write`.
         */
        delete: operations["deleteWall"];
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
         * @description The response is one snapshot of at most 5,000 monitors, cached for ten seconds.
         *
         *     Requires the scope `monitors:read`.
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** Agent */
        Agent: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description Code of the region. */
            region: string;
            /** @description Name of the agent. */
            name: string;
            /** @description Version of the program; null if it has never connected. */
            version: string | null;
            /**
             * @description State of the agent.
             * @enum {string}
             */
            state: "online" | "offline" | "draining";
            /** @description Time when it was last seen; null if it never was. */
            last_seen_at: string | null;
            /** @description How far the clock of the agent is ahead, in milliseconds; null if it is not known. */
            clock_offset_ms: number | null;
            /** @description Number of monitors that the agent checks now. */
            assignments: number;
            /** @description Checks that the agent runs per second. */
            checks_per_second: number;
            /** @description Checks that are due and wait for a slot. */
            queue_depth: number;
            /** @description Checks that were not run because the agent had too much to do. */
            missed_slots: number;
            /** @description Checks that started more than 250 ms after their slot. */
            late_starts: number;
            /** @description Number of results that were lost because the spool was full. */
            results_dropped: number;
            /** @description Number of results that are queued on the agent. */
            spool_count: number;
            /** @description Capabilities beyond HTTP checks; empty for older agents. */
            capabilities: string[];
            /** @description Capabilities that its host does not allow; empty for older agents. */
            incapable: {
                /** @description The capability. */
                word: string;
                /** @description What the agent says about it. */
                reason: string;
            }[];
            /** @description True if the agent cannot write its spool, so that a crash would lose the queued results. */
            spool_failing: boolean;
            /** @description True if the agent belongs to a private region of this project. */
            private: boolean;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /** @description Secret that the agent connects with. Returned only when the agent is created. */
            secret?: string;
        };
        AgentList: {
            /** @description The items. */
            data: components["schemas"]["Agent"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** Alert */
        Alert: {
            /** @description ID of the alert. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description ID of the monitor. */
            monitor_id: string;
            /**
             * @description What the alert is about: an outage, degraded performance, or a certificate.
             * @enum {string}
             */
            kind: "down" | "degraded" | "certificate";
            /** @description What is wrong, such as `Checkout is down`. */
            title: string;
            /**
             * @description Severity from `p1`, the most urgent, to `p3`.
             * @enum {string}
             */
            severity: "p1" | "p2" | "p3";
            /**
             * @description State of the alert.
             * @enum {string}
             */
            state: "open" | "acknowledged" | "resolved";
            /** @description Codes of the regions that failed when the alert opened. */
            regions_failing: string[];
            /** @description Codes of the regions that checked the monitor when the alert opened. */
            regions: string[];
            /** @description Quorum when the alert opened. */
            quorum: number;
            /** @description What the regions saw when the alert opened. */
            reason: {
                /** @description The reason in one sentence. */
                summary: string;
                /** @description Region that the reason was seen in. */
                region: string | null;
                /** @description The value that the assertion asks for. */
                expected: string | null;
                /** @description The value that the response had; null if it had none. */
                actual: string | null;
                /** @description HTTP status of the response; null without a response. */
                status_code: number | null;
                /** @description Code of the failure; null if there is none. */
                error_code: string | null;
                /** @description Step of the attempt in which it failed; null if none failed, and of alerts before 0.8.0. */
                phase: ("auth" | "dns" | "proxy" | "connect" | "starttls" | "tls" | "handshake" | "request" | "answer") | null;
                /** @description Host and port that the failure is about; null if there is none. */
                host: string | null;
            };
            /** @description Labels of the monitor when the alert opened. */
            labels: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description Time when the problem began.
             */
            started_at: string;
            /**
             * Format: date-time
             * @description Time when the alert rules were met.
             */
            opened_at: string;
            /** @description Version of the monitor’s `alert_rules` when the alert opened. */
            rules_version: number | null;
            /** @description True if the alert opened during maintenance and its notifications are delayed. */
            held: boolean;
            /** @description Time since which notifications have been delayed by maintenance; null if they are not. */
            held_since: string | null;
            /** @description Time when maintenance was over and delayed notifications were sent. */
            released_at: string | null;
            /** @description Time since which the alert has been flapping; null if it is not. */
            flapping_since: string | null;
            /**
             * Format: date-time
             * @description Time when it was last seen; null if it never was.
             */
            last_seen_at: string;
            /** @description Time of the acknowledgement; null if there is none. */
            acknowledged_at: string | null;
            /** @description Who acknowledged it; null if nobody did, or if it was promoted. */
            acknowledged_by: {
                /**
                 * @description How it was acknowledged.
                 * @enum {string}
                 */
                type: "token" | "link" | "slack" | "pagerduty";
                /** @description ID of the token, or of the account at the service. */
                id: string;
                /** @description Name of the token or account at that time. */
                name: string;
            } | null;
            /** @description Time when the alert escalated; null if it did not. */
            escalated_at: string | null;
            /** @description Time of the end; null if it has not ended. */
            resolved_at: string | null;
            /** @description ID of the alert of kind `down` that resolved this one; null if there is none. */
            superseded_by: string | null;
            /** @description ID of the group of alerts; null if the alert is in none. */
            group_id: string | null;
            /** @description ID of the incident; null if there is none. */
            incident_id: string | null;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
        };
        /** AlertClock */
        AlertClock: {
            /** @description Time when the last successful check ended in the region that failed first; null if there is none. */
            last_good: string | null;
            /** @description Time when the first failed attempt started, in the region that failed first. */
            failing: string | null;
            /** @description Time when the first failed attempt ended. */
            failed: string | null;
            /** @description Time when the result of that attempt arrived. */
            reported: string | null;
            /** @description Time when the other regions were asked to check at once; null if they were not. */
            confirm_asked: string | null;
            /** @description For each region, the time when the attempt ended that turned its vote to down. */
            confirmed: {
                /** @description Code of the region. */
                region: string;
                /**
                 * Format: date-time
                 * @description Time when the attempt ended.
                 */
                at: string;
            }[];
            /** @description Time when enough votes were down: `decided_at` of the verdict. */
            quorum: string | null;
            /**
             * Format: date-time
             * @description Time when the alert rules were met.
             */
            opens: string;
            /**
             * Format: date-time
             * @description Time when the alert was stored.
             */
            created: string;
            /** @description Time when people were to be notified. */
            told: string | null;
            /** @description Time when the first message was sent. */
            sent: string | null;
            /** @description Milliseconds since the previous step, by the name of the later one. */
            ms: {
                [key: string]: number;
            };
            /** @description Milliseconds from `last_good` to `failing`, in which the outage could not be seen. */
            unseen_ms: number | null;
        };
        /** AlertExplanation */
        AlertExplanation: {
            /** @description ID of the alert; null if there is none. */
            alert_id: string;
            /** @description The explanation in one sentence. */
            sentence: string;
            /** @description The settings that the alert opened by. */
            rule: {
                /**
                 * @description Kind of the alert.
                 * @enum {string}
                 */
                kind: "down" | "degraded" | "certificate";
                /** @description Codes of the regions. */
                regions: string[];
                /** @description Number of regions that must agree before the monitor counts as down. */
                quorum: number;
                /** @description Version of the settings that decide about checks. Each change of them increases it. */
                config_version: number | null;
                /** @description Version of `alert_rules`; null if it is not known. */
                rules_version: number | null;
                /** @description When alerts open and resolve. */
                alert_rules: {
                    /**
                     * @description Seconds that the monitor must be down before an alert opens.
                     * @default 0
                     */
                    confirm_seconds: number;
                    /**
                     * @description Seconds that the monitor must be up again before the alert resolves.
                     * @default 0
                     */
                    recover_seconds: number;
                    /**
                     * @description When an alert counts as flapping: after this many transitions to down within the window, it stays open until the window is quiet; null: never.
                     * @default null
                     */
                    flap: {
                        /** @description Number of transitions to down within the window. */
                        changes: number;
                        /** @description Length of the window. */
                        window_seconds: number;
                    } | null;
                    /**
                     * @description When an alert of kind `degraded` opens; null: never.
                     * @default null
                     */
                    degraded: {
                        /**
                         * @description Time that the monitor must be degraded before an alert opens.
                         * @default 300
                         */
                        after_seconds: number;
                        /**
                         * @description Severity from `p1`, the most urgent, to `p3`.
                         * @default p3
                         * @enum {string}
                         */
                        severity: "p1" | "p2" | "p3";
                    } | null;
                    /**
                     * @description When an alert of kind `certificate` opens. It does not affect the verdict unless `in_verdict` is true. Only of kinds whose checks see certificates.
                     * @default {
                     *       "enabled": true,
                     *       "thresholds": null,
                     *       "in_verdict": false
                     *     }
                     */
                    certificate: {
                        /**
                         * @description Whether alerts open before certificates expire.
                         * @default true
                         */
                        enabled: boolean;
                        /**
                         * @description Thresholds of the alert; null for one of p3 at 14 days, or a third of the certificate’s life if that is less.
                         * @default null
                         */
                        thresholds: {
                            /** @description Days until the certificate expires. */
                            days_left: number;
                            /**
                             * @description Severity from `p1`, the most urgent, to `p3`.
                             * @default p3
                             * @enum {string}
                             */
                            severity: "p1" | "p2" | "p3";
                        }[] | null;
                        /**
                         * @description Whether checks warn at the first threshold. Changing it makes a new `config_version`.
                         * @default false
                         */
                        in_verdict: boolean;
                    };
                } | null;
            };
            /** @description The votes when the alert opened. */
            votes: {
                /** @description Code of the region. */
                region: string;
                /**
                 * @description Vote of the region.
                 * @enum {string}
                 */
                vote: "up" | "warn" | "down" | "unknown";
                /** @description Time when it began. */
                since: string | null;
                /** @description Time when the check ended that the vote rests on. */
                as_of: string | null;
                /** @description Time when the vote expires unless a new check confirms it. */
                expires_at: string | null;
                /** @description Time from `as_of` to the decision, in milliseconds. */
                age_ms: number | null;
                /** @description Whether the vote counted for the verdict. */
                counted: boolean;
                /** @description Why the vote did not count; null if it did. */
                why_not: ("quarantined" | "expired" | "no_result" | "resolver" | "blocked_address" | "probe") | null;
                /** @description The check that the vote rests on; null if it is no longer stored. */
                check: components["schemas"]["CheckResult"] | null;
            }[];
            /** @description For an alert of kind `certificate`: the certificate that each region last saw when the alert opened. */
            certificates: {
                /** @description Code of the region. */
                region: string;
                /**
                 * Format: date-time
                 * @description Time when the check ended that saw the certificate.
                 */
                as_of: string;
                /**
                 * Format: date-time
                 * @description Start of the validity of the certificate.
                 */
                valid_from: string;
                /**
                 * Format: date-time
                 * @description End of the validity of the certificate.
                 */
                valid_to: string;
                /** @description Days until the certificate expires, counted from `as_of`. */
                days_left: number;
                /** @description Issuer of the certificate. */
                issuer: string | null;
                /** @description Subject of the certificate; null if it is not known. */
                subject: string | null;
                /** @description SHA-256 fingerprint of the certificate, in hexadecimal. */
                fingerprint_sha256: string | null;
                /** @description Host that presented the certificate, if a redirect led there. */
                host?: string;
                /** @description Certificate thresholds in force when the alert opened. */
                thresholds: {
                    /** @description Days until the certificate expires. */
                    days_left: number;
                    /**
                     * @description Severity from `p1`, the most urgent, to `p3`.
                     * @enum {string}
                     */
                    severity: "p1" | "p2" | "p3";
                    /** @description Whether the certificate had crossed the threshold when the alert opened. */
                    crossed: boolean;
                }[];
                /** @description The check that saw the certificate. */
                check: components["schemas"]["CheckResult"];
            }[];
            /** @description Single votes that would have changed the verdict, had they been different. */
            flips: {
                /** @description Code of the region. */
                region: string;
                /**
                 * @description The other vote of the region.
                 * @enum {string}
                 */
                vote: "up" | "down" | "unknown";
                /** @description The verdict that there would have been. */
                verdict: string;
            }[];
            /** @description The maintenance window that the alert opened in or was delayed by; null if there is none. */
            maintenance: {
                /** @description ID of the maintenance window. */
                id: string;
                /** @description ID of the occurrence; null for the window as a whole. */
                occurrence_id: string;
                /**
                 * Format: date-time
                 * @description Time when it ends.
                 */
                ends_at: string;
                /** @description Time since which notifications have been delayed; null if they are not. */
                held_since: string | null;
                /** @description Time when delayed notifications were sent after the window; null if none were delayed. */
                released_at: string | null;
            } | null;
            /** @description The group of alerts that were sent as one message; null if there is none. */
            group: {
                /** @description ID of the group. */
                id: string;
                /** @description What the alerts have in common; null while there is only one. */
                cause: {
                    /** @description What the alerts have in common. */
                    type: string;
                    /** @description The common region, host, address or certificate. */
                    value: string;
                    /** @description Code of the failure; null if there is none. */
                    error_code: string | null;
                } | null;
                /** @description Number of alerts in the group. */
                alerts: number;
                /**
                 * Format: date-time
                 * @description Time when the alert opened.
                 */
                opened_at: string;
                /** @description Time when the first message was queued. */
                told_at: string | null;
                /** @description State of the group. */
                state: string;
            } | null;
            /** @description Messages that were sent about the alert. */
            deliveries: {
                /** @description ID of the delivery. */
                id: string;
                /** @description Kind of channel. */
                channel: string;
                /** @description State of the delivery. */
                state: string;
                /**
                 * Format: date-time
                 * @description Time when the resource was created.
                 */
                created_at: string;
                /** @description Time when the message was sent; null if it was not. */
                sent_at: string | null;
            }[];
            /** @description What can no longer be told, and why. */
            missing: {
                /** @description The part that is missing. */
                what: string;
                /** @description Why it is missing. */
                why: string;
            }[];
            /** @description When each step towards the alert happened. */
            clock: components["schemas"]["AlertClock"];
        };
        /** AlertGroup */
        AlertGroup: {
            /** @description ID of the group. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description What the alerts have in common; null while there is only one. */
            cause: {
                /**
                 * @description What the alerts have in common.
                 * @enum {string}
                 */
                type: "certificate" | "address" | "host" | "region";
                /** @description The common region, host, address or certificate. */
                value: string;
                /** @description Code of the failure; null if there is none. */
                error_code: string | null;
            } | null;
            /** @description IDs of the alerts. */
            alert_ids: string[];
            /**
             * Format: date-time
             * @description Time when the alert opened.
             */
            opened_at: string;
            /** @description Time when the first message was queued. */
            told_at: string | null;
            /**
             * @description State of the group. `cancelled`: all alerts were resolved before anybody was notified.
             * @enum {string}
             */
            state: "open" | "acknowledged" | "resolved" | "cancelled";
        };
        AlertGroupList: {
            /** @description The items. */
            data: components["schemas"]["AlertGroup"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        AlertList: {
            /** @description The items. */
            data: components["schemas"]["Alert"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** AlertPolicy */
        AlertPolicy: {
            /**
             * @description Severity from `p1`, the most urgent, to `p3`.
             * @default p2
             * @enum {string}
             */
            severity: "p1" | "p2" | "p3";
            /**
             * @description Slack channel that is notified while the project has no routes.
             * @default null
             */
            slack_channel: string | null;
            /**
             * @description Minutes without an acknowledgement after which an alert escalates; null: never.
             * @default null
             */
            escalate_after_minutes: number | null;
        };
        /** AlertPolicy */
        AlertPolicyInput: {
            /**
             * @description Severity from `p1`, the most urgent, to `p3`.
             * @default p2
             * @enum {string}
             */
            severity?: "p1" | "p2" | "p3";
            /**
             * @description Slack channel that is notified while the project has no routes.
             * @default null
             */
            slack_channel?: string | null;
            /**
             * @description Minutes without an acknowledgement after which an alert escalates; null: never.
             * @default null
             */
            escalate_after_minutes?: number | null;
        };
        /** Assertion */
        Assertion: {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "status";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "eq" | "neq" | "lt" | "lte" | "gt" | "gte" | "in" | "not_in";
            /** @description Number; for `in` and `not_in` an array of numbers and ranges such as `"200-299"`. */
            value: unknown;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "body_contains";
            /**
             * @description How the value is compared.
             * @default contains
             * @enum {string}
             */
            operator: "contains" | "not_contains" | "matches" | "not_matches";
            /** @description The text to look for, compared according to `operator`. */
            value: string;
            /**
             * @description Whether upper and lower case are the same.
             * @default false
             */
            case_insensitive: boolean;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "header";
            /** @description Name of the header. */
            name: string;
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "eq" | "neq" | "contains" | "not_contains" | "exists" | "not_exists" | "matches" | "not_matches" | "in" | "not_in";
            /** @description Text; for `in` and `not_in` an array of texts; omitted for `exists` and `not_exists`. */
            value?: unknown;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "json_path";
            /** @description JSONPath query of RFC 9535. */
            path: string;
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "eq" | "neq" | "lt" | "lte" | "gt" | "gte" | "contains" | "not_contains" | "exists" | "not_exists" | "in" | "not_in" | "matches";
            /** @description Any JSON; omitted for `exists` and `not_exists`. */
            value?: unknown;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "latency_p95";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "lt" | "lte";
            /** @description Latency in milliseconds that the 95th percentile must not exceed. */
            value_ms: number;
            /**
             * @description Length of the window that the percentile is computed over.
             * @default 10
             */
            window_minutes: number;
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "latency";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "lt" | "lte";
            /** @description Limit of `latency_ms` of the attempt, in milliseconds; of a ping the average. */
            value_ms: number;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "tls_version";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "eq" | "gte" | "in";
            /** @description A version; for `in` an array of them. */
            value: ("TLSv1.2" | "TLSv1.3") | ("TLSv1.2" | "TLSv1.3")[];
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "dns_rcode";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "eq" | "neq" | "in" | "not_in";
            /** @description A response code such as `NXDOMAIN`; for `in` and `not_in` an array of them. */
            value: string | string[];
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "dns_record";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "eq" | "neq" | "contains" | "not_contains" | "matches" | "not_matches" | "in" | "not_in";
            /** @description Data of a record in presentation form, in lower case and without the final dot of names; for `in` and `not_in` an array. A positive operator must hold for one record, a negative one for all. */
            value: string | string[];
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "dns_agree";
            /**
             * @description How the value is compared.
             * @default eq
             * @enum {string}
             */
            operator: "eq";
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "packet_loss";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "lt" | "lte";
            /** @description Share of the packets without a reply, from 0 to 1. */
            value: number;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "jitter";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "lt" | "lte";
            /** @description Limit of the mean difference of neighbouring replies, in milliseconds. */
            value_ms: number;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        };
        /** Assertion */
        AssertionInput: {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "status";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "eq" | "neq" | "lt" | "lte" | "gt" | "gte" | "in" | "not_in";
            /** @description Number; for `in` and `not_in` an array of numbers and ranges such as `"200-299"`. */
            value: unknown;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "body_contains";
            /**
             * @description How the value is compared.
             * @default contains
             * @enum {string}
             */
            operator?: "contains" | "not_contains" | "matches" | "not_matches";
            /** @description The text to look for, compared according to `operator`. */
            value: string;
            /**
             * @description Whether upper and lower case are the same.
             * @default false
             */
            case_insensitive?: boolean;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "header";
            /** @description Name of the header. */
            name: string;
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "eq" | "neq" | "contains" | "not_contains" | "exists" | "not_exists" | "matches" | "not_matches" | "in" | "not_in";
            /** @description Text; for `in` and `not_in` an array of texts; omitted for `exists` and `not_exists`. */
            value?: unknown;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "json_path";
            /** @description JSONPath query of RFC 9535. */
            path: string;
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "eq" | "neq" | "lt" | "lte" | "gt" | "gte" | "contains" | "not_contains" | "exists" | "not_exists" | "in" | "not_in" | "matches";
            /** @description Any JSON; omitted for `exists` and `not_exists`. */
            value?: unknown;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "latency_p95";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "lt" | "lte";
            /** @description Latency in milliseconds that the 95th percentile must not exceed. */
            value_ms: number;
            /**
             * @description Length of the window that the percentile is computed over.
             * @default 10
             */
            window_minutes?: number;
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "latency";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "lt" | "lte";
            /** @description Limit of `latency_ms` of the attempt, in milliseconds; of a ping the average. */
            value_ms: number;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "tls_version";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "eq" | "gte" | "in";
            /** @description A version; for `in` an array of them. */
            value: ("TLSv1.2" | "TLSv1.3") | ("TLSv1.2" | "TLSv1.3")[];
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "dns_rcode";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "eq" | "neq" | "in" | "not_in";
            /** @description A response code such as `NXDOMAIN`; for `in` and `not_in` an array of them. */
            value: string | string[];
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "dns_record";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "eq" | "neq" | "contains" | "not_contains" | "matches" | "not_matches" | "in" | "not_in";
            /** @description Data of a record in presentation form, in lower case and without the final dot of names; for `in` and `not_in` an array. A positive operator must hold for one record, a negative one for all. */
            value: string | string[];
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "dns_agree";
            /**
             * @description How the value is compared.
             * @default eq
             * @enum {string}
             */
            operator?: "eq";
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "packet_loss";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "lt" | "lte";
            /** @description Share of the packets without a reply, from 0 to 1. */
            value: number;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        } | {
            /**
             * @description What the assertion looks at.
             * @constant
             */
            type: "jitter";
            /**
             * @description How the value is compared.
             * @enum {string}
             */
            operator: "lt" | "lte";
            /** @description Limit of the mean difference of neighbouring replies, in milliseconds. */
            value_ms: number;
            /**
             * @description What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.
             * @enum {string}
             */
            on_fail?: "err" | "warn";
        };
        /** AuditEntry */
        AuditEntry: {
            /** @description ID of the entry. */
            id: string;
            /**
             * Format: date-time
             * @description Time of the entry.
             */
            at: string;
            /** @description Who made the change. */
            actor: {
                /**
                 * @description How the actor was authenticated.
                 * @enum {string}
                 */
                type: "token" | "link" | "slack" | "pagerduty" | "admin";
                /** @description ID of the token, or `operator`. */
                id: string;
                /** @description Name at that time. */
                name: string | null;
            };
            /**
             * @description How the change was made.
             * @enum {string}
             */
            via: "api" | "dashboard" | "bulk" | "apply" | "import" | "admin";
            /**
             * @description What was done.
             * @enum {string}
             */
            action: "project.created" | "project.updated" | "project.limits_changed" | "project.quota_changed" | "project.imports_changed" | "token.created" | "token.revoked" | "session.created" | "session.refused" | "session.ended" | "monitor.created" | "monitor.restored" | "monitor.updated" | "monitor.paused" | "monitor.resumed" | "monitor.deleted" | "component.created" | "component.updated" | "component.ordered" | "component.deleted" | "status_page.created" | "status_page.updated" | "status_page.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.imported" | "subscriber.deleted" | "alert.acknowledged" | "alert_group.acknowledged" | "incident.opened" | "incident.promoted" | "incident.changed" | "incident.updated" | "incident.update_edited" | "incident.resolved" | "incident.deleted" | "delivery.replayed" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.deleted" | "slack.connected" | "slack.disconnected" | "release.created" | "release.deleted" | "flow.created" | "flow.updated" | "flow.deleted" | "event.user_erased" | "event.erased" | "channel.created" | "channel.updated" | "channel.deleted" | "route.created" | "route.updated" | "route.ordered" | "route.deleted" | "maintenance.created" | "maintenance.updated" | "maintenance.extended" | "maintenance.ended" | "maintenance.cancelled" | "maintenance.update_posted" | "maintenance.update_edited" | "maintenance.deleted" | "wall.created" | "wall.deleted" | "region.created" | "agent.created" | "agent.revoked" | "check.rebuilt" | "secret.resealed" | "installation.restored" | "sending.paused" | "sending.resumed";
            /**
             * @description Kind of the resource that changed.
             * @enum {string}
             */
            resource: "project" | "token" | "session" | "monitor" | "component" | "status_page" | "subscriber" | "alert" | "alert_group" | "incident" | "delivery" | "webhook" | "slack" | "release" | "flow" | "event" | "channel" | "route" | "maintenance" | "wall" | "region" | "agent" | "check" | "secret" | "installation" | "sending";
            /** @description ID of the resource that changed. */
            subject: string;
            /** @description Name at that time. */
            name: string | null;
            /** @description Fields that changed, with their values before; null if the resource was created. A secret is shown as `secret:` and a hash. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description The same fields with their values after; null if the resource was deleted. */
            after: {
                [key: string]: unknown;
            } | null;
            /** @description Other changes of the request; for lists, only the items that were added or removed. */
            also: {
                /**
                 * @description Kind of the resource that changed with it.
                 * @enum {string}
                 */
                resource: "project" | "token" | "session" | "monitor" | "component" | "status_page" | "subscriber" | "alert" | "alert_group" | "incident" | "delivery" | "webhook" | "slack" | "release" | "flow" | "event" | "channel" | "route" | "maintenance" | "wall" | "region" | "agent" | "check" | "secret" | "installation" | "sending";
                /** @description ID of the resource that changed with it. */
                subject: string;
                /** @description Name of the resource at the time of the change; null if it has none. */
                name: string | null;
                /** @description Fields that changed, with their values before; null if the resource was created. */
                before: {
                    [key: string]: unknown;
                } | null;
                /** @description The same fields with their values after; null if the resource was deleted. */
                after: {
                    [key: string]: unknown;
                } | null;
            }[];
            /** @description ID of the request that made the change. */
            request_id: string | null;
            /** @description Reserved; always null. */
            plan_id: string | null;
            /** @description Text that entries of version 0.4 and before have instead of `before` and `after`; otherwise null. */
            detail: {
                [key: string]: unknown;
            } | null;
        };
        AuditEntryList: {
            /** @description The items. */
            data: components["schemas"]["AuditEntry"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** Backtest */
        Backtest: {
            /**
             * Format: date-time
             * @description Start of the range, inclusive.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the range, exclusive.
             */
            to: string;
            /** @description Number of stored check results in the range. */
            results: number;
            /** @description Changes that stored results cannot answer, with reasons. */
            not_replayable: {
                /** @description JSON Pointer to the setting. */
                pointer: string;
                /**
                 * @description Why stored results cannot answer it.
                 * @enum {string}
                 */
                reason: "no_results" | "answer_not_kept" | "cut_off" | "other_slots" | "other_target";
            }[];
            /** @description What happened with the present settings. */
            before: {
                /** @description Alerts of the range. */
                alerts: {
                    /**
                     * @description Kind of the resource.
                     * @enum {string}
                     */
                    kind: "down" | "degraded" | "certificate";
                    /**
                     * Format: date-time
                     * @description Time when the problem began.
                     */
                    started_at: string;
                    /**
                     * Format: date-time
                     * @description Time when the alert opened.
                     */
                    opened_at: string;
                    /** @description Time of the end; null if it has not ended. */
                    resolved_at: string | null;
                }[];
                /** @description Share of the observed time that was not down, from 0 to 1; null if nothing was observed. */
                uptime: number | null;
                /** @description Seconds that were down. */
                down_seconds: number;
                /** @description Seconds that were degraded. */
                degraded_seconds: number;
                /** @description Seconds in which too few regions voted for a verdict. */
                undetermined_seconds: number;
                /** @description Seconds in maintenance windows that are excluded from uptime. */
                maintenance_seconds: number;
            };
            /** @description What would have happened with the new settings; null if a change cannot be replayed. */
            after: {
                /** @description Alerts that there would have been in the range. */
                alerts: {
                    /**
                     * @description Kind of the resource.
                     * @enum {string}
                     */
                    kind: "down" | "degraded" | "certificate";
                    /**
                     * Format: date-time
                     * @description Time when the problem began.
                     */
                    started_at: string;
                    /**
                     * Format: date-time
                     * @description Time when the alert opened.
                     */
                    opened_at: string;
                    /** @description Time of the end; null if it has not ended. */
                    resolved_at: string | null;
                }[];
                /** @description Share of the observed time that was not down, from 0 to 1; null if nothing was observed. */
                uptime: number | null;
                /** @description Seconds that were down. */
                down_seconds: number;
                /** @description Seconds that were degraded. */
                degraded_seconds: number;
                /** @description Seconds in which too few regions voted for a verdict. */
                undetermined_seconds: number;
                /** @description Seconds in maintenance windows that are excluded from uptime. */
                maintenance_seconds: number;
            } | null;
            /** @description Alerts that differ; null if a change cannot be replayed. */
            diff: {
                /** @description Alerts that only the new settings open. */
                new: {
                    /**
                     * @description Kind of the resource.
                     * @enum {string}
                     */
                    kind: "down" | "degraded" | "certificate";
                    /**
                     * Format: date-time
                     * @description Time when the problem began.
                     */
                    started_at: string;
                    /**
                     * Format: date-time
                     * @description Time when the alert opened.
                     */
                    opened_at: string;
                    /** @description Time of the end; null if it has not ended. */
                    resolved_at: string | null;
                }[];
                /** @description Alerts that only the present settings open. */
                gone: {
                    /**
                     * @description Kind of the resource.
                     * @enum {string}
                     */
                    kind: "down" | "degraded" | "certificate";
                    /**
                     * Format: date-time
                     * @description Time when the problem began.
                     */
                    started_at: string;
                    /**
                     * Format: date-time
                     * @description Time when the alert opened.
                     */
                    opened_at: string;
                    /** @description Time of the end; null if it has not ended. */
                    resolved_at: string | null;
                }[];
                /** @description Alerts that open or resolve at other times. */
                moved: {
                    /** @description The alert with the present settings. */
                    before: {
                        /**
                         * @description Kind of the resource.
                         * @enum {string}
                         */
                        kind: "down" | "degraded" | "certificate";
                        /**
                         * Format: date-time
                         * @description Time when the problem began.
                         */
                        started_at: string;
                        /**
                         * Format: date-time
                         * @description Time when the alert opened.
                         */
                        opened_at: string;
                        /** @description Time of the end; null if it has not ended. */
                        resolved_at: string | null;
                    };
                    /** @description The alert with the new settings. */
                    after: {
                        /**
                         * @description Kind of the resource.
                         * @enum {string}
                         */
                        kind: "down" | "degraded" | "certificate";
                        /**
                         * Format: date-time
                         * @description Time when the problem began.
                         */
                        started_at: string;
                        /**
                         * Format: date-time
                         * @description Time when the alert opened.
                         */
                        opened_at: string;
                        /** @description Time of the end; null if it has not ended. */
                        resolved_at: string | null;
                    };
                    /** @description How much later the alert would have opened, in milliseconds. */
                    opened_ms: number;
                    /** @description How much later the alert would have resolved, in milliseconds. */
                    resolved_ms: number | null;
                }[];
            } | null;
        };
        BacktestMonitorRequest: {
            /** @description Fields of the monitor to change, as in a PATCH. */
            changes?: {
                /** @description Name that people see in lists and messages. */
                name?: string;
                /** @description URL of the kind’s scheme, without credentials. Of http and https, blanks and similar characters in path and query are percent-encoded. */
                url?: string;
                /**
                 * @description HTTP method of the request.
                 * @enum {string}
                 */
                method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
                /** @description Time between two checks in each region. */
                interval_seconds?: number;
                /** @description Time after which a check without a complete response fails. */
                timeout_ms?: number | null;
                /** @description Codes of the regions. */
                regions?: string[];
                /** @description Number of regions that must agree before the monitor counts as down. */
                quorum?: number | null;
                /** @description What must hold for a response, beyond that there is one; or the outcome of each. */
                assertions?: components["schemas"]["AssertionInput"][];
                /** @description Headers of the request. */
                headers?: {
                    [key: string]: string;
                };
                /** @description Text in Markdown. */
                body?: string | null;
                /** @description Whether redirects are followed, at most ten. */
                follow_redirects?: boolean;
                /** @description Severity of alerts, and whom they notify without routes. */
                alert_policy?: components["schemas"]["AlertPolicyInput"] | null;
                /** @description When alerts open and resolve. */
                alert_rules?: {
                    /**
                     * @description Seconds that the monitor must be down before an alert opens.
                     * @default 0
                     */
                    confirm_seconds?: number;
                    /**
                     * @description Seconds that the monitor must be up again before the alert resolves.
                     * @default 0
                     */
                    recover_seconds?: number;
                    /**
                     * @description When an alert counts as flapping: after this many transitions to down within the window, it stays open until the window is quiet; null: never.
                     * @default null
                     */
                    flap?: {
                        /** @description Number of transitions to down within the window. */
                        changes: number;
                        /** @description Length of the window. */
                        window_seconds: number;
                    } | null;
                    /**
                     * @description When an alert of kind `degraded` opens; null: never.
                     * @default null
                     */
                    degraded?: {
                        /**
                         * @description Time that the monitor must be degraded before an alert opens.
                         * @default 300
                         */
                        after_seconds?: number;
                        /**
                         * @description Severity from `p1`, the most urgent, to `p3`.
                         * @default p3
                         * @enum {string}
                         */
                        severity?: "p1" | "p2" | "p3";
                    } | null;
                    /**
                     * @description When an alert of kind `certificate` opens. It does not affect the verdict unless `in_verdict` is true. Only of kinds whose checks see certificates.
                     * @default {
                     *       "enabled": true,
                     *       "thresholds": null,
                     *       "in_verdict": false
                     *     }
                     */
                    certificate?: {
                        /**
                         * @description Whether alerts open before certificates expire.
                         * @default true
                         */
                        enabled?: boolean;
                        /**
                         * @description Thresholds of the alert; null for one of p3 at 14 days, or a third of the certificate’s life if that is less.
                         * @default null
                         */
                        thresholds?: {
                            /** @description Days until the certificate expires. */
                            days_left: number;
                            /**
                             * @description Severity from `p1`, the most urgent, to `p3`.
                             * @default p3
                             * @enum {string}
                             */
                            severity?: "p1" | "p2" | "p3";
                        }[] | null;
                        /**
                         * @description Whether checks warn at the first threshold. Changing it makes a new `config_version`.
                         * @default false
                         */
                        in_verdict?: boolean;
                    };
                } | null;
                /** @description IDs of the components. */
                component_ids?: string[];
                /** @description Labels as keys with values; selectors find monitors by them. */
                labels?: {
                    [key: string]: string;
                };
                /** @description Whether the resource is in use. */
                enabled?: boolean;
                /**
                 * @description Kind of check; as the scheme of `url` says if left out. It cannot be changed.
                 * @enum {string}
                 */
                kind?: "http" | "tcp" | "tls" | "dns" | "ping";
                /** @description What a check of kind `tcp` sends and waits for. */
                tcp?: components["schemas"]["TcpCheckInput"] | null;
                /** @description How a check of kind `tls` comes to its handshake. */
                tls?: components["schemas"]["TlsCheckInput"] | null;
                /** @description How a check of kind `dns` asks, and whose answers it compares. */
                dns?: components["schemas"]["DnsCheckInput"] | null;
                /** @description How many packets a check of kind `ping` sends. */
                ping?: components["schemas"]["PingCheckInput"] | null;
            };
            /**
             * Format: date-time
             * @description Start of the range, at most 29 days before `to`; by default seven.
             */
            from?: string;
            /**
             * Format: date-time
             * @description End of the range; now by default.
             */
            to?: string;
            /**
             * @description Whether to leave out changes that cannot be replayed, instead of refusing them.
             * @default false
             */
            partial?: boolean;
        };
        BulkChangeMonitorsRequest: {
            /** @description Label selector, such as `env=prod, team in (web, api), !legacy`; `*` matches everything. */
            selector?: string;
            /** @description IDs in the wanted order, or of the monitors to change. */
            ids?: string[];
            /**
             * @description What to do with the monitors.
             * @enum {string}
             */
            action: "pause" | "resume" | "delete" | "add_labels" | "remove_labels" | "patch" | "check_now";
            /** @description For `add_labels` an object with the labels, for `remove_labels` an array of keys. */
            labels?: {
                [key: string]: string;
            } | string[];
            /** @description For `patch`: fields as in a PATCH of a monitor, except `name` and `url`. */
            patch?: {
                /**
                 * @description HTTP method of the request.
                 * @enum {string}
                 */
                method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
                /** @description Time between two checks in each region. */
                interval_seconds?: number;
                /** @description Time after which a check without a complete response fails. */
                timeout_ms?: number | null;
                /** @description Codes of the regions. */
                regions?: string[];
                /** @description Number of regions that must agree before the monitor counts as down. */
                quorum?: number | null;
                /** @description What must hold for a response, beyond that there is one; or the outcome of each. */
                assertions?: components["schemas"]["AssertionInput"][];
                /** @description Headers of the request. */
                headers?: {
                    [key: string]: string;
                };
                /** @description Text in Markdown. */
                body?: string | null;
                /** @description Whether redirects are followed, at most ten. */
                follow_redirects?: boolean;
                /** @description Severity of alerts, and whom they notify without routes. */
                alert_policy?: components["schemas"]["AlertPolicyInput"] | null;
                /** @description When alerts open and resolve. */
                alert_rules?: {
                    /**
                     * @description Seconds that the monitor must be down before an alert opens.
                     * @default 0
                     */
                    confirm_seconds?: number;
                    /**
                     * @description Seconds that the monitor must be up again before the alert resolves.
                     * @default 0
                     */
                    recover_seconds?: number;
                    /**
                     * @description When an alert counts as flapping: after this many transitions to down within the window, it stays open until the window is quiet; null: never.
                     * @default null
                     */
                    flap?: {
                        /** @description Number of transitions to down within the window. */
                        changes: number;
                        /** @description Length of the window. */
                        window_seconds: number;
                    } | null;
                    /**
                     * @description When an alert of kind `degraded` opens; null: never.
                     * @default null
                     */
                    degraded?: {
                        /**
                         * @description Time that the monitor must be degraded before an alert opens.
                         * @default 300
                         */
                        after_seconds?: number;
                        /**
                         * @description Severity from `p1`, the most urgent, to `p3`.
                         * @default p3
                         * @enum {string}
                         */
                        severity?: "p1" | "p2" | "p3";
                    } | null;
                    /**
                     * @description When an alert of kind `certificate` opens. It does not affect the verdict unless `in_verdict` is true. Only of kinds whose checks see certificates.
                     * @default {
                     *       "enabled": true,
                     *       "thresholds": null,
                     *       "in_verdict": false
                     *     }
                     */
                    certificate?: {
                        /**
                         * @description Whether alerts open before certificates expire.
                         * @default true
                         */
                        enabled?: boolean;
                        /**
                         * @description Thresholds of the alert; null for one of p3 at 14 days, or a third of the certificate’s life if that is less.
                         * @default null
                         */
                        thresholds?: {
                            /** @description Days until the certificate expires. */
                            days_left: number;
                            /**
                             * @description Severity from `p1`, the most urgent, to `p3`.
                             * @default p3
                             * @enum {string}
                             */
                            severity?: "p1" | "p2" | "p3";
                        }[] | null;
                        /**
                         * @description Whether checks warn at the first threshold. Changing it makes a new `config_version`.
                         * @default false
                         */
                        in_verdict?: boolean;
                    };
                } | null;
                /** @description IDs of the components. */
                component_ids?: string[];
                /** @description Labels as keys with values; selectors find monitors by them. */
                labels?: {
                    [key: string]: string;
                };
                /** @description Whether the resource is in use. */
                enabled?: boolean;
                /** @description What a check of kind `tcp` sends and waits for. */
                tcp?: components["schemas"]["TcpCheckInput"] | null;
                /** @description How a check of kind `tls` comes to its handshake. */
                tls?: components["schemas"]["TlsCheckInput"] | null;
                /** @description How a check of kind `dns` asks, and whose answers it compares. */
                dns?: components["schemas"]["DnsCheckInput"] | null;
                /** @description How many packets a check of kind `ping` sends. */
                ping?: components["schemas"]["PingCheckInput"] | null;
            };
            /** @description Number of monitors that match the selector according to a dry run; required with a selector. */
            expected_count?: number;
            /**
             * @description Whether to change nothing and only show what would be changed.
             * @default false
             */
            dry_run?: boolean;
        };
        BulkChangeMonitorsResponse: {
            /** @description Number of monitors that match. */
            matched: number;
            /** @description Number of monitors that were changed. */
            changed: number;
            /** @description Number of monitors that already were as asked. */
            unchanged: number;
            /** @description Number of those that failed. */
            failed: number;
            /** @description True if nothing was changed and the response only shows what would be. */
            dry_run: boolean;
            /** @description One item for each monitor, in order of IDs. */
            items: {
                /** @description ID of the monitor. */
                id: string;
                /** @description Name of the monitor; null if the project has no such monitor. */
                name: string | null;
                /**
                 * @description What happened to the monitor.
                 * @enum {string}
                 */
                outcome: "changed" | "unchanged" | "failed";
                /** @description The problem that a request for this monitor alone would return; null without one. */
                problem?: {
                    [key: string]: unknown;
                };
            }[];
        };
        CancelMaintenanceRequest: {
            /** @description ID of the occurrence; null for the window as a whole. */
            occurrence_id?: string;
        };
        /** Change */
        Change: {
            /**
             * @description Kind of resources that changed, by the name of their list.
             * @enum {string}
             */
            topic: "project" | "monitors" | "alerts" | "notices" | "incidents" | "maintenances" | "status_pages" | "channels" | "routes" | "flows" | "releases" | "agents";
            /** @description IDs of the resources that changed, at most 100; null for more, or if they are not known. */
            ids: string[] | null;
        };
        /** Channel */
        Channel: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description Reserved; always null. */
            key: string | null;
            /** @description Reserved; always null. */
            managed_by: string | null;
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description Service that the channel sends to.
             * @enum {string}
             */
            type: "email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http" | "jira_service_management" | "incident_io" | "mattermost" | "rocket_chat" | "zulip" | "matrix" | "pushover" | "gotify";
            /** @description Settings of the service. Secrets are shown as `********`; sent back like this, they are kept. */
            config: {
                [key: string]: unknown;
            };
            /**
             * @description How much messages tell: `brief` leaves out URLs, headers and texts of responses.
             * @enum {string}
             */
            detail: "full" | "brief";
            /** @description False if the channel sends nothing. */
            enabled: boolean;
            /**
             * @description State of the channel. `failing`: five deliveries in a row failed, or one three times; `unverified`: an address is not confirmed.
             * @enum {string}
             */
            state: "ok" | "failing" | "unverified";
            /** @description Email addresses that have not been confirmed yet. */
            unconfirmed: string[];
            /** @description Time of the last message that was sent; null if there is none. */
            last_sent_at: string | null;
            /** @description Why the last message was not sent; null if it was. */
            last_error: string | null;
            /** @description Secret that signs the messages of a webhook channel. Returned only when the channel is created. */
            secret?: string;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change of the resource.
             */
            updated_at: string;
        };
        ChannelList: {
            /** @description The items. */
            data: components["schemas"]["Channel"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** ChannelTest */
        ChannelTest: {
            /** @description Whether the service accepted the message. */
            sent: boolean;
            /** @description Why the message was not sent; null if it was. */
            error: string | null;
            /** @description Time that the service took, in milliseconds. */
            ms: number;
        };
        CheckMonitorNowRequest: {
            /** @description Codes of regions of the monitor; by default all. */
            regions?: string[];
        };
        CheckMonitorNowResponse: {
            /**
             * Format: date-time
             * @description The `scheduled_at` of the checks.
             */
            at: string;
            /** @description Codes of the regions that were asked. */
            regions: string[];
            /** @description Regions that were not asked because no agent there can run the check. */
            unable_regions: {
                /** @description Code of the region. */
                region: string;
                /**
                 * @description Whether no agent is online in the region, or none has every capability that the monitor needs.
                 * @enum {string}
                 */
                reason: "no_agent" | "no_able_agent";
                /** @description Capabilities that the most capable agent in the region lacks. */
                missing: string[];
            }[];
        };
        /** CheckResult */
        CheckResult: {
            /** @description ID of the check. */
            id: string;
            /** @description ID of the monitor. */
            monitor_id: string;
            /** @description Code of the region. */
            region: string;
            /** @description ID of the agent that ran the check. */
            agent_id: string;
            /**
             * @description Outcome of the check.
             * @enum {string}
             */
            status: "ok" | "warn" | "err";
            /**
             * Format: date-time
             * @description Time at which the check was due.
             */
            scheduled_at: string;
            /**
             * Format: date-time
             * @description Time when the problem began.
             */
            started_at: string;
            /** @description Time from the start of the request to the end of the response, in milliseconds. */
            latency_ms: number | null;
            /** @description Milliseconds for which the agent itself was suspended during the check. `latency_ms` is then not a measurement of the target and is left out of assertions, percentiles, averages and metrics. Null if it was not. */
            delayed_ms: number | null;
            /** @description How long each phase of the request took; null if it had no timing. */
            timings: {
                /** @description Time for the name lookup, in milliseconds; null without one. */
                dns_ms: number | null;
                /** @description Time for the connection, in milliseconds; null without one. */
                connect_ms: number | null;
                /** @description Time for the TLS handshake, in milliseconds; null without one. */
                tls_ms: number | null;
                /** @description Time until the first byte of the response, in milliseconds; null without one. */
                first_byte_ms: number | null;
                /** @description Time for the rest of the response, in milliseconds; null without one. */
                download_ms: number | null;
                /** @description Talk before TLS, in milliseconds; null for checks without `starttls`. */
                starttls_ms: number | null;
            } | null;
            /** @description HTTP status of the response; null without a response. */
            status_code: number | null;
            /** @description Why the check failed; null if it did not. */
            error: {
                /**
                 * @description Stable code of the failure, for programs.
                 * @enum {string}
                 */
                code: "dns_failure" | "connect_refused" | "connect_timeout" | "connection_reset" | "tls_error" | "timeout" | "too_many_redirects" | "body_too_large" | "blocked_address" | "protocol_error" | "no_record" | "no_reply" | "starttls_refused";
                /** @description The failure in one sentence. */
                message: string;
                /** @description Step of the attempt in which it failed; null from agents before 0.8.0. */
                phase: ("auth" | "dns" | "proxy" | "connect" | "starttls" | "tls" | "handshake" | "request" | "answer") | null;
                /** @description Host and port that it is about; null if there is none. */
                host: string | null;
            } | null;
            /** @description What failed: the target, its name resolution, or the agent itself; null if nothing did. */
            failure_source: ("target" | "resolver" | "probe") | null;
            /** @description What must hold for a response, beyond that there is one; or the outcome of each. */
            assertions: {
                /** @description Position of the assertion in the monitor, from 0. */
                index: number;
                /**
                 * @description Type of the assertion.
                 * @enum {string}
                 */
                type: "status" | "body_contains" | "header" | "json_path" | "latency_p95" | "latency" | "tls_version" | "dns_rcode" | "dns_record" | "dns_agree" | "packet_loss" | "jitter";
                /** @description Whether the assertion held; null if it was skipped. */
                passed: boolean | null;
                /** @description The value that the assertion asks for. */
                expected: string;
                /** @description The value that the response had; null if it had none. */
                actual: string | null;
                /** @description Why the assertion was not evaluated. */
                skipped?: string;
            }[];
            /** @description Number of the attempt within the check, from 1. */
            attempt: number;
            /**
             * @description `scheduled`: a check of the schedule; `confirm`: one that confirms a failure elsewhere.
             * @enum {string}
             */
            kind: "scheduled" | "confirm";
            /** @description Address that the check connected to; null if it did not connect. */
            remote_ip: string | null;
            /** @description Number of bytes of the body that were read. */
            bytes: number;
            /** @description Whether the body was longer than what is read. */
            truncated: boolean;
            /** @description Certificate and protocol of the connection; null without TLS. */
            tls: {
                /** @description Version of TLS. */
                protocol: string;
                /**
                 * Format: date-time
                 * @description End of the validity of the certificate.
                 */
                valid_to: string;
                /** @description Days until the certificate expires. */
                days_left: number;
                /** @description Start of the validity of the certificate; null, as the properties after it, from agents without `tls.facts`. */
                valid_from: string | null;
                /** @description Issuer of the certificate. */
                issuer: string | null;
                /** @description Subject of the certificate. */
                subject: string | null;
                /** @description SHA-256 fingerprint of the certificate, in hexadecimal. */
                fingerprint_sha256: string | null;
                /** @description Host that presented the certificate, with its port, if the check was redirected to another host. */
                host?: string;
                /** @description Certificates of the hosts before the redirects, in order. */
                earlier?: {
                    /** @description Host that presented the certificate. */
                    host: string;
                    /**
                     * Format: date-time
                     * @description Start of the validity of the certificate.
                     */
                    valid_from: string;
                    /**
                     * Format: date-time
                     * @description End of the validity of the certificate.
                     */
                    valid_to: string;
                    /** @description Issuer of the certificate. */
                    issuer: string;
                    /** @description Subject of the certificate. */
                    subject: string;
                    /** @description SHA-256 fingerprint of the certificate, in hexadecimal. */
                    fingerprint_sha256: string;
                }[];
            } | null;
            /** @description Violations of HTTP in the response that were tolerated as browsers do; older agents report none. */
            warnings: {
                /** @description Stable code of the warning, for programs. */
                code: string;
                /** @description The warning in one sentence. */
                message: string;
            }[];
            /** @description What a check of kind `dns` was answered; null for other kinds. */
            dns: {
                /** @description Server that answered, with its port. */
                server: string;
                /** @description Response code, such as `NOERROR`; null if the server did not answer. */
                rcode: string;
                /** @description Records of the answer. */
                answers: {
                    /** @description Name that the record is of. */
                    name: string;
                    /** @description Type of the record. */
                    type: string;
                    /** @description Seconds for which the record may be kept. */
                    ttl: number;
                    /** @description Data of the record as a zone file shows it, in lower case. */
                    data: string;
                }[];
                /** @description Whether there were more records than are kept. */
                truncated: boolean;
                /** @description Answers of the servers in `agree_with`. */
                servers: {
                    /** @description Server of `agree_with`, with its port. */
                    server: string;
                    /** @description Response code, such as `NOERROR`; null if the server did not answer. */
                    rcode: string | null;
                    /** @description Whether it gave the same response code and records. */
                    agrees: boolean;
                }[];
            } | null;
            /** @description Packets of a check of kind `ping`; null for other kinds. */
            ping: {
                /** @description Packets that were sent. */
                sent: number;
                /** @description Replies that came. */
                received: number;
                /** @description Shortest time of a reply, in milliseconds; null without one. */
                min_ms: number | null;
                /** @description Mean time of the replies, in milliseconds; null without one. */
                avg_ms: number | null;
                /** @description Longest time of a reply, in milliseconds; null without one. */
                max_ms: number | null;
                /** @description Mean difference of neighbouring replies; null with fewer than two. */
                jitter_ms: number | null;
            } | null;
            /** @description Version of the settings that decide about checks. Each change of them increases it. */
            config_version: number;
            /**
             * Format: date-time
             * @description Time when the control plane received the result.
             */
            received_at: string;
        };
        CheckResultList: {
            /** @description The items. */
            data: components["schemas"]["CheckResult"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** Component */
        Component: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description ID of the status page. */
            status_page_id: string;
            /** @description Name of the component on the page. */
            name: string;
            /** @description Description below the name, in Markdown. */
            description: string;
            /** @description Group that the component is listed in on the page; null for none. */
            group: string | null;
            /** @description Position on the page, from 0; new components come last by default. */
            position: number;
            /**
             * @description The manual status. Visitors see the worst of it, open incidents and the monitors.
             * @enum {string}
             */
            status: "operational" | "degraded_performance" | "partial_outage" | "major_outage" | "under_maintenance";
            /** @description IDs of the monitors whose verdicts the component shows. */
            monitor_ids: string[];
            /** @description Label selector that adds monitors to the component; null for none. */
            monitor_selector: string | null;
            /** @description Whether the page shows the daily history of the component. */
            show_uptime: boolean;
            /** @description IDs of the monitors that match `monitor_selector`, the first 500 by ID. */
            matched_monitor_ids: string[];
            /** @description Whether more than 500 monitors match. */
            matched_truncated: boolean;
            /**
             * @description Status that visitors see: the worst of `status`, open incidents and monitor verdicts; `unknown` if a monitor has no verdict.
             * @enum {string}
             */
            shown_status: "operational" | "degraded_performance" | "partial_outage" | "major_outage" | "under_maintenance" | "unknown";
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change of the resource.
             */
            updated_at: string;
        };
        ComponentList: {
            /** @description The items. */
            data: components["schemas"]["Component"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        ConnectSlackRequest: {
            /** @description Write-only. */
            bot_token: string;
            /**
             * @description Enables Acknowledge buttons in Slack messages. Write-only.
             * @default null
             */
            signing_secret?: string | null;
        };
        CreateAgentRequest: {
            /** @description Code of the region. */
            region: string;
            /** @description Name of the agent. */
            name: string;
        };
        CreateChannelRequest: {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "email";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description Email addresses, each of which must be confirmed once. */
                to: string[];
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "slack";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /**
                 * @description Slack channel that the project’s bot posts to.
                 * @default null
                 */
                channel?: string | null;
                /** @description URL of an incoming webhook, instead of the bot. */
                webhook_url?: (string | "********") | null;
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "webhook";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description URL that messages are sent to. */
                url: string | "********";
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "pagerduty";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description Integration key of an Events API v2 integration. */
                routing_key: string | "********";
                /**
                 * @description Code of the region.
                 * @default us
                 * @enum {string}
                 */
                region?: "us" | "eu";
                /**
                 * @description Secret of a V3 webhook subscription that acknowledges alerts here.
                 * @default null
                 */
                webhook_secret?: (string | "********") | null;
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "opsgenie";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description API key of the service. */
                api_key: string | "********";
                /**
                 * @description Site of the account. `jsm`: Jira Service Management, the successor of Opsgenie.
                 * @default us
                 * @enum {string}
                 */
                site?: "us" | "eu" | "jsm";
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "teams";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description URL of a workflow that posts to a channel when a webhook request is received. */
                url: string | "********";
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "discord";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description URL that messages are sent to. */
                url: string | "********";
                /**
                 * @description ID of the thread to post in; null for the channel itself.
                 * @default null
                 */
                thread_id?: string | null;
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "telegram";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description Token of the bot. */
                bot_token: string | "********";
                /** @description ID or name of the chat. */
                chat_id: string;
                /**
                 * @description ID of the topic in the chat; null for the chat itself.
                 * @default null
                 */
                topic_id?: number | null;
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "ntfy";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default brief
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description URL with the scheme http or https, without credentials. */
                server?: string;
                /** @description Topic that messages are published to. */
                topic: string | "********";
                /**
                 * @description Access token; null for none.
                 * @default null
                 */
                token?: (string | "********") | null;
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "google_chat";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description URL that messages are sent to. */
                url: string | "********";
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "apprise";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description URL of an Apprise API, such as `https://apprise.example.com/notify/key`. */
                url: string | "********";
                /**
                 * @description Tag of the notifications; null for none.
                 * @default null
                 */
                tag?: string | null;
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "http";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description URL that messages are sent to. */
                url: string | "********";
                /**
                 * @description HTTP method of the request.
                 * @default POST
                 * @enum {string}
                 */
                method?: "POST" | "PUT";
                /**
                 * @description Media type of the body.
                 * @default application/json
                 */
                content_type?: string;
                /**
                 * @description Headers of the request.
                 * @default {}
                 */
                headers?: {
                    [key: string]: string;
                };
                /** @description Template of the body. `{{path}}` is replaced by a value, escaped for `content_type`. */
                template: string;
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "jira_service_management";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description API key of an API integration. */
                api_key: string | "********";
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "incident_io";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description ID of an alert source of the kind HTTP: the end of its URL. */
                source_id: string;
                /** @description Token of the alert source. */
                token: string | "********";
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "mattermost";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description URL of an incoming webhook. */
                url: string | "********";
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "rocket_chat";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description URL of an incoming webhook. */
                url: string | "********";
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "zulip";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description URL of the organization. */
                server: string;
                /** @description Email address of the bot. */
                bot_email: string;
                /** @description API key of the bot. */
                api_key: string | "********";
                /** @description Name of the channel. */
                channel: string;
                /**
                 * @description Topic of the messages.
                 * @default alerts
                 */
                topic?: string;
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "matrix";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description URL of the homeserver’s client API. */
                server: string;
                /** @description Access token of the bot’s account. */
                access_token: string | "********";
                /** @description ID of a room that the bot has joined. */
                room_id: string;
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "pushover";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description API token of an application. */
                token: string | "********";
                /** @description Key of a user or of a group. */
                user: string | "********";
                /**
                 * @description Names of devices, separated by commas; null for all of them.
                 * @default null
                 */
                device?: string | null;
            };
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "gotify";
            /** @description Name of the channel, unique in the project. */
            name: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @default full
             * @enum {string}
             */
            detail?: "full" | "brief";
            /**
             * @description False if the channel sends nothing.
             * @default true
             */
            enabled?: boolean;
            /** @description Settings of the service. */
            config: {
                /** @description URL of the server. */
                server: string;
                /** @description Token of an application. */
                token: string | "********";
            };
        };
        CreateComponentRequest: {
            /** @description ID of the status page. */
            status_page_id: string;
            /** @description Name of the component on the page. */
            name: string;
            /**
             * @description Description below the name, in Markdown.
             * @default
             */
            description?: string;
            /**
             * @description Group that the component is listed in on the page; null for none.
             * @default null
             */
            group?: string | null;
            /**
             * @description Position on the page, from 0; new components come last by default.
             * @default null
             */
            position?: number | null;
            /**
             * @description The manual status. Visitors see the worst of it, open incidents and the monitors.
             * @default operational
             * @enum {string}
             */
            status?: "operational" | "degraded_performance" | "partial_outage" | "major_outage" | "under_maintenance";
            /**
             * @description IDs of the monitors whose verdicts the component shows.
             * @default []
             */
            monitor_ids?: string[];
            /**
             * @description Label selector that adds monitors to the component; null for none.
             * @default null
             */
            monitor_selector?: string | null;
            /**
             * @description Whether the page shows the daily history of the component.
             * @default true
             */
            show_uptime?: boolean;
        };
        CreateFlowRequest: {
            /** @description Name of the flow. */
            name: string;
            /** @description Steps of the flow, with at most 1000 values in all conditions and 16384 bytes of JSON. */
            steps: components["schemas"]["FlowStepInput"][];
            /**
             * @description Conversion window: time from the first step to the last.
             * @default 604800
             */
            window_seconds?: number;
            /**
             * @description Whether the steps must follow in their order; `strict` allows no other step between.
             * @default ordered
             * @enum {string}
             */
            order?: "ordered" | "strict";
        };
        CreateIncidentRequest: {
            /** @description Title of the incident, as visitors see it. */
            title: string;
            /**
             * @description Severity from `p1`, the most urgent, to `p3`.
             * @enum {string}
             */
            severity: "p1" | "p2" | "p3";
            /**
             * @description Impact on the affected components; null if it follows from the severity.
             * @default null
             */
            impact?: ("none" | "degraded" | "partial" | "major") | null;
            /**
             * @description IDs of the components that the incident affects.
             * @default []
             */
            affected_components?: string[];
            /** @description Time when the incident began. */
            started_at?: string | null;
            /** @description ID of the status page. */
            status_page_id: string;
            /** @description End of an incident that is already over. `initial_update` must have the state `resolved` and gets this time. */
            resolved_at?: string | null;
            /**
             * @description The first update.
             * @default null
             */
            initial_update?: {
                /**
                 * @description State of the incident with this update.
                 * @enum {string}
                 */
                state: "investigating" | "identified" | "monitoring" | "resolved";
                /** @description Text in Markdown. */
                body: string;
            } | null;
            /**
             * @description False: subscribers, webhooks and feeds are not notified of the creation and of `initial_update`.
             * @default true
             */
            notify?: boolean;
        };
        CreateIncidentUpdateRequest: {
            /**
             * @description State of the incident with this update.
             * @enum {string}
             */
            state: "investigating" | "identified" | "monitoring" | "resolved";
            /** @description Text in Markdown. */
            body: string;
        };
        CreateMaintenanceRequest: {
            /** @description Title of the maintenance window, as visitors see it. */
            title: string;
            /**
             * @description Text in Markdown.
             * @default
             */
            description?: string;
            /** @description Monitors that are covered: all of these together. Components and pages bring their monitors. */
            scope: {
                /**
                 * @description IDs of the monitors.
                 * @default []
                 */
                monitor_ids?: string[];
                /**
                 * @description Label selector, such as `env=prod, team in (web, api), !legacy`; null for none.
                 * @default null
                 */
                selector?: string | null;
                /**
                 * @description IDs of the components.
                 * @default []
                 */
                component_ids?: string[];
                /**
                 * @description IDs of the status pages.
                 * @default []
                 */
                status_page_ids?: string[];
            };
            /** @description Time when it begins. */
            starts_at?: string | null;
            /** @description Time when it ends. */
            ends_at?: string | null;
            /**
             * @description Schedule of a recurring maintenance, instead of `starts_at` and `ends_at`; null for a single window.
             * @default null
             */
            schedule?: components["schemas"]["MaintenanceScheduleInput"] | null;
            /**
             * @description `hold` delays notifications of alerts until the maintenance is over.
             * @default hold
             * @enum {string}
             */
            alerts?: "hold" | "send";
            /**
             * @description Whether the time in the window counts neither for nor against uptime.
             * @default true
             */
            exclude_from_uptime?: boolean;
            /**
             * @description Seconds after the end of the window after which alerts that are still open are sent.
             * @default 60
             */
            settle_seconds?: number;
            /**
             * @description Whether status pages show the maintenance window.
             * @default false
             */
            announced?: boolean;
            /**
             * @description Hours before the start at which status pages begin to show it.
             * @default 72
             */
            announce_before_hours?: number;
            /**
             * @description What subscribers are notified of.
             * @default null
             */
            notify?: ("announced" | "started" | "updates" | "completed")[] | null;
        };
        CreateMaintenanceUpdateRequest: {
            /**
             * @description State of the maintenance with this update; by default the current one. `completed` ends the maintenance.
             * @enum {string}
             */
            state?: "scheduled" | "in_progress" | "verifying" | "completed";
            /** @description Text in Markdown. */
            body: string;
            /** @description ID of the occurrence; null for the window as a whole. */
            occurrence_id?: string;
        };
        CreateMonitorRequest: {
            /** @description Name of the monitor, 1 to 200 characters. */
            name: string;
            /** @description URL of the kind’s scheme, without credentials. Of http and https, blanks and similar characters in path and query are percent-encoded. */
            url?: string;
            /**
             * @description HTTP method of the request.
             * @default GET
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            /** @description Time between two checks in each region. */
            interval_seconds?: number;
            /**
             * @description Time after which a check without a complete response fails.
             * @default null
             */
            timeout_ms?: number | null;
            /** @description Codes of the regions that check the monitor. */
            regions?: string[];
            /**
             * @description Number of regions that must agree before the monitor counts as down.
             * @default null
             */
            quorum?: number | null;
            /**
             * @description What must hold for a response, beyond that there is one; or the outcome of each.
             * @default []
             */
            assertions?: components["schemas"]["AssertionInput"][];
            /** @description Headers of the request. Stored values are shown as `********`. */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Body of the request; null for none. A stored body is shown as `********`.
             * @default null
             */
            body?: string | null;
            /**
             * @description Whether redirects are followed, at most ten.
             * @default true
             */
            follow_redirects?: boolean;
            /**
             * @description Severity of alerts, and whom they notify without routes.
             * @default {
             *       "severity": "p2",
             *       "slack_channel": null,
             *       "escalate_after_minutes": null
             *     }
             */
            alert_policy?: components["schemas"]["AlertPolicyInput"] | null;
            /** @description When alerts open and resolve. */
            alert_rules?: {
                /**
                 * @description Seconds that the monitor must be down before an alert opens.
                 * @default 0
                 */
                confirm_seconds?: number;
                /**
                 * @description Seconds that the monitor must be up again before the alert resolves.
                 * @default 0
                 */
                recover_seconds?: number;
                /**
                 * @description When an alert counts as flapping: after this many transitions to down within the window, it stays open until the window is quiet; null: never.
                 * @default null
                 */
                flap?: {
                    /** @description Number of transitions to down within the window. */
                    changes: number;
                    /** @description Length of the window. */
                    window_seconds: number;
                } | null;
                /**
                 * @description When an alert of kind `degraded` opens; null: never.
                 * @default null
                 */
                degraded?: {
                    /**
                     * @description Time that the monitor must be degraded before an alert opens.
                     * @default 300
                     */
                    after_seconds?: number;
                    /**
                     * @description Severity from `p1`, the most urgent, to `p3`.
                     * @default p3
                     * @enum {string}
                     */
                    severity?: "p1" | "p2" | "p3";
                } | null;
                /**
                 * @description When an alert of kind `certificate` opens. It does not affect the verdict unless `in_verdict` is true. Only of kinds whose checks see certificates.
                 * @default {
                 *       "enabled": true,
                 *       "thresholds": null,
                 *       "in_verdict": false
                 *     }
                 */
                certificate?: {
                    /**
                     * @description Whether alerts open before certificates expire.
                     * @default true
                     */
                    enabled?: boolean;
                    /**
                     * @description Thresholds of the alert; null for one of p3 at 14 days, or a third of the certificate’s life if that is less.
                     * @default null
                     */
                    thresholds?: {
                        /** @description Days until the certificate expires. */
                        days_left: number;
                        /**
                         * @description Severity from `p1`, the most urgent, to `p3`.
                         * @default p3
                         * @enum {string}
                         */
                        severity?: "p1" | "p2" | "p3";
                    }[] | null;
                    /**
                     * @description Whether checks warn at the first threshold. Changing it makes a new `config_version`.
                     * @default false
                     */
                    in_verdict?: boolean;
                };
            } | null;
            /**
             * @description IDs of the status page components that show the monitor.
             * @default []
             */
            component_ids?: string[];
            /** @description Labels as keys with values; selectors find monitors by them. */
            labels?: {
                [key: string]: string;
            };
            /**
             * @description False while the monitor is paused.
             * @default true
             */
            enabled?: boolean;
            /**
             * @description Kind of check; as the scheme of `url` says if left out. It cannot be changed.
             * @enum {string}
             */
            kind?: "http" | "tcp" | "tls" | "dns" | "ping";
            /** @description What a check of kind `tcp` sends and waits for. */
            tcp?: components["schemas"]["TcpCheckInput"] | null;
            /** @description How a check of kind `tls` comes to its handshake. */
            tls?: components["schemas"]["TlsCheckInput"] | null;
            /** @description How a check of kind `dns` asks, and whose answers it compares. */
            dns?: components["schemas"]["DnsCheckInput"] | null;
            /** @description How many packets a check of kind `ping` sends. */
            ping?: components["schemas"]["PingCheckInput"] | null;
        };
        CreateReleaseRequest: {
            /** @description Version that was released. */
            version: string;
            /** @description Name that people see in lists and messages. */
            name?: string | null;
            /**
             * @description Environment of the release, such as `production`.
             * @default production
             */
            environment?: string;
            /** @description Time of the release. */
            released_at?: string | null;
            /** @description URL of the release notes or the build; null for none. */
            url?: string | null;
            /** @description Commit that the release was built from; null if it is not known. */
            commit_sha?: string | null;
            /** @description Properties of the event or release; null for none. */
            props?: {
                [key: string]: unknown;
            } | null;
        };
        CreateRouteRequest: {
            /** @description Name of the route, unique in the project. */
            name: string;
            /**
             * @description A disabled route sends nothing except resolutions.
             * @default true
             */
            enabled?: boolean;
            /**
             * @description Alerts and notices that the route applies to.
             * @default {
             *       "selector": null,
             *       "severities": [],
             *       "kinds": [],
             *       "notices": []
             *     }
             */
            match?: {
                /**
                 * @description Label selector for the labels of the alert; null for all alerts.
                 * @default null
                 */
                selector?: string | null;
                /**
                 * @description Only alerts with these values; empty for all.
                 * @default []
                 */
                severities?: ("p1" | "p2" | "p3")[];
                /**
                 * @description Only alerts with these values; empty for all.
                 * @default []
                 */
                kinds?: ("down" | "degraded" | "certificate")[];
                /**
                 * @description Kinds of notices; empty for none. A route with a selector gets none.
                 * @default []
                 */
                notices?: ("region.silent" | "region.quarantined" | "agent.silent" | "monitor.unable" | "channel.failing" | "work.failing" | "email.failing")[];
            };
            /**
             * @description Whether later routes are evaluated as well.
             * @default false
             */
            continue?: boolean;
            /** @description Whom the route notifies, and when. */
            steps: {
                /** @description Minutes after the first message at which the step runs, unless acknowledged before. */
                after_minutes: number;
                /** @description IDs of the channels to notify. */
                channel_ids: string[];
            }[];
            /**
             * @description Minutes between reminders until somebody acknowledges; null for none.
             * @default null
             */
            remind_every_minutes?: number | null;
            /**
             * @description Local hours in which messages wait; null for none.
             * @default null
             */
            quiet_hours?: {
                /** @description IANA name of the time zone of quiet hours. */
                timezone: string;
                /**
                 * @description Days of the week on which quiet hours begin.
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
                /** @description Local time at which quiet hours begin. */
                from: string;
                /** @description Local time at which quiet hours end; equal to `from`: the whole day. */
                to: string;
                /**
                 * @description Severities that are sent during quiet hours, too.
                 * @default [
                 *       "p1"
                 *     ]
                 */
                except_severities?: ("p1" | "p2" | "p3")[];
            } | null;
        };
        CreateStatusPageRequest: {
            /** @description Name of the page, shown as its heading. */
            name: string;
            /**
             * @description Part of the public URL: `/status/{slug}`. By default it is made from the name.
             * @default null
             */
            slug?: string | null;
            /**
             * @description Introduction below the heading, in Markdown.
             * @default
             */
            description?: string;
            /**
             * @description IANA name of the time zone of all times on the page.
             * @default UTC
             */
            timezone?: string;
            /**
             * @description Language of all fixed words, numbers and dates of the page and its feeds.
             * @default en
             * @enum {string}
             */
            locale?: "en" | "de" | "fr";
            /**
             * @description Colors of the page; `auto` follows the visitor’s system.
             * @default auto
             * @enum {string}
             */
            theme?: "auto" | "light" | "dark";
            /**
             * @description Number of days in the history of each component.
             * @default 90
             */
            history_days?: number;
            /**
             * @description Color of buttons and links, adjusted so that text stays readable in both themes.
             * @default null
             */
            color?: string | null;
            /**
             * @description Target of the link on the name and the logo; null for the page itself.
             * @default null
             */
            home_url?: string | null;
            /**
             * @description URL where visitors get help, linked on every page; null for none.
             * @default null
             */
            support_url?: string | null;
            /**
             * @description Logo: a PNG, JPEG or WebP image of at most 64 KiB as a data URL (data:image/png;base64,…); null for none.
             * @default null
             */
            logo?: string | null;
        };
        CreateStatusPageSubscriberRequest: {
            /**
             * @description How updates are sent: by email, to a webhook, or to an incoming webhook of Slack or Teams.
             * @default email
             * @enum {string}
             */
            channel?: "email" | "webhook" | "slack" | "teams";
            /** @description Email address; null for a webhook. */
            email?: string | null;
            /** @description URL with the scheme http or https. */
            url?: string | null;
            /**
             * @description IDs of the components to be notified about; empty for the whole page.
             * @default []
             */
            component_ids?: string[];
            /**
             * @description How and when the person consented; null if they confirm by email.
             * @default null
             */
            consent?: string | null;
        };
        CreateTokenRequest: {
            /** @description Name of the token, which the audit log shows. */
            name: string;
            /** @description What the token may do, such as `monitors:read`. A write scope includes reading. */
            scopes: ("*" | "project:read" | "project:write" | "tokens:read" | "tokens:write" | "monitors:read" | "monitors:write" | "alerts:read" | "alerts:write" | "channels:read" | "channels:write" | "routes:read" | "routes:write" | "agents:read" | "agents:write" | "incidents:read" | "incidents:write" | "status-pages:read" | "status-pages:write" | "components:read" | "components:write" | "subscribers:read" | "subscribers:write" | "events:read" | "events:write" | "releases:read" | "releases:write" | "flows:read" | "flows:write" | "audit:read" | "audit:write" | "maintenances:read" | "maintenances:write" | "walls:read" | "walls:write" | "agents:operate")[];
            /** @description Time when the token expires, at the latest that of your own token, which is the default; null for never. */
            expires_at?: string | null;
        };
        CreateWallRequest: {
            /** @description Where the screen hangs. The screen shows it. */
            name: string;
            /**
             * @description Label selector for the monitors that the screen shows; null for all.
             * @default null
             */
            selector?: string | null;
        };
        CreateWebhookRequest: {
            /** @description URL with the scheme http or https, without credentials. */
            url: string;
            /**
             * @description Types of events that are sent to the webhook.
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
             * @description Kinds of alerts whose events are sent to the webhook.
             * @default [
             *       "down"
             *     ]
             */
            alert_kinds?: ("down" | "degraded" | "certificate")[];
            /**
             * @description Whether messages are sent. Five failed deliveries in a row or a 410 response disable it.
             * @default true
             */
            enabled?: boolean;
        };
        /** Delivery */
        Delivery: {
            /** @description ID of the delivery. */
            id: string;
            /**
             * @description Kind of message.
             * @enum {string}
             */
            kind: "incident_update" | "confirmation" | "alert" | "webhook" | "operator" | "digest" | "notice" | "test" | "maintenance_update";
            /**
             * @description Kind of channel: `email`, `slack`, `webhook`, or the type of the alert channel.
             * @enum {string}
             */
            channel: "email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http" | "jira_service_management" | "incident_io" | "mattermost" | "rocket_chat" | "zulip" | "matrix" | "pushover" | "gotify";
            /** @description What the message is about: the ID of an incident update or alert, or an internal key. */
            subject: string;
            /** @description ID of the incident; null if there is none. */
            incident_id: string | null;
            /** @description ID of the alert; null if there is none. */
            alert_id: string | null;
            /** @description ID of the group of alerts; null if there is none. */
            group_id: string | null;
            /** @description ID of the alert channel; null if there is none. */
            channel_id: string | null;
            /** @description ID of the route that named the channel; null if there is none. */
            route_id: string | null;
            /** @description What the channel is notified of, such as `opened` or `reminder`; null for other messages. */
            step: string | null;
            /** @description ID of the subscriber, webhook or channel; null for a Slack channel. */
            recipient_id: string | null;
            /** @description Address, URL or Slack channel. Masked without `subscribers:read`, and a project’s webhook without `project:write`. */
            recipient: string | null;
            /**
             * @description State of the delivery.
             * @enum {string}
             */
            state: "queued" | "sent" | "failed" | "held" | "cancelled";
            /** @description Number of attempts so far. */
            attempts: number;
            /** @description Why the last attempt failed, or why the delivery is held or cancelled; for a sent one, a remark. */
            error: string | null;
            /** @description Time of the next attempt; null if there is none. */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /** @description Time when the message was sent; null if it was not. */
            sent_at: string | null;
        };
        DeliveryList: {
            /** @description The items. */
            data: components["schemas"]["Delivery"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** DnsCheck */
        DnsCheck: {
            /**
             * @description Whether the name server is asked by UDP or by TCP.
             * @default udp
             * @enum {string}
             */
            transport: "udp" | "tcp";
            /**
             * @description Whether the server is asked to look the answer up elsewhere.
             * @default true
             */
            recursion: boolean;
            /**
             * @description Servers, with a port if it is not 53, whose answers `dns_agree` compares.
             * @default []
             */
            agree_with: string[];
        };
        /** DnsCheck */
        DnsCheckInput: {
            /**
             * @description Whether the name server is asked by UDP or by TCP.
             * @default udp
             * @enum {string}
             */
            transport?: "udp" | "tcp";
            /**
             * @description Whether the server is asked to look the answer up elsewhere.
             * @default true
             */
            recursion?: boolean;
            /**
             * @description Servers, with a port if it is not 53, whose answers `dns_agree` compares.
             * @default []
             */
            agree_with?: string[];
        };
        EndMaintenanceRequest: {
            /** @description ID of the occurrence; null for the window as a whole. */
            occurrence_id?: string;
        };
        /** Event */
        Event: {
            /** @description Name of 1 to 200 characters after trimming, without control characters. */
            name: string;
            /**
             * @description Type of the event; `track` by default. Create releases with `POST /v0/releases`.
             * @enum {string}
             */
            type?: "track" | "error";
            /** @description ID of the user in your system; null for none. */
            external_user_id?: string | null;
            /** @description ID of the session; null for none. */
            session_id?: string | null;
            /** @description Properties, at most 10 levels and 255 keys; at most 32 KiB for the event, 4 KiB from a page. */
            props?: {
                [key: string]: unknown;
            } | null;
            /** @description Time of the event, at most an hour in the future; now by default. */
            timestamp?: string | null;
            /** @description Idempotency key of the event: an event with the same key is stored once in 24 hours. */
            dedup_id?: string | null;
        };
        /** EventRate */
        EventRate: {
            /** @description How many events the project may send. */
            limits: {
                /** @description Events per second that the project may send at all times. */
                sustained_per_second: number;
                /** @description Events per second that the project may send in a burst. */
                burst_per_second: number;
                /** @description Length of the longest burst, in seconds. */
                burst_seconds: number;
            };
            /** @description Budget for events that may be sent before the sustained limit applies. */
            sustained: {
                /** @description Events that the budget holds when it is full. */
                capacity: number;
                /** @description Events that are left in the budget now. */
                available: number;
            };
            /** @description Budget for events that may be sent at once. */
            peak: {
                /** @description Events that the budget holds when it is full. */
                capacity: number;
                /** @description Events that are left in the budget now. */
                available: number;
            };
            /** @description Bytes received and allowed in the current UTC day. */
            bytes_today: {
                /** @description Bytes of events received today. */
                used: number;
                /** @description Bytes of events that may be received per day. */
                maximum: number;
                /**
                 * Format: date-time
                 * @description Time when the count starts again.
                 */
                resets_at: string;
            };
            /** @description Events of each of the last 60 minutes, oldest first, up to a few seconds ago. */
            minutes: {
                /** @description Number of events that were stored. */
                stored: number;
                /** @description Number of events that were known already; receipts call them `duplicates`. */
                known: number;
                /** @description Number of events that were refused. */
                refused: number;
                /**
                 * Format: date-time
                 * @description Start of the minute.
                 */
                at: string;
            }[];
            /** @description Events of the last 24 hours by outcome. */
            last_24_hours: {
                /** @description Number of events that were stored. */
                stored: number;
                /** @description Number of events that were known already; receipts call them `duplicates`. */
                known: number;
                /** @description Number of events that were refused. */
                refused: number;
            };
            /** @description Refused events of the last 24 hours by code, most frequent first. */
            refusals: {
                /** @description Code of the refusal. */
                code: string;
                /** @description Number of events refused with the code. */
                events: number;
                /**
                 * Format: date-time
                 * @description Minute of the last refusal with the code.
                 */
                last_at: string;
            }[];
        };
        ExtendMaintenanceRequest: {
            /**
             * Format: date-time
             * @description Time when it ends.
             */
            ends_at: string;
            /** @description ID of the occurrence; null for the window as a whole. */
            occurrence_id?: string;
        };
        /** Flow */
        Flow: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description Name of the flow. */
            name: string;
            /** @description Steps of the flow, with at most 1000 values in all conditions and 16384 bytes of JSON. */
            steps: components["schemas"]["FlowStep"][];
            /** @description Conversion window: time from the first step to the last. */
            window_seconds: number;
            /**
             * @description Whether the steps must follow in their order; `strict` allows no other step between.
             * @enum {string}
             */
            order: "ordered" | "strict";
            /** @description Version of the flow, which increases when steps, window or order change. */
            version: number;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change of the resource.
             */
            updated_at: string;
        };
        FlowList: {
            /** @description The items. */
            data: components["schemas"]["Flow"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** FlowStep */
        FlowStep: {
            /** @description Name of the step in the report. */
            name?: string;
            /** @description Name of the event that completes the step. */
            event: string;
            /**
             * @description Conditions on the properties of the event, all of which must hold.
             * @default []
             */
            where: {
                /** @description Path of the property. */
                prop: string;
                /**
                 * @description How the property is compared.
                 * @enum {string}
                 */
                op: "eq" | "neq" | "in" | "not_in" | "contains" | "not_contains" | "exists" | "not_exists" | "lt" | "lte" | "gt" | "gte";
                /** @description Value or values to compare with. */
                value?: (string | number | boolean | null) | (string | number | boolean | null)[];
            }[];
        };
        /** FlowStep */
        FlowStepInput: {
            /** @description Name of the step in the report. */
            name?: string;
            /** @description Name of the event that completes the step. */
            event: string;
            /**
             * @description Conditions on the properties of the event, all of which must hold.
             * @default []
             */
            where?: {
                /** @description Path of the property. */
                prop: string;
                /**
                 * @description How the property is compared.
                 * @enum {string}
                 */
                op: "eq" | "neq" | "in" | "not_in" | "contains" | "not_contains" | "exists" | "not_exists" | "lt" | "lte" | "gt" | "gte";
                /** @description Value or values to compare with. */
                value?: (string | number | boolean | null) | (string | number | boolean | null)[];
            }[];
        };
        /** FunnelReport */
        FunnelReport: {
            /** @description ID of the flow. */
            flow_id: string;
            /** @description Version of the flow that was evaluated. */
            version: number;
            /** @description Range of time whose entries are counted. */
            range: {
                /**
                 * Format: date-time
                 * @description Start of the range.
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description End of the range.
                 */
                to: string;
            };
            /**
             * @description How entries are grouped.
             * @enum {string}
             */
            group_by: "none" | "day" | "hour" | "release" | "property";
            /** @description The funnel of the whole range. */
            steps: {
                /** @description Number of the step, from 1. */
                step: number;
                /** @description Name of the step. */
                name: string;
                /** @description Number of users. */
                users: number;
                /** @description Share of the users of the first step; null if it had none. */
                from_first: number | null;
                /** @description Share of the users of the previous step; null if it had none. */
                from_previous: number | null;
            }[];
            /** @description The funnel by day or hour of entry. */
            buckets?: {
                /**
                 * Format: date-time
                 * @description Start of the day or hour.
                 */
                bucket: string;
                /** @description The funnel of the whole range. */
                steps: {
                    /** @description Number of the step, from 1. */
                    step: number;
                    /** @description Name of the step. */
                    name: string;
                    /** @description Number of users. */
                    users: number;
                    /** @description Share of the users of the first step; null if it had none. */
                    from_first: number | null;
                    /** @description Share of the users of the previous step; null if it had none. */
                    from_previous: number | null;
                }[];
            }[];
            /** @description The funnel by release, or the releases before the incident. */
            releases?: {
                /** @description ID of the release; null for entries before the first release. */
                release_id: string | null;
                /** @description Version that was released; null for entries before the first release. */
                version: string | null;
                /** @description Name that people see in lists and messages. */
                name: string | null;
                /** @description Time of the release. */
                released_at: string | null;
                /** @description The funnel of the whole range. */
                steps: {
                    /** @description Number of the step, from 1. */
                    step: number;
                    /** @description Name of the step. */
                    name: string;
                    /** @description Number of users. */
                    users: number;
                    /** @description Share of the users of the first step; null if it had none. */
                    from_first: number | null;
                    /** @description Share of the users of the previous step; null if it had none. */
                    from_previous: number | null;
                }[];
            }[];
            /** @description Property of the first step whose values are the groups. */
            property?: string;
            /** @description Groups by property: the 20 values with the most users, then entries without it, then all other values. */
            values?: {
                /**
                 * @description Whether the group is a value, entries without the property, or all other values.
                 * @enum {string}
                 */
                type: "value" | "missing" | "other";
                /** @description Value of the property; null also for `missing` and `other`. */
                value: string | number | boolean | null;
                /** @description The funnel of the whole range. */
                steps: {
                    /** @description Number of the step, from 1. */
                    step: number;
                    /** @description Name of the step. */
                    name: string;
                    /** @description Number of users. */
                    users: number;
                    /** @description Share of the users of the first step; null if it had none. */
                    from_first: number | null;
                    /** @description Share of the users of the previous step; null if it had none. */
                    from_previous: number | null;
                }[];
            }[];
            /** @description Entries before this time had been deleted when the version was created; null if none had. */
            complete_from: string | null;
            /**
             * Format: date-time
             * @description All events that arrived before this time are counted.
             */
            complete_through: string;
            /**
             * @description Whether the counts come from raw events or from hourly roll-ups.
             * @enum {string}
             */
            source: "raw" | "hourly" | "mixed";
            /** @description Hours of the range, and how many of them have not been rolled up yet and are read from raw events. */
            roll_up: {
                /** @description Number of hours in the range. */
                hours: number;
                /** @description Number of hours that have not been rolled up yet. */
                pending: number;
            };
            /** @description True if a count is estimated because it is too large to keep exactly: standard error 0.81 %. */
            estimated: boolean;
        };
        /** Impact */
        Impact: {
            /**
             * @description Version of the method used for the estimate.
             * @constant
             */
            definition: 1;
            /**
             * Format: date-time
             * @description Time when the figures were computed.
             */
            computed_at: string;
            /** @description The range of time that the figures cover. */
            window: {
                /**
                 * Format: date-time
                 * @description Start of the range, inclusive.
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description End of the range, exclusive.
                 */
                to: string;
            };
            /** @description Users who had an error during the incident. */
            users: {
                /**
                 * @description Whether there is an estimate.
                 * @enum {string}
                 */
                status: "measured" | "cannot_tell";
                /** @description The reason as a code; null if there is none. */
                reason: ("no_events" | "window_too_short" | "too_few_users" | "no_baseline" | "not_kept" | "too_many_events") | null;
                /** @description Number of users with an error in the window. */
                with_errors: number | null;
                /** @description Number of users with any event in the window. */
                active: number | null;
                /** @description Users who would have had an error anyway, estimated from the same hours of previous weeks. */
                expected: number | null;
                /** @description Number of users who had an error because of the incident; null without an estimate. */
                affected: number | null;
                /** @description Lower end of the 95 % interval, of which `high` is the upper end. */
                low: number | null;
                /** @description Upper end of the 95 % interval; null without an estimate. */
                high: number | null;
                /** @description Whether the number is beyond chance; null without an estimate. */
                significant: boolean | null;
            };
            /** @description Users who were missing during the incident, compared with earlier weeks. */
            missing: {
                /**
                 * @description Whether there is an estimate.
                 * @enum {string}
                 */
                status: "measured" | "cannot_tell";
                /** @description The reason as a code; null if there is none. */
                reason: ("no_events" | "window_too_short" | "too_few_users" | "no_baseline" | "not_kept" | "too_many_events") | null;
                /** @description Median number of active users in the same hours of previous weeks. */
                expected: number | null;
                /** @description Lower end of the 95 % interval; null without an estimate. */
                low: number | null;
                /** @description Upper end of the 95 % interval; null without an estimate. */
                high: number | null;
            };
            /** @description The funnel by release, or the releases before the incident. */
            releases: {
                /**
                 * @description Whether there are releases to compare.
                 * @enum {string}
                 */
                status: "measured" | "none";
                /** @description Releases that preceded the incident. */
                candidates: {
                    /** @description ID of the release. */
                    id: string;
                    /** @description Version that was released. */
                    version: string;
                    /** @description Name that people see in lists and messages. */
                    name: string | null;
                    /**
                     * Format: date-time
                     * @description Time of the release.
                     */
                    released_at: string;
                    /**
                     * @description Result of the comparison. `suspect`: more users had an error after the release than before, beyond chance.
                     * @enum {string}
                     */
                    verdict: "suspect" | "unlikely" | "cannot_tell";
                    /** @description Why no estimate is possible; null if there is one. */
                    reason: ("too_few_users" | "too_close" | "rose_before" | "not_clear" | "not_kept" | "too_many_events") | null;
                    /** @description Share of users with an error after the release, divided by the share before. */
                    ratio: number | null;
                    /** @description Lower end of the 95 % interval; null without an estimate. */
                    low: number | null;
                    /** @description Upper end of the 95 % interval; null without an estimate. */
                    high: number | null;
                    /** @description Figures for the window before the release; null without data. */
                    before: {
                        /** @description Number of users with an event in the window. */
                        active: number;
                        /** @description Number of users with an error in the window. */
                        with_errors: number;
                    } | null;
                    /** @description Figures for the window after the release; null without data. */
                    after: {
                        /** @description Number of users with an event in the window. */
                        active: number;
                        /** @description Number of users with an error in the window. */
                        with_errors: number;
                    } | null;
                    /** @description Errors after the release that did not occur in the seven days before it; empty if there are too many events. */
                    new_errors: {
                        /** @description Name of the error. */
                        name: string;
                        /** @description Number of users who had the error. */
                        users: number;
                    }[];
                }[];
            };
            /**
             * @description Whether the counts come from raw events or from hourly roll-ups.
             * @constant
             */
            source: "raw";
            /** @description Whether the count is an estimate with a standard error of 0.81 %. */
            estimated: boolean;
        };
        ImportSubscribersRequest: {
            /** @description How and when the person consented. */
            consent: string;
            /** @description The addresses to import. */
            subscribers: {
                /** @description Email address. */
                email: string;
                /**
                 * @description IDs of the components to be notified about; empty for the whole page.
                 * @default []
                 */
                component_ids?: string[];
                /**
                 * @description State that the subscriber had on the former page. Only active ones receive updates.
                 * @default active
                 * @enum {string}
                 */
                state?: "pending" | "active" | "unsubscribed" | "quarantined";
            }[];
        };
        ImportSubscribersResponse: {
            /** @description Number of subscribers that were added. */
            added: number;
            /** @description Number of addresses that were subscribed already. */
            existing: number;
        };
        /** Incident */
        Incident: {
            /** @description ID of the incident. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description ID of the status page. */
            status_page_id: string;
            /** @description ID of the alert; null if there is none. */
            alert_id: string | null;
            /** @description Title of the incident, as visitors see it. */
            title: string;
            /**
             * @description State of the incident, as of its last update.
             * @enum {string}
             */
            state: "investigating" | "identified" | "monitoring" | "resolved";
            /**
             * @description Severity from `p1`, the most urgent, to `p3`.
             * @enum {string}
             */
            severity: "p1" | "p2" | "p3";
            /**
             * @description Impact on the affected components; null if it follows from the severity.
             * @enum {string}
             */
            impact: "none" | "degraded" | "partial" | "major";
            /** @description IDs of the components that the incident affects. */
            affected_components: string[];
            /** @description The updates, in order of posting. */
            updates: components["schemas"]["IncidentUpdate"][];
            /**
             * Format: date-time
             * @description Time when the incident began.
             */
            started_at: string;
            /** @description Time when the incident was resolved; null while it is open. */
            resolved_at: string | null;
            /** @description URL of a post-mortem elsewhere; null for none. */
            postmortem_url: string | null;
            /** @description Post-mortem in Markdown, shown on the incident’s page; null for none. */
            postmortem_body: string | null;
            /** @description Public URL of the incident. */
            url: string;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change of the resource.
             */
            updated_at: string;
        };
        IncidentList: {
            /** @description The items. */
            data: components["schemas"]["Incident"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** IncidentUpdate */
        IncidentUpdate: {
            /** @description ID of the update. */
            id: string;
            /**
             * @description State of the incident with this update.
             * @enum {string}
             */
            state: "investigating" | "identified" | "monitoring" | "resolved";
            /** @description Text in Markdown. */
            body: string;
            /**
             * Format: date-time
             * @description Time when the update was posted.
             */
            posted_at: string;
            /** @description Time of the last edit; null if it was not edited. */
            edited_at: string | null;
        };
        IngestEventsRequest: components["schemas"]["Event"] | components["schemas"]["Event"][];
        /** IngestReceipt */
        IngestReceipt: {
            /** @description ID of the receipt. */
            receipt_id: string;
            /** @description Number of events in the request. */
            received: number;
            /** @description Number of events that will be stored. */
            accepted: number;
            /** @description Number of events that were known already. */
            duplicates: number;
            /** @description Number of events that were refused. */
            rejected: number;
            /** @description IDs of the events in the order sent; null for rejected events. */
            event_ids: (string | null)[];
            /** @description Why events were refused. */
            errors: {
                /** @description Position of the event in the batch, from 0. */
                index: number;
                /** @description JSON Pointer to the field in the body. */
                pointer: string;
                /**
                 * @description Stable code of the mistake, for programs.
                 * @enum {string}
                 */
                code: "required" | "type" | "enum" | "format" | "too_short" | "too_long" | "out_of_range" | "unknown_reference" | "read_only" | "in_future" | "not_allowed" | "release_not_ingestible";
                /** @description What is wrong with the value. */
                detail: string;
            }[];
        };
        ListLabelsResponse: {
            /** @description The items. */
            data: {
                /** @description Key of the label. */
                key: string;
                /** @description Number of monitors that have the label. */
                monitors: number;
                /** @description Values of the label, most used first. */
                values: {
                    /** @description Value of the label. */
                    value: string;
                    /** @description Number of monitors that have the label. */
                    monitors: number;
                }[];
            }[];
        };
        /** Maintenance */
        Maintenance: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description Reserved; always null. */
            key: null;
            /** @description Reserved; always null. */
            managed_by: null;
            /** @description Title of the maintenance window, as visitors see it. */
            title: string;
            /** @description Text in Markdown. */
            description: string;
            /** @description Monitors that are covered: all of these together. Components and pages bring their monitors. */
            scope: {
                /** @description IDs of the monitors. */
                monitor_ids: string[];
                /** @description Label selector, such as `env=prod, team in (web, api), !legacy`; null for none. */
                selector: string | null;
                /** @description IDs of the components. */
                component_ids: string[];
                /** @description IDs of the status pages. */
                status_page_ids: string[];
            };
            /** @description Time when it begins. */
            starts_at: string | null;
            /** @description Time when it ends. */
            ends_at: string | null;
            /** @description Schedule of a recurring maintenance, instead of `starts_at` and `ends_at`; null for a single window. */
            schedule: components["schemas"]["MaintenanceSchedule"] | null;
            /**
             * @description `hold` delays notifications of alerts until the maintenance is over.
             * @enum {string}
             */
            alerts: "hold" | "send";
            /** @description Whether the time in the window counts neither for nor against uptime. */
            exclude_from_uptime: boolean;
            /** @description Seconds after the end of the window after which alerts that are still open are sent. */
            settle_seconds: number;
            /** @description Whether status pages show the maintenance window. */
            announced: boolean;
            /** @description Hours before the start at which status pages begin to show it. */
            announce_before_hours: number;
            /** @description What subscribers of the pages are notified of; empty for nothing. */
            notify: ("announced" | "started" | "updates" | "completed")[];
            /**
             * @description State of the maintenance window.
             * @enum {string}
             */
            state: "scheduled" | "in_progress" | "completed" | "cancelled";
            /** @description The occurrence in progress; null if there is none. */
            current: components["schemas"]["MaintenanceOccurrence"] | null;
            /** @description The next occurrence; null if there is none. */
            next: components["schemas"]["MaintenanceOccurrence"] | null;
            /** @description Number of monitors in the scope now. */
            matched_monitors: number;
            /** @description The latest hundred updates, in order of posting. */
            updates: components["schemas"]["MaintenanceUpdate"][];
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change of the resource.
             */
            updated_at: string;
        };
        MaintenanceList: {
            /** @description The items. */
            data: components["schemas"]["Maintenance"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** MaintenanceOccurrence */
        MaintenanceOccurrence: {
            /** @description ID of the occurrence. */
            id: string;
            /**
             * Format: date-time
             * @description Time when it begins.
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description Time when it ends.
             */
            ends_at: string;
            /**
             * Format: date-time
             * @description Time at which the schedule placed the occurrence.
             */
            original_start: string;
            /**
             * @description State of the occurrence.
             * @enum {string}
             */
            state: "scheduled" | "in_progress" | "completed" | "cancelled";
            /** @description Number of monitors in the group. */
            monitors: number;
        };
        MaintenanceOccurrenceList: {
            /** @description The items. */
            data: components["schemas"]["MaintenanceOccurrence"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** MaintenancePreview */
        MaintenancePreview: {
            /** @description The first twenty occurrences. */
            occurrences: {
                /**
                 * Format: date-time
                 * @description Time when it begins.
                 */
                starts_at: string;
                /**
                 * Format: date-time
                 * @description Time when it ends.
                 */
                ends_at: string;
            }[];
            /** @description Number of monitors that match. */
            monitors: number;
            /** @description The components. */
            components: string[];
            /** @description Status pages that show it. */
            status_pages: string[];
        };
        /** MaintenanceSchedule */
        MaintenanceSchedule: {
            /** @description Local time of the first occurrence, in a year from 2000 to 2099. */
            start: string;
            /** @description IANA name of the time zone. */
            timezone: string;
            /** @description Length of each occurrence. */
            duration_seconds: number;
            /** @description Recurrence rule of RFC 5545, such as `FREQ=MONTHLY;BYDAY=1SU`. */
            rrule: string;
            /**
             * @description Local dates on which there is no occurrence.
             * @default []
             */
            exclude: string[];
        };
        /** MaintenanceSchedule */
        MaintenanceScheduleInput: {
            /** @description Local time of the first occurrence, in a year from 2000 to 2099. */
            start: string;
            /** @description IANA name of the time zone. */
            timezone: string;
            /** @description Length of each occurrence. */
            duration_seconds: number;
            /** @description Recurrence rule of RFC 5545, such as `FREQ=MONTHLY;BYDAY=1SU`. */
            rrule: string;
            /**
             * @description Local dates on which there is no occurrence.
             * @default []
             */
            exclude?: string[];
        };
        /** MaintenanceUpdate */
        MaintenanceUpdate: {
            /** @description ID of the update. */
            id: string;
            /** @description ID of the occurrence; null for the window as a whole. */
            occurrence_id: string;
            /**
             * @description State of the maintenance with this update.
             * @enum {string}
             */
            state: "scheduled" | "in_progress" | "verifying" | "completed";
            /** @description Text in Markdown. */
            body: string;
            /**
             * Format: date-time
             * @description Time when the update was posted.
             */
            posted_at: string;
            /** @description Time of the last edit; null if it was not edited. */
            edited_at: string | null;
        };
        MatchRouteRequest: {
            /** @description Labels of the alert. */
            labels?: {
                [key: string]: string;
            };
            /** @description ID of a monitor, instead of labels. */
            monitor_id?: string;
            /**
             * @description Kind of the alert.
             * @default down
             * @enum {string}
             */
            kind?: "down" | "degraded" | "certificate";
            /**
             * @description Severity from `p1`, the most urgent, to `p3`.
             * @default p2
             * @enum {string}
             */
            severity?: "p1" | "p2" | "p3";
            /**
             * Format: date-time
             * @description Time at which people would be notified of the alert; now by default.
             */
            at?: string;
        };
        /** Monitor */
        Monitor: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description Reserved; always null. */
            key: null;
            /** @description Reserved; always null. */
            managed_by: null;
            /**
             * @description Kind of check.
             * @enum {string}
             */
            kind: "http" | "tcp" | "tls" | "dns" | "ping";
            /** @description Name of the monitor, 1 to 200 characters. */
            name: string;
            /** @description The URL that is checked. */
            url: string;
            /**
             * @description HTTP method of the request.
             * @enum {string}
             */
            method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            /** @description Time between two checks in each region. */
            interval_seconds: number;
            /** @description Time after which a check without a complete response fails. */
            timeout_ms: number;
            /** @description Codes of the regions that check the monitor. */
            regions: string[];
            /** @description Number of regions that must agree before the monitor counts as down. */
            quorum: number;
            /** @description What must hold for a response, beyond that there is one; or the outcome of each. */
            assertions: components["schemas"]["Assertion"][];
            /** @description Headers of the request. Stored values are shown as `********`. */
            headers: {
                [key: string]: string;
            };
            /** @description Body of the request; null for none. A stored body is shown as `********`. */
            body: string | null;
            /** @description Whether redirects are followed, at most ten. */
            follow_redirects: boolean;
            /** @description Severity of alerts, and whom they notify without routes. */
            alert_policy: components["schemas"]["AlertPolicy"];
            /** @description When alerts open and resolve. */
            alert_rules: {
                /**
                 * @description Seconds that the monitor must be down before an alert opens.
                 * @default 0
                 */
                confirm_seconds: number;
                /**
                 * @description Seconds that the monitor must be up again before the alert resolves.
                 * @default 0
                 */
                recover_seconds: number;
                /**
                 * @description When an alert counts as flapping: after this many transitions to down within the window, it stays open until the window is quiet; null: never.
                 * @default null
                 */
                flap: {
                    /** @description Number of transitions to down within the window. */
                    changes: number;
                    /** @description Length of the window. */
                    window_seconds: number;
                } | null;
                /**
                 * @description When an alert of kind `degraded` opens; null: never.
                 * @default null
                 */
                degraded: {
                    /**
                     * @description Time that the monitor must be degraded before an alert opens.
                     * @default 300
                     */
                    after_seconds: number;
                    /**
                     * @description Severity from `p1`, the most urgent, to `p3`.
                     * @default p3
                     * @enum {string}
                     */
                    severity: "p1" | "p2" | "p3";
                } | null;
                /** @description Rules for certificates; null for kinds whose checks see none. */
                certificate: {
                    /**
                     * @description Whether alerts open before certificates expire.
                     * @default true
                     */
                    enabled: boolean;
                    /**
                     * @description Thresholds of the alert; null for one of p3 at 14 days, or a third of the certificate’s life if that is less.
                     * @default null
                     */
                    thresholds: {
                        /** @description Days until the certificate expires. */
                        days_left: number;
                        /**
                         * @description Severity from `p1`, the most urgent, to `p3`.
                         * @default p3
                         * @enum {string}
                         */
                        severity: "p1" | "p2" | "p3";
                    }[] | null;
                    /**
                     * @description Whether checks warn at the first threshold. Changing it makes a new `config_version`.
                     * @default false
                     */
                    in_verdict: boolean;
                } | null;
            };
            /** @description IDs of the status page components that show the monitor. */
            component_ids: string[];
            /** @description Labels as keys with values; selectors find monitors by them. */
            labels: {
                [key: string]: string;
            };
            /** @description False while the monitor is paused. */
            enabled: boolean;
            /** @description What a check of kind `tcp` sends and waits for. */
            tcp?: components["schemas"]["TcpCheck"];
            /** @description How a check of kind `tls` comes to its handshake. */
            tls?: components["schemas"]["TlsCheck"];
            /** @description How a check of kind `dns` asks, and whose answers it compares. */
            dns?: components["schemas"]["DnsCheck"];
            /** @description How many packets a check of kind `ping` sends. */
            ping?: components["schemas"]["PingCheck"];
            /**
             * @description The verdict, or `pending` without one yet, or `paused`.
             * @enum {string}
             */
            status: "up" | "degraded" | "down" | "undetermined" | "pending" | "paused";
            /**
             * Format: date-time
             * @description Time when the monitor took its status.
             */
            status_since: string;
            /** @description What each region last reported. */
            votes: {
                /** @description Code of the region. */
                region: string;
                /**
                 * @description Vote of the region.
                 * @enum {string}
                 */
                vote: "up" | "warn" | "down" | "unknown";
                /** @description Time when the region began to vote like this. */
                since: string | null;
                /** @description Time when the check ended that cast or refreshed the vote. */
                as_of: string | null;
                /** @description Why the vote is unknown; null if it is known. */
                reason: ("no_result" | "expired" | "resolver" | "blocked_address" | "probe") | null;
            }[];
            /** @description The maintenance window that the monitor is in; null if there is none. */
            maintenance: {
                /** @description ID of the maintenance window. */
                id: string;
                /** @description ID of the occurrence; null for the window as a whole. */
                occurrence_id: string;
                /**
                 * Format: date-time
                 * @description Time when it ends.
                 */
                ends_at: string;
            } | null;
            /** @description Regions that cast no vote because no agent there can run the check. */
            unable_regions: {
                /** @description Code of the region. */
                region: string;
                /**
                 * @description Whether no agent is online in the region, or none has every capability that the monitor needs.
                 * @enum {string}
                 */
                reason: "no_agent" | "no_able_agent";
                /** @description Capabilities that the most capable agent in the region lacks. */
                missing: string[];
            }[];
            /** @description Uptime and latency; present with `include=summary`. */
            summary?: components["schemas"]["MonitorSummary"];
            /** @description Version of the settings that decide about checks. Each change of them increases it. */
            config_version: number;
            /** @description Version of `alert_rules`, which increases with each change of them. */
            rules_version: number;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change of the resource.
             */
            updated_at: string;
            /** @description Warnings about settings that are valid but probably unintended; present only in POST and PATCH responses. */
            warnings?: {
                /** @description JSON Pointer to the setting. */
                pointer: string;
                /**
                 * @description Stable code of the warning, for programs.
                 * @enum {string}
                 */
                code: "address_not_public";
                /** @description What is probably unintended, and how to change it. */
                detail: string;
            }[];
        };
        /** MonitorChange */
        MonitorChange: {
            /** @description ID of the audit log entry. */
            id: string;
            /**
             * Format: date-time
             * @description Time of the entry.
             */
            at: string;
            /** @description Who made the change. */
            actor: {
                /**
                 * @description How the actor was authenticated.
                 * @enum {string}
                 */
                type: "token" | "link" | "slack" | "pagerduty" | "admin";
                /** @description ID of the token, or `operator`. */
                id: string;
                /** @description Name at that time. */
                name: string | null;
            };
            /**
             * @description How the change was made.
             * @enum {string}
             */
            via: "api" | "dashboard" | "bulk" | "apply" | "import" | "admin";
            /**
             * @description What was done.
             * @enum {string}
             */
            action: "project.created" | "project.updated" | "project.limits_changed" | "project.quota_changed" | "project.imports_changed" | "token.created" | "token.revoked" | "session.created" | "session.refused" | "session.ended" | "monitor.created" | "monitor.restored" | "monitor.updated" | "monitor.paused" | "monitor.resumed" | "monitor.deleted" | "component.created" | "component.updated" | "component.ordered" | "component.deleted" | "status_page.created" | "status_page.updated" | "status_page.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.imported" | "subscriber.deleted" | "alert.acknowledged" | "alert_group.acknowledged" | "incident.opened" | "incident.promoted" | "incident.changed" | "incident.updated" | "incident.update_edited" | "incident.resolved" | "incident.deleted" | "delivery.replayed" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.deleted" | "slack.connected" | "slack.disconnected" | "release.created" | "release.deleted" | "flow.created" | "flow.updated" | "flow.deleted" | "event.user_erased" | "event.erased" | "channel.created" | "channel.updated" | "channel.deleted" | "route.created" | "route.updated" | "route.ordered" | "route.deleted" | "maintenance.created" | "maintenance.updated" | "maintenance.extended" | "maintenance.ended" | "maintenance.cancelled" | "maintenance.update_posted" | "maintenance.update_edited" | "maintenance.deleted" | "wall.created" | "wall.deleted" | "region.created" | "agent.created" | "agent.revoked" | "check.rebuilt" | "secret.resealed" | "installation.restored" | "sending.paused" | "sending.resumed";
            /**
             * @description Kind of the resource that changed.
             * @enum {string}
             */
            resource: "project" | "token" | "session" | "monitor" | "component" | "status_page" | "subscriber" | "alert" | "alert_group" | "incident" | "delivery" | "webhook" | "slack" | "release" | "flow" | "event" | "channel" | "route" | "maintenance" | "wall" | "region" | "agent" | "check" | "secret" | "installation" | "sending";
            /** @description ID of the resource that changed. */
            subject: string;
            /** @description Name at that time. */
            name: string | null;
            /** @description Fields that changed, with their values before; null if the resource was created. A secret is shown as `secret:` and a hash. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description The same fields with their values after; null if the resource was deleted. */
            after: {
                [key: string]: unknown;
            } | null;
            /** @description Other changes of the request; for lists, only the items that were added or removed. */
            also: {
                /**
                 * @description Kind of the resource that changed with it.
                 * @enum {string}
                 */
                resource: "project" | "token" | "session" | "monitor" | "component" | "status_page" | "subscriber" | "alert" | "alert_group" | "incident" | "delivery" | "webhook" | "slack" | "release" | "flow" | "event" | "channel" | "route" | "maintenance" | "wall" | "region" | "agent" | "check" | "secret" | "installation" | "sending";
                /** @description ID of the resource that changed with it. */
                subject: string;
                /** @description Name of the resource at the time of the change; null if it has none. */
                name: string | null;
                /** @description Fields that changed, with their values before; null if the resource was created. */
                before: {
                    [key: string]: unknown;
                } | null;
                /** @description The same fields with their values after; null if the resource was deleted. */
                after: {
                    [key: string]: unknown;
                } | null;
            }[];
            /** @description ID of the request that made the change. */
            request_id: string | null;
            /** @description Reserved; always null. */
            plan_id: string | null;
            /** @description Text that entries of version 0.4 and before have instead of `before` and `after`; otherwise null. */
            detail: {
                [key: string]: unknown;
            } | null;
            /** @description Version of the settings that the change made; null if it made none, or if it is no longer stored. */
            config_version: number | null;
            /** @description Whether votes from before the change stopped counting. */
            drops_votes: boolean | null;
        };
        MonitorChangeList: {
            /** @description The items. */
            data: components["schemas"]["MonitorChange"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** MonitorDryRun */
        MonitorDryRun: {
            /** @description The monitor as it would be after the request. */
            monitor: components["schemas"]["Monitor"];
            /** @description Names of the fields that would have another value; empty for a new monitor. */
            changed: string[];
            /** @description Whether `config_version` would increase and all regions would check at once. */
            bumps: boolean;
            /** @description Whether the votes of all regions would be dropped. */
            drops_votes: boolean;
            /** @description Back-test of the last 24 hours with the changes that can be replayed; null if there are none, for a new monitor, and if it would take too long. */
            backtest: components["schemas"]["Backtest"] | null;
        };
        MonitorList: {
            /** @description The items. */
            data: components["schemas"]["Monitor"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** MonitorSummary */
        MonitorSummary: {
            /** @description Share of the observed time that was not down; null if nothing was observed. */
            uptime_30d: number | null;
            /** @description 95th percentile of the latency of successful checks in the last 24 hours, in milliseconds. */
            p95_ms: number | null;
            /** @description Average latency of each of the last 24 hours, oldest first; null for an hour without a successful check. */
            hourly_latency_ms: (number | null)[];
            /** @description Share of the checks of each of the last 24 hours that failed, oldest first; null for an hour without checks. */
            hourly_error_rate: (number | null)[];
        };
        /** MonitorTest */
        MonitorTest: {
            /** @description One item for each region. */
            data: {
                /** @description Code of the region. */
                region: string;
                /** @description ID of the agent that ran the check. */
                agent_id: string | null;
                /** @description The result; null if there is none. */
                result: components["schemas"]["TestedCheck"] | null;
                /** @description Why there is no result: no agent is online, none can do this, or none responded in time; null with a result. */
                problem: ("no_agent" | "no_able_agent" | "timeout") | null;
                /** @description The response, with the values of the request masked; null without a response. */
                response: {
                    /** @description Status of the response; null where the kind of check has none. */
                    status_code: number | null;
                    /** @description Headers of the response. */
                    headers: {
                        [key: string]: string;
                    };
                    /** @description Start of the body. */
                    body_excerpt: string;
                } | null;
            }[];
        };
        /** Notice */
        Notice: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /**
             * @description What is impaired.
             * @enum {string}
             */
            kind: "region.silent" | "region.quarantined" | "agent.silent" | "monitor.unable" | "channel.failing" | "work.failing" | "email.failing";
            /** @description What the notice is about. */
            subject: {
                /**
                 * @description Kind of the subject.
                 * @enum {string}
                 */
                type: "region" | "agent" | "channel" | "work" | "email";
                /** @description ID or code of the subject. */
                id: string;
                /** @description Name of the subject. */
                name: string;
            };
            /** @description What is wrong, in a few words. */
            title: string;
            /** @description What is wrong, in one sentence. */
            detail: string;
            /**
             * @description Whether the notice is still true.
             * @enum {string}
             */
            state: "open" | "closed";
            /** @description Whether results of checks from that time arrived later. */
            late_results: boolean;
            /**
             * Format: date-time
             * @description Time when the alert opened.
             */
            opened_at: string;
            /** @description Time when the notice closed; null while it is open. */
            closed_at: string | null;
        };
        NoticeList: {
            /** @description The items. */
            data: components["schemas"]["Notice"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        OrderComponentsRequest: {
            /** @description ID of the status page. */
            status_page_id: string;
            /** @description The components. */
            components: {
                /** @description ID of the component. */
                id: string;
                /** @description Group that the component is listed in on the page; null for none. */
                group: string | null;
            }[];
        };
        OrderRouteRequest: {
            /** @description IDs in the wanted order, or of the monitors to change. */
            ids: string[];
        };
        OrderRouteResponse: {
            /** @description The items. */
            data: components["schemas"]["Route"][];
        };
        /** Overview */
        Overview: {
            /** @description Number of monitors by status. */
            monitors: {
                /** @description Number of monitors that are up. */
                up: number;
                /** @description Number of monitors that are degraded. */
                degraded: number;
                /** @description Number of monitors that are down. */
                down: number;
                /** @description Number of monitors without enough votes for a verdict. */
                undetermined: number;
                /** @description Number of monitors that have no verdict yet. */
                pending: number;
                /** @description Number of monitors that are paused. */
                paused: number;
            };
            /** @description Monitors in a maintenance window by status, also counted in `monitors`. */
            in_maintenance: {
                /** @description Number of monitors that are up. */
                up: number;
                /** @description Number of monitors that are degraded. */
                degraded: number;
                /** @description Number of monitors that are down. */
                down: number;
                /** @description Number of monitors without enough votes for a verdict. */
                undetermined: number;
                /** @description Number of monitors that have no verdict yet. */
                pending: number;
                /** @description Number of monitors that are paused. */
                paused: number;
            };
            /** @description Number of alerts by state; null without the scope `alerts:read`. */
            alerts: {
                /** @description Number of open alerts, without those whose notifications are delayed. */
                open: number;
                /** @description Number of alerts that are acknowledged and not resolved. */
                acknowledged: number;
                /** @description Number of open alerts whose notifications are delayed by maintenance. */
                held: number;
            } | null;
            /** @description Number of incidents; null without the scope `incidents:read`. */
            incidents: {
                /** @description Number of incidents that are not resolved. */
                unresolved: number;
            } | null;
            /** @description Deliveries of the last 24 hours by state, the newest 1000; null without `incidents:read`. */
            deliveries: {
                /** @description Number of deliveries that failed in the last 24 hours. */
                failed: number;
                /** @description Number of deliveries that are not sent until somebody replays them. */
                held: number;
            } | null;
            /** @description The regions of the project, with their state. */
            regions: components["schemas"]["Region"][];
        };
        /** PingCheck */
        PingCheck: {
            /**
             * @description Packets of one check.
             * @default 3
             */
            count: number;
        };
        /** PingCheck */
        PingCheckInput: {
            /**
             * @description Packets of one check.
             * @default 3
             */
            count?: number;
        };
        /** PlannedOccurrence */
        PlannedOccurrence: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /**
             * Format: date-time
             * @description Time when it begins.
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description Time when it ends.
             */
            ends_at: string;
            /**
             * Format: date-time
             * @description Time at which the schedule placed the occurrence.
             */
            original_start: string;
            /**
             * @description State of the occurrence.
             * @enum {string}
             */
            state: "scheduled" | "in_progress" | "completed" | "cancelled";
            /** @description Number of monitors in the group. */
            monitors: number;
            /** @description ID of the maintenance window. */
            maintenance_id: string;
            /** @description Title of the maintenance window. */
            title: string;
            /** @description Whether status pages show the maintenance window. */
            announced: boolean;
        };
        PlannedOccurrenceList: {
            /** @description The items. */
            data: components["schemas"]["PlannedOccurrence"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        PreviewMaintenanceRequest: {
            /** @description Title of the maintenance window, as visitors see it. */
            title: string;
            /**
             * @description Text in Markdown.
             * @default
             */
            description?: string;
            /** @description Monitors that are covered: all of these together. Components and pages bring their monitors. */
            scope: {
                /**
                 * @description IDs of the monitors.
                 * @default []
                 */
                monitor_ids?: string[];
                /**
                 * @description Label selector, such as `env=prod, team in (web, api), !legacy`; null for none.
                 * @default null
                 */
                selector?: string | null;
                /**
                 * @description IDs of the components.
                 * @default []
                 */
                component_ids?: string[];
                /**
                 * @description IDs of the status pages.
                 * @default []
                 */
                status_page_ids?: string[];
            };
            /** @description Time when it begins. */
            starts_at?: string | null;
            /** @description Time when it ends. */
            ends_at?: string | null;
            /**
             * @description Schedule of a recurring maintenance, instead of `starts_at` and `ends_at`; null for a single window.
             * @default null
             */
            schedule?: components["schemas"]["MaintenanceScheduleInput"] | null;
            /**
             * @description `hold` delays notifications of alerts until the maintenance is over.
             * @default hold
             * @enum {string}
             */
            alerts?: "hold" | "send";
            /**
             * @description Whether the time in the window counts neither for nor against uptime.
             * @default true
             */
            exclude_from_uptime?: boolean;
            /**
             * @description Seconds after the end of the window after which alerts that are still open are sent.
             * @default 60
             */
            settle_seconds?: number;
            /**
             * @description Whether status pages show the maintenance window.
             * @default false
             */
            announced?: boolean;
            /**
             * @description Hours before the start at which status pages begin to show it.
             * @default 72
             */
            announce_before_hours?: number;
            /**
             * @description What subscribers are notified of.
             * @default null
             */
            notify?: ("announced" | "started" | "updates" | "completed")[] | null;
        };
        PreviewStatusPageRequest: {
            /** @description Name of the page, shown as its heading. */
            name?: string;
            /** @description Part of the public URL: `/status/{slug}`. By default it is made from the name. */
            slug?: string;
            /** @description Introduction below the heading, in Markdown. */
            description?: string;
            /** @description IANA name of the time zone of all times on the page. */
            timezone?: string;
            /**
             * @description Language of all fixed words, numbers and dates of the page and its feeds.
             * @enum {string}
             */
            locale?: "en" | "de" | "fr";
            /**
             * @description Colors of the page; `auto` follows the visitor’s system.
             * @enum {string}
             */
            theme?: "auto" | "light" | "dark";
            /** @description Number of days in the history of each component. */
            history_days?: number;
            /** @description Color of buttons and links, adjusted so that text stays readable in both themes. */
            color?: string | null;
            /** @description Target of the link on the name and the logo; null for the page itself. */
            home_url?: string | null;
            /** @description URL where visitors get help, linked on every page; null for none. */
            support_url?: string | null;
            /** @description Logo: a PNG, JPEG or WebP image of at most 64 KiB as a data URL (data:image/png;base64,…); null for none. */
            logo?: string | null;
        };
        PreviewStatusPageResponse: {
            /** @description The page as an HTML document, with at most the last 30 days. */
            html: string;
        };
        /** Problem */
        Problem: {
            /**
             * Format: uri
             * @description URL of the page that explains the code.
             */
            type: string;
            /** @description What went wrong, in the same words for each code. */
            title: string;
            /** @description The HTTP status of the response. */
            status: number;
            /** @description What went wrong with this request, and what to do about it. */
            detail: string;
            /** @description Path of the request. */
            instance?: string;
            /**
             * @description Stable code of the error, for programs.
             * @enum {string}
             */
            code: "invalid_json" | "invalid_parameter" | "invalid_cursor" | "invalid_idempotency_key" | "empty_batch" | "missing_token" | "invalid_token" | "token_expired" | "token_revoked" | "invalid_signature" | "insufficient_scope" | "origin_not_allowed" | "not_found" | "method_not_allowed" | "request_timeout" | "already_resolved" | "alert_already_promoted" | "alert_resolved" | "limit_reached" | "monitor_paused" | "name_taken" | "channel_in_use" | "maintenance_over" | "slug_taken" | "wrong_kind" | "component_in_use" | "status_page_in_use" | "delivery_not_replayable" | "count_changed" | "idempotency_in_progress" | "changed_since" | "link_expired" | "payload_too_large" | "batch_too_large" | "unsupported_media_type" | "validation_failed" | "idempotency_key_reused" | "release_not_ingestible" | "backtest_too_large" | "rate_limited" | "headers_too_large" | "internal_error" | "unavailable";
            /** @description ID of the request. Send it to your operator when you report a problem. */
            request_id: string;
            /** @description Seconds to wait before the next attempt. */
            retry_after?: number;
            /** @description The incident that the alert was promoted to (`alert_already_promoted`). */
            incident_id?: string;
            /** @description Number of monitors that match the selector now (`count_changed`). */
            matched?: number;
            /** @description The resource whose quota is used up (`limit_reached`). */
            resource?: string;
            /** @description The quota (`limit_reached`). */
            maximum?: number;
            /** @description How much of the quota is used (`limit_reached`). */
            used?: number;
            /** @description Every field, parameter and header that is wrong. */
            errors?: {
                /** @description Position of the event in the batch, from 0. */
                index?: number;
                /** @description JSON Pointer to the field in the body. */
                pointer?: string;
                /** @description Name of the query parameter or header. */
                parameter?: string;
                /**
                 * @description Stable code of the mistake, for programs.
                 * @enum {string}
                 */
                code: "required" | "type" | "enum" | "format" | "too_short" | "too_long" | "out_of_range" | "unknown_reference" | "read_only" | "in_future" | "not_allowed" | "release_not_ingestible";
                /** @description What is wrong with the value. */
                detail: string;
            }[];
        };
        /** Project */
        Project: {
            /** @description ID of the project. */
            id: string;
            /** @description Name of the project. */
            name: string;
            /**
             * @description Plan of the project, which sets its quotas and limits.
             * @enum {string}
             */
            plan: "pro" | "team" | "agency" | "business" | "enterprise";
            /** @description Number of days that events are stored. */
            event_retention_days: number;
            /** @description How many events the project may send. */
            ingest_limits: {
                /** @description Events per second that the project may send at all times. */
                sustained_per_second: number;
                /** @description Events per second that the project may send in a burst. */
                burst_per_second: number;
                /** @description Length of the longest burst, in seconds. */
                burst_seconds: number;
            };
            /** @description Origins of web pages that may send events without a token. */
            allowed_origins: string[];
            /** @description How alerts with one cause are grouped into one message. */
            grouping: {
                /**
                 * @description Seconds that the first message is delayed to collect more alerts.
                 * @default 5
                 */
                wait_seconds: number;
                /**
                 * @description Seconds after an alert in which the next may join its group.
                 * @default 300
                 */
                join_seconds: number;
            };
            /** @description When a silent region or agent opens a notice. */
            notices: {
                /**
                 * @description Seconds after the last vote of a region expired until the region is reported silent; null disables it.
                 * @default 300
                 */
                region_silent_after_seconds: number | null;
                /**
                 * @description Seconds without a heartbeat after which an agent is reported silent; null disables it.
                 * @default 300
                 */
                agent_silent_after_seconds: number | null;
            };
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /** @description Quotas of the project and their use. The operator can raise a quota. */
            quotas: {
                /**
                 * @description The resource that the quota is for.
                 * @enum {string}
                 */
                resource: "monitors" | "monitor_regions" | "tokens" | "status_pages" | "components" | "open_incidents" | "incidents" | "maintenances" | "webhooks" | "channels" | "routes" | "subscribers" | "flows" | "agents" | "walls" | "releases" | "event_bytes_per_day";
                /** @description How many the project may have. */
                maximum: number;
                /** @description How many the project has. */
                used: number;
            }[];
        };
        PromoteAlertRequest: {
            /**
             * @description Severity from `p1`, the most urgent, to `p3`.
             * @default null
             */
            severity?: ("p1" | "p2" | "p3") | null;
            /**
             * @description ID of the status page.
             * @default null
             */
            status_page_id?: string | null;
            /**
             * @description Title that people see.
             * @default null
             */
            title?: string | null;
            /**
             * @description Impact on the affected components; null if it follows from the severity.
             * @default null
             */
            impact?: ("none" | "degraded" | "partial" | "major") | null;
            /**
             * @description Text of the first update in Markdown; null for the text of the preview.
             * @default null
             */
            body?: string | null;
        };
        /** Promotion */
        Promotion: {
            /** @description Title that the incident would have. */
            title: string;
            /**
             * @description Severity from `p1`, the most urgent, to `p3`.
             * @enum {string}
             */
            severity: "p1" | "p2" | "p3";
            /**
             * @description Impact on the affected components; null if it follows from the severity.
             * @enum {string}
             */
            impact: "none" | "degraded" | "partial" | "major";
            /** @description ID of the status page; null if several pages or none fit: choose one of `status_pages`. */
            status_page_id: string | null;
            /** @description IDs of the components that the incident affects. */
            affected_components: string[];
            /** @description Components that the incident would affect. */
            components: {
                /** @description ID of the component. */
                id: string;
                /** @description Name of the component. */
                name: string;
            }[];
            /** @description The first update. */
            initial_update: {
                /**
                 * @description State of the incident with this update.
                 * @enum {string}
                 */
                state: "investigating" | "identified" | "monitoring" | "resolved";
                /** @description Text of the update in Markdown. */
                body: string;
            };
            /** @description Status pages with a component of the monitor. */
            status_pages: {
                /** @description ID of the status page. */
                id: string;
                /** @description Name of the status page. */
                name: string;
            }[];
            /** @description ID of the incident that the alert was promoted to; null if it was not. */
            incident_id: string | null;
        };
        /** Region */
        Region: {
            /** @description Code of the region. */
            code: string;
            /** @description Name of the region. */
            name: string;
            /** @description Number of agents that are connected. */
            agents_online: number;
            /** @description Number of agents that are not revoked. */
            agents_total: number;
            /** @description Capabilities that at least one online agent has. */
            capabilities: string[];
        };
        /** RegionDetails */
        RegionDetails: {
            /** @description Code of the region. */
            code: string;
            /** @description Name that people see in lists and messages. */
            name: string;
            /** @description Number of agents that are connected. */
            agents_online: number;
            /** @description Number of agents that are not revoked. */
            agents_total: number;
            /** @description Capabilities that at least one online agent has. */
            capabilities: string[];
            /** @description True for a region that only this project can use. */
            private: boolean;
            /** @description Time since which its votes have not counted for this project; null if they count. */
            quarantined_since: string | null;
            /** @description Number of enabled monitors of the project that run in the region. */
            monitors: number;
            /** @description Number of enabled monitors in the region whose vote is missing or has expired. */
            monitors_without_vote: number;
            /** @description Time when the newest check for the project ended; null if there is none. */
            last_result_at: string | null;
        };
        RegionDetailsList: {
            /** @description The items. */
            data: components["schemas"]["RegionDetails"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** Release */
        Release: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description Version that was released. */
            version: string;
            /** @description Name that people see in lists and messages. */
            name: string | null;
            /** @description Environment of the release, such as `production`. */
            environment: string;
            /**
             * Format: date-time
             * @description Time of the release.
             */
            released_at: string;
            /** @description URL of the release notes or the build; null for none. */
            url: string | null;
            /** @description Commit that the release was built from; null if it is not known. */
            commit_sha: string | null;
            /** @description Properties of the event or release; null for none. */
            props: {
                [key: string]: unknown;
            } | null;
            /** @description ID of the event that marks the release on timelines. */
            event_id: string;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
        };
        /** ReleaseComparison */
        ReleaseComparison: {
            /** @description ID of the release. */
            release_id: string;
            /**
             * Format: date-time
             * @description Time when the figures were computed.
             */
            computed_at: string;
            /** @description Window before the release: at most an hour, cut at the previous release. */
            before_window: {
                /**
                 * Format: date-time
                 * @description Start of the range, inclusive.
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description End of the range, exclusive.
                 */
                to: string;
            };
            /** @description Window after the release: at most an hour, cut at the next release and at the present. */
            after_window: {
                /**
                 * Format: date-time
                 * @description Start of the range, inclusive.
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description End of the range, exclusive.
                 */
                to: string;
            };
            /**
             * @description Result of the comparison. `suspect`: more users had an error after the release than before, beyond chance.
             * @enum {string}
             */
            verdict: "suspect" | "unlikely" | "cannot_tell";
            /** @description Why no estimate is possible; null if there is one. */
            reason: ("too_few_users" | "too_close" | "rose_before" | "not_clear" | "not_kept" | "too_many_events") | null;
            /** @description Share of users with an error after the release, divided by the share before. */
            ratio: number | null;
            /** @description Lower end of the 95 % interval; null without an estimate. */
            low: number | null;
            /** @description Upper end of the 95 % interval; null without an estimate. */
            high: number | null;
            /** @description Figures for the window before the release; null without data. */
            before: {
                /** @description Number of users with an event in the window. */
                active: number;
                /** @description Number of users with an error in the window. */
                with_errors: number;
            } | null;
            /** @description Figures for the window after the release; null without data. */
            after: {
                /** @description Number of users with an event in the window. */
                active: number;
                /** @description Number of users with an error in the window. */
                with_errors: number;
            } | null;
            /** @description Errors after the release that did not occur in the seven days before it; empty if there are too many events. */
            new_errors: {
                /** @description Name of the error. */
                name: string;
                /** @description Number of users who had the error. */
                users: number;
            }[];
        };
        ReleaseList: {
            /** @description The items. */
            data: components["schemas"]["Release"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        ResolveIncidentRequest: {
            /** @description Text in Markdown. */
            body: string;
        };
        RotateWebhookSecretRequest: {
            /**
             * @description Seconds for which messages are also signed with the previous secret.
             * @default 86400
             */
            overlap_seconds?: number;
        };
        /** Route */
        Route: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description Reserved; always null. */
            key: string | null;
            /** @description Reserved; always null. */
            managed_by: string | null;
            /** @description Name of the route, unique in the project. */
            name: string;
            /** @description A disabled route sends nothing except resolutions. */
            enabled: boolean;
            /** @description Alerts and notices that the route applies to. */
            match: {
                /**
                 * @description Label selector for the labels of the alert; null for all alerts.
                 * @default null
                 */
                selector: string | null;
                /**
                 * @description Only alerts with these values; empty for all.
                 * @default []
                 */
                severities: ("p1" | "p2" | "p3")[];
                /**
                 * @description Only alerts with these values; empty for all.
                 * @default []
                 */
                kinds: ("down" | "degraded" | "certificate")[];
                /**
                 * @description Kinds of notices; empty for none. A route with a selector gets none.
                 * @default []
                 */
                notices: ("region.silent" | "region.quarantined" | "agent.silent" | "monitor.unable" | "channel.failing" | "work.failing" | "email.failing")[];
            };
            /** @description Whether later routes are evaluated as well. */
            continue: boolean;
            /** @description Whom the route notifies, and when. */
            steps: {
                /** @description Minutes after the first message at which the step runs, unless acknowledged before. */
                after_minutes: number;
                /** @description IDs of the channels to notify. */
                channel_ids: string[];
            }[];
            /** @description Minutes between reminders until somebody acknowledges; null for none. */
            remind_every_minutes: number | null;
            /** @description Local hours in which messages wait; null for none. */
            quiet_hours: {
                /** @description IANA name of the time zone of quiet hours. */
                timezone: string;
                /**
                 * @description Days of the week on which quiet hours begin.
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
                /** @description Local time at which quiet hours begin. */
                from: string;
                /** @description Local time at which quiet hours end; equal to `from`: the whole day. */
                to: string;
                /**
                 * @description Severities that are sent during quiet hours, too.
                 * @default [
                 *       "p1"
                 *     ]
                 */
                except_severities: ("p1" | "p2" | "p3")[];
            } | null;
            /** @description Position in the list, from 0. Routes are evaluated in this order. */
            position: number;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change of the resource.
             */
            updated_at: string;
        };
        RouteList: {
            /** @description The items. */
            data: components["schemas"]["Route"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** RouteMatch */
        RouteMatch: {
            /** @description Routes that apply, in order. */
            routes: {
                /** @description ID of the route. */
                id: string;
                /** @description When each step would run, and whom it would notify. */
                steps: {
                    /** @description Time at which it is due; null if it is never due. */
                    due_at: string | null;
                    /** @description IDs of the channels to notify. */
                    channel_ids: string[];
                }[];
                /** @description The first three reminders, if nobody acknowledges. */
                reminders: {
                    /**
                     * Format: date-time
                     * @description Time at which it is due; null if it is never due.
                     */
                    due_at: string;
                }[];
                /** @description End of the quiet hours that the first message falls into; null if there are none. */
                held_until: string | null;
            }[];
        };
        /** SlackConnection */
        SlackConnection: {
            /** @description Whether Slack is connected. */
            connected: boolean;
            /** @description Time when Slack was connected; null if it is not. */
            connected_at: string | null;
        };
        /** StatusPage */
        StatusPage: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description Name of the page, shown as its heading. */
            name: string;
            /** @description Part of the public URL: `/status/{slug}`. By default it is made from the name. */
            slug: string;
            /** @description Introduction below the heading, in Markdown. */
            description: string;
            /** @description IANA name of the time zone of all times on the page. */
            timezone: string;
            /**
             * @description Language of all fixed words, numbers and dates of the page and its feeds.
             * @enum {string}
             */
            locale: "en" | "de" | "fr";
            /**
             * @description Colors of the page; `auto` follows the visitor’s system.
             * @enum {string}
             */
            theme: "auto" | "light" | "dark";
            /** @description Number of days in the history of each component. */
            history_days: number;
            /** @description Color of buttons and links, adjusted so that text stays readable in both themes. */
            color: string | null;
            /** @description Target of the link on the name and the logo; null for the page itself. */
            home_url: string | null;
            /** @description URL where visitors get help, linked on every page; null for none. */
            support_url: string | null;
            /** @description URL of the logo, which is served with the page; null for none. */
            logo: string | null;
            /** @description Public URL of the page. */
            url: string;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change of the resource.
             */
            updated_at: string;
        };
        StatusPageList: {
            /** @description The items. */
            data: components["schemas"]["StatusPage"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** StoredEvent */
        StoredEvent: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description Name of the event. */
            name: string;
            /**
             * @description Type of the event.
             * @enum {string}
             */
            type: "track" | "release" | "error";
            /**
             * Format: date-time
             * @description Time of the event.
             */
            timestamp: string;
            /** @description Properties of the event or release; null for none. */
            props?: {
                [key: string]: unknown;
            };
            /** @description ID of the session; null if the event has none. */
            session_id?: string;
            /** @description ID of the user in your system; null for none. */
            external_user_id: string | null;
            /**
             * Format: date-time
             * @description Time when the event arrived.
             */
            ingested_at: string;
        };
        StoredEventList: {
            /** @description The items. */
            data: components["schemas"]["StoredEvent"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** Subscriber */
        Subscriber: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description ID of the status page. */
            status_page_id: string;
            /**
             * @description How updates are sent: by email, to a webhook, or to an incoming webhook of Slack or Teams.
             * @enum {string}
             */
            channel: "email" | "webhook" | "slack" | "teams";
            /** @description Email address; null for a webhook. */
            email: string | null;
            /** @description URL of the webhook; null for email. */
            url: string | null;
            /** @description IDs of the components. */
            component_ids: string[];
            /**
             * @description `pending` until the address is confirmed.
             * @enum {string}
             */
            state: "pending" | "active" | "unsubscribed" | "quarantined";
            /** @description Why the subscriber was quarantined, if the import was ended; otherwise null. */
            state_reason: string | null;
            /** @description How and when the person consented; null if they confirm by email. */
            consent: string | null;
            /** @description Number of failed deliveries in a row. */
            failures: number;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /** @description Time when the subscription was confirmed; null if it was not. */
            confirmed_at: string | null;
            /** @description Secret that signs the webhook’s messages. Returned only when it is created. */
            secret?: string;
        };
        SubscriberList: {
            /** @description The items. */
            data: components["schemas"]["Subscriber"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** TcpCheck */
        TcpCheck: {
            /**
             * @description Text that is sent once connected, shown as `"********"` without `monitors:write`.
             * @default null
             */
            send: string | null;
            /**
             * @description Whether at least one byte of an answer must come.
             * @default false
             */
            read: boolean;
        };
        /** TcpCheck */
        TcpCheckInput: {
            /**
             * @description Text that is sent once connected, shown as `"********"` without `monitors:write`.
             * @default null
             */
            send?: string | null;
            /**
             * @description Whether at least one byte of an answer must come.
             * @default false
             */
            read?: boolean;
        };
        TestChannelDraftRequest: {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "email";
            /** @description Settings of the service. */
            config: {
                /** @description Email addresses, each of which must be confirmed once. */
                to: string[];
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "slack";
            /** @description Settings of the service. */
            config: {
                /**
                 * @description Slack channel that the project’s bot posts to.
                 * @default null
                 */
                channel?: string | null;
                /** @description URL of an incoming webhook, instead of the bot. */
                webhook_url?: (string | "********") | null;
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "webhook";
            /** @description Settings of the service. */
            config: {
                /** @description URL that messages are sent to. */
                url: string | "********";
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "pagerduty";
            /** @description Settings of the service. */
            config: {
                /** @description Integration key of an Events API v2 integration. */
                routing_key: string | "********";
                /**
                 * @description Code of the region.
                 * @default us
                 * @enum {string}
                 */
                region?: "us" | "eu";
                /**
                 * @description Secret of a V3 webhook subscription that acknowledges alerts here.
                 * @default null
                 */
                webhook_secret?: (string | "********") | null;
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "opsgenie";
            /** @description Settings of the service. */
            config: {
                /** @description API key of the service. */
                api_key: string | "********";
                /**
                 * @description Site of the account. `jsm`: Jira Service Management, the successor of Opsgenie.
                 * @default us
                 * @enum {string}
                 */
                site?: "us" | "eu" | "jsm";
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "teams";
            /** @description Settings of the service. */
            config: {
                /** @description URL of a workflow that posts to a channel when a webhook request is received. */
                url: string | "********";
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "discord";
            /** @description Settings of the service. */
            config: {
                /** @description URL that messages are sent to. */
                url: string | "********";
                /**
                 * @description ID of the thread to post in; null for the channel itself.
                 * @default null
                 */
                thread_id?: string | null;
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "telegram";
            /** @description Settings of the service. */
            config: {
                /** @description Token of the bot. */
                bot_token: string | "********";
                /** @description ID or name of the chat. */
                chat_id: string;
                /**
                 * @description ID of the topic in the chat; null for the chat itself.
                 * @default null
                 */
                topic_id?: number | null;
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "ntfy";
            /** @description Settings of the service. */
            config: {
                /** @description URL with the scheme http or https, without credentials. */
                server?: string;
                /** @description Topic that messages are published to. */
                topic: string | "********";
                /**
                 * @description Access token; null for none.
                 * @default null
                 */
                token?: (string | "********") | null;
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "google_chat";
            /** @description Settings of the service. */
            config: {
                /** @description URL that messages are sent to. */
                url: string | "********";
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "apprise";
            /** @description Settings of the service. */
            config: {
                /** @description URL of an Apprise API, such as `https://apprise.example.com/notify/key`. */
                url: string | "********";
                /**
                 * @description Tag of the notifications; null for none.
                 * @default null
                 */
                tag?: string | null;
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "http";
            /** @description Settings of the service. */
            config: {
                /** @description URL that messages are sent to. */
                url: string | "********";
                /**
                 * @description HTTP method of the request.
                 * @default POST
                 * @enum {string}
                 */
                method?: "POST" | "PUT";
                /**
                 * @description Media type of the body.
                 * @default application/json
                 */
                content_type?: string;
                /**
                 * @description Headers of the request.
                 * @default {}
                 */
                headers?: {
                    [key: string]: string;
                };
                /** @description Template of the body. `{{path}}` is replaced by a value, escaped for `content_type`. */
                template: string;
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "jira_service_management";
            /** @description Settings of the service. */
            config: {
                /** @description API key of an API integration. */
                api_key: string | "********";
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "incident_io";
            /** @description Settings of the service. */
            config: {
                /** @description ID of an alert source of the kind HTTP: the end of its URL. */
                source_id: string;
                /** @description Token of the alert source. */
                token: string | "********";
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "mattermost";
            /** @description Settings of the service. */
            config: {
                /** @description URL of an incoming webhook. */
                url: string | "********";
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "rocket_chat";
            /** @description Settings of the service. */
            config: {
                /** @description URL of an incoming webhook. */
                url: string | "********";
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "zulip";
            /** @description Settings of the service. */
            config: {
                /** @description URL of the organization. */
                server: string;
                /** @description Email address of the bot. */
                bot_email: string;
                /** @description API key of the bot. */
                api_key: string | "********";
                /** @description Name of the channel. */
                channel: string;
                /**
                 * @description Topic of the messages.
                 * @default alerts
                 */
                topic?: string;
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "matrix";
            /** @description Settings of the service. */
            config: {
                /** @description URL of the homeserver’s client API. */
                server: string;
                /** @description Access token of the bot’s account. */
                access_token: string | "********";
                /** @description ID of a room that the bot has joined. */
                room_id: string;
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "pushover";
            /** @description Settings of the service. */
            config: {
                /** @description API token of an application. */
                token: string | "********";
                /** @description Key of a user or of a group. */
                user: string | "********";
                /**
                 * @description Names of devices, separated by commas; null for all of them.
                 * @default null
                 */
                device?: string | null;
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        } | {
            /**
             * @description Service that the channel sends to.
             * @constant
             */
            type: "gotify";
            /** @description Settings of the service. */
            config: {
                /** @description URL of the server. */
                server: string;
                /** @description Token of an application. */
                token: string | "********";
            };
            /** @description ID of a channel of the same type whose stored secrets replace masked ones. */
            channel_id?: string;
        };
        TestMonitorRequest: {
            /** @description URL of the kind’s scheme, without credentials. Of http and https, blanks and similar characters in path and query are percent-encoded. */
            url?: string;
            /**
             * @description HTTP method of the request.
             * @default GET
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            /** @description Time between two checks in each region. */
            interval_seconds?: number;
            /**
             * @description Time after which a check without a complete response fails.
             * @default null
             */
            timeout_ms?: number | null;
            /** @description Codes of the regions. */
            regions?: string[];
            /**
             * @description Number of regions that must agree before the monitor counts as down.
             * @default null
             */
            quorum?: number | null;
            /**
             * @description What must hold for a response, beyond that there is one; or the outcome of each.
             * @default []
             */
            assertions?: components["schemas"]["AssertionInput"][];
            /** @description Headers of the request. */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Text in Markdown.
             * @default null
             */
            body?: string | null;
            /**
             * @description Whether redirects are followed, at most ten.
             * @default true
             */
            follow_redirects?: boolean;
            /**
             * @description Severity of alerts, and whom they notify without routes.
             * @default {
             *       "severity": "p2",
             *       "slack_channel": null,
             *       "escalate_after_minutes": null
             *     }
             */
            alert_policy?: components["schemas"]["AlertPolicyInput"] | null;
            /** @description When alerts open and resolve. */
            alert_rules?: {
                /**
                 * @description Seconds that the monitor must be down before an alert opens.
                 * @default 0
                 */
                confirm_seconds?: number;
                /**
                 * @description Seconds that the monitor must be up again before the alert resolves.
                 * @default 0
                 */
                recover_seconds?: number;
                /**
                 * @description When an alert counts as flapping: after this many transitions to down within the window, it stays open until the window is quiet; null: never.
                 * @default null
                 */
                flap?: {
                    /** @description Number of transitions to down within the window. */
                    changes: number;
                    /** @description Length of the window. */
                    window_seconds: number;
                } | null;
                /**
                 * @description When an alert of kind `degraded` opens; null: never.
                 * @default null
                 */
                degraded?: {
                    /**
                     * @description Time that the monitor must be degraded before an alert opens.
                     * @default 300
                     */
                    after_seconds?: number;
                    /**
                     * @description Severity from `p1`, the most urgent, to `p3`.
                     * @default p3
                     * @enum {string}
                     */
                    severity?: "p1" | "p2" | "p3";
                } | null;
                /**
                 * @description When an alert of kind `certificate` opens. It does not affect the verdict unless `in_verdict` is true. Only of kinds whose checks see certificates.
                 * @default {
                 *       "enabled": true,
                 *       "thresholds": null,
                 *       "in_verdict": false
                 *     }
                 */
                certificate?: {
                    /**
                     * @description Whether alerts open before certificates expire.
                     * @default true
                     */
                    enabled?: boolean;
                    /**
                     * @description Thresholds of the alert; null for one of p3 at 14 days, or a third of the certificate’s life if that is less.
                     * @default null
                     */
                    thresholds?: {
                        /** @description Days until the certificate expires. */
                        days_left: number;
                        /**
                         * @description Severity from `p1`, the most urgent, to `p3`.
                         * @default p3
                         * @enum {string}
                         */
                        severity?: "p1" | "p2" | "p3";
                    }[] | null;
                    /**
                     * @description Whether checks warn at the first threshold. Changing it makes a new `config_version`.
                     * @default false
                     */
                    in_verdict?: boolean;
                };
            } | null;
            /**
             * @description IDs of the components.
             * @default []
             */
            component_ids?: string[];
            /** @description Labels as keys with values; selectors find monitors by them. */
            labels?: {
                [key: string]: string;
            };
            /**
             * @description Whether the resource is in use.
             * @default true
             */
            enabled?: boolean;
            /**
             * @description Kind of check; as the scheme of `url` says if left out. It cannot be changed.
             * @enum {string}
             */
            kind?: "http" | "tcp" | "tls" | "dns" | "ping";
            /** @description What a check of kind `tcp` sends and waits for. */
            tcp?: components["schemas"]["TcpCheckInput"] | null;
            /** @description Certificate and protocol of the connection; null without TLS. */
            tls?: components["schemas"]["TlsCheckInput"] | null;
            /** @description How a check of kind `dns` asks, and whose answers it compares. */
            dns?: components["schemas"]["DnsCheckInput"] | null;
            /** @description How many packets a check of kind `ping` sends. */
            ping?: components["schemas"]["PingCheckInput"] | null;
            /** @description ID of the monitor whose stored headers and body replace those sent as `"********"`. */
            monitor_id?: string;
        };
        /** TestedCheck */
        TestedCheck: {
            /**
             * @description Status of the resource.
             * @enum {string}
             */
            status: "ok" | "warn" | "err";
            /**
             * Format: date-time
             * @description Time when the problem began.
             */
            started_at: string;
            /** @description Time from the start of the request to the end of the response, in milliseconds. */
            latency_ms: number | null;
            /** @description Milliseconds for which the agent itself was suspended during the check. `latency_ms` is then not a measurement of the target and is left out of assertions, percentiles, averages and metrics. Null if it was not. */
            delayed_ms: number | null;
            /** @description How long each phase of the request took; null if it had no timing. */
            timings: {
                /** @description Time for the name lookup, in milliseconds; null without one. */
                dns_ms: number | null;
                /** @description Time for the connection, in milliseconds; null without one. */
                connect_ms: number | null;
                /** @description Time for the TLS handshake, in milliseconds; null without one. */
                tls_ms: number | null;
                /** @description Time until the first byte of the response, in milliseconds; null without one. */
                first_byte_ms: number | null;
                /** @description Time for the rest of the response, in milliseconds; null without one. */
                download_ms: number | null;
                /** @description Talk before TLS, in milliseconds; null for checks without `starttls`. */
                starttls_ms: number | null;
            } | null;
            /** @description HTTP status of the response; null without a response. */
            status_code: number | null;
            /** @description Why it failed; null if it did not. */
            error: {
                /**
                 * @description Stable code of the failure, for programs.
                 * @enum {string}
                 */
                code: "dns_failure" | "connect_refused" | "connect_timeout" | "connection_reset" | "tls_error" | "timeout" | "too_many_redirects" | "body_too_large" | "blocked_address" | "protocol_error" | "no_record" | "no_reply" | "starttls_refused";
                /** @description The failure in one sentence. */
                message: string;
                /** @description Step of the attempt in which it failed; null from agents before 0.8.0. */
                phase: ("auth" | "dns" | "proxy" | "connect" | "starttls" | "tls" | "handshake" | "request" | "answer") | null;
                /** @description Host and port that it is about; null if there is none. */
                host: string | null;
            } | null;
            /** @description What failed: the target, its name resolution, or the agent itself; null if nothing did. */
            failure_source: ("target" | "resolver" | "probe") | null;
            /** @description What must hold for a response, beyond that there is one; or the outcome of each. */
            assertions: {
                /** @description Position of the assertion in the monitor, from 0. */
                index: number;
                /**
                 * @description Type of the assertion.
                 * @enum {string}
                 */
                type: "status" | "body_contains" | "header" | "json_path" | "latency_p95" | "latency" | "tls_version" | "dns_rcode" | "dns_record" | "dns_agree" | "packet_loss" | "jitter";
                /** @description Whether the assertion held; null if it was skipped. */
                passed: boolean | null;
                /** @description The value that the assertion asks for. */
                expected: string;
                /** @description The value that the response had; null if it had none. */
                actual: string | null;
                /** @description Why the assertion was not evaluated. */
                skipped?: string;
            }[];
            /** @description Address that the check connected to; null if it did not connect. */
            remote_ip: string | null;
            /** @description Number of bytes of the body that were read. */
            bytes: number;
            /** @description Whether the body was longer than what is read. */
            truncated: boolean;
            /** @description Certificate and protocol of the connection; null without TLS. */
            tls: {
                /** @description Version of TLS. */
                protocol: string;
                /**
                 * Format: date-time
                 * @description End of the validity of the certificate.
                 */
                valid_to: string;
                /** @description Days until the certificate expires. */
                days_left: number;
                /** @description Start of the validity of the certificate; null, as the properties after it, from agents without `tls.facts`. */
                valid_from: string | null;
                /** @description Issuer of the certificate. */
                issuer: string | null;
                /** @description Subject of the certificate. */
                subject: string | null;
                /** @description SHA-256 fingerprint of the certificate, in hexadecimal. */
                fingerprint_sha256: string | null;
                /** @description Host that presented the certificate, with its port, if the check was redirected to another host. */
                host?: string;
                /** @description Certificates of the hosts before the redirects, in order. */
                earlier?: {
                    /** @description Host that presented the certificate. */
                    host: string;
                    /**
                     * Format: date-time
                     * @description Start of the validity of the certificate.
                     */
                    valid_from: string;
                    /**
                     * Format: date-time
                     * @description End of the validity of the certificate.
                     */
                    valid_to: string;
                    /** @description Issuer of the certificate. */
                    issuer: string;
                    /** @description Subject of the certificate. */
                    subject: string;
                    /** @description SHA-256 fingerprint of the certificate, in hexadecimal. */
                    fingerprint_sha256: string;
                }[];
            } | null;
            /** @description Violations of HTTP in the response that were tolerated as browsers do; older agents report none. */
            warnings: {
                /** @description Stable code of the warning, for programs. */
                code: string;
                /** @description The warning in one sentence. */
                message: string;
            }[];
            /** @description What a check of kind `dns` was answered; null for other kinds. */
            dns: {
                /** @description Server that answered, with its port. */
                server: string;
                /** @description Response code, such as `NOERROR`; null if the server did not answer. */
                rcode: string;
                /** @description Records of the answer. */
                answers: {
                    /** @description Name that the record is of. */
                    name: string;
                    /** @description Type of the record. */
                    type: string;
                    /** @description Seconds for which the record may be kept. */
                    ttl: number;
                    /** @description Data of the record as a zone file shows it, in lower case. */
                    data: string;
                }[];
                /** @description Whether there were more records than are kept. */
                truncated: boolean;
                /** @description Answers of the servers in `agree_with`. */
                servers: {
                    /** @description Server of `agree_with`, with its port. */
                    server: string;
                    /** @description Response code, such as `NOERROR`; null if the server did not answer. */
                    rcode: string | null;
                    /** @description Whether it gave the same response code and records. */
                    agrees: boolean;
                }[];
            } | null;
            /** @description Packets of a check of kind `ping`; null for other kinds. */
            ping: {
                /** @description Packets that were sent. */
                sent: number;
                /** @description Replies that came. */
                received: number;
                /** @description Shortest time of a reply, in milliseconds; null without one. */
                min_ms: number | null;
                /** @description Mean time of the replies, in milliseconds; null without one. */
                avg_ms: number | null;
                /** @description Longest time of a reply, in milliseconds; null without one. */
                max_ms: number | null;
                /** @description Mean difference of neighbouring replies; null with fewer than two. */
                jitter_ms: number | null;
            } | null;
        };
        /** TimelineItem */
        TimelineItem: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description Name of the event. */
            name: string;
            /**
             * @description Type of the event.
             * @enum {string}
             */
            type: "track" | "release" | "error";
            /**
             * Format: date-time
             * @description Time of the event.
             */
            timestamp: string;
            /** @description Properties of the event or release; null for none. */
            props?: {
                [key: string]: unknown;
            };
            /** @description ID of the session; null if the event has none. */
            session_id?: string;
        };
        TimelineItemList: {
            /** @description The items. */
            data: components["schemas"]["TimelineItem"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** TlsCheck */
        TlsCheck: {
            /**
             * @description Protocol in which TLS is asked for; null: TLS begins at once.
             * @default null
             */
            starttls: ("smtp" | "imap" | "pop3" | "ftp" | "ldap" | "postgres") | null;
        };
        /** TlsCheck */
        TlsCheckInput: {
            /**
             * @description Protocol in which TLS is asked for; null: TLS begins at once.
             * @default null
             */
            starttls?: ("smtp" | "imap" | "pop3" | "ftp" | "ldap" | "postgres") | null;
        };
        /** Token */
        Token: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description Name of the token, which the audit log shows. */
            name: string;
            /** @description What the token may do, such as `monitors:read`. A write scope includes reading. */
            scopes: string[];
            /** @description Time when the token expires; null if it never does. */
            expires_at: string | null;
            /** @description Time of the last request with the token; null if there was none. */
            last_used_at: string | null;
            /** @description Time when the token was revoked; null if it was not. */
            revoked_at: string | null;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /** @description ID of the token that created it; null if the operator did. */
            created_by: string | null;
            /** @description The secret. Returned only when the token is created. */
            token?: string;
        };
        TokenList: {
            /** @description The items. */
            data: components["schemas"]["Token"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        UpdateChannelRequest: {
            /** @description Name of the channel, unique in the project. */
            name?: string;
            /**
             * @description How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.
             * @enum {string}
             */
            detail?: "full" | "brief";
            /** @description False if the channel sends nothing. */
            enabled?: boolean;
            /** @description Settings of the service. */
            config?: {
                [key: string]: unknown;
            };
        };
        UpdateComponentRequest: {
            /** @description Name of the component on the page. */
            name?: string;
            /** @description Description below the name, in Markdown. */
            description?: string;
            /** @description Group that the component is listed in on the page; null for none. */
            group?: string | null;
            /** @description Position on the page, from 0; new components come last by default. */
            position?: number;
            /**
             * @description The manual status. Visitors see the worst of it, open incidents and the monitors.
             * @enum {string}
             */
            status?: "operational" | "degraded_performance" | "partial_outage" | "major_outage" | "under_maintenance";
            /** @description IDs of the monitors whose verdicts the component shows. */
            monitor_ids?: string[];
            /** @description Label selector that adds monitors to the component; null for none. */
            monitor_selector?: string | null;
            /** @description Whether the page shows the daily history of the component. */
            show_uptime?: boolean;
        };
        UpdateFlowRequest: {
            /** @description Name of the flow. */
            name?: string;
            /** @description Steps of the flow, with at most 1000 values in all conditions and 16384 bytes of JSON. */
            steps?: components["schemas"]["FlowStepInput"][];
            /** @description Conversion window: time from the first step to the last. */
            window_seconds?: number;
            /**
             * @description Whether the steps must follow in their order; `strict` allows no other step between.
             * @enum {string}
             */
            order?: "ordered" | "strict";
        };
        UpdateIncidentRequest: {
            /** @description Title of the incident, as visitors see it. */
            title?: string;
            /**
             * @description Severity from `p1`, the most urgent, to `p3`.
             * @enum {string}
             */
            severity?: "p1" | "p2" | "p3";
            /**
             * @description Impact on the affected components; null if it follows from the severity.
             * @enum {string}
             */
            impact?: "none" | "degraded" | "partial" | "major";
            /** @description IDs of the components that the incident affects. */
            affected_components?: string[];
            /**
             * Format: date-time
             * @description Time when the incident began.
             */
            started_at?: string;
            /** @description URL of a post-mortem elsewhere; null for none. */
            postmortem_url?: string | null;
            /** @description Post-mortem in Markdown, shown on the incident’s page; null for none. */
            postmortem_body?: string | null;
        };
        UpdateIncidentUpdateRequest: {
            /** @description Text in Markdown. */
            body: string;
        };
        UpdateMaintenanceRequest: {
            /** @description Title of the maintenance window, as visitors see it. */
            title?: string;
            /** @description Text in Markdown. */
            description?: string;
            /** @description Monitors that are covered: all of these together. Components and pages bring their monitors. */
            scope?: {
                /**
                 * @description IDs of the monitors.
                 * @default []
                 */
                monitor_ids?: string[];
                /**
                 * @description Label selector, such as `env=prod, team in (web, api), !legacy`; null for none.
                 * @default null
                 */
                selector?: string | null;
                /**
                 * @description IDs of the components.
                 * @default []
                 */
                component_ids?: string[];
                /**
                 * @description IDs of the status pages.
                 * @default []
                 */
                status_page_ids?: string[];
            };
            /** @description Time when it begins. */
            starts_at?: string | null;
            /** @description Time when it ends. */
            ends_at?: string | null;
            /** @description Schedule of a recurring maintenance, instead of `starts_at` and `ends_at`; null for a single window. */
            schedule?: components["schemas"]["MaintenanceScheduleInput"] | null;
            /**
             * @description `hold` delays notifications of alerts until the maintenance is over.
             * @enum {string}
             */
            alerts?: "hold" | "send";
            /** @description Whether the time in the window counts neither for nor against uptime. */
            exclude_from_uptime?: boolean;
            /** @description Seconds after the end of the window after which alerts that are still open are sent. */
            settle_seconds?: number;
            /** @description Whether status pages show the maintenance window. */
            announced?: boolean;
            /** @description Hours before the start at which status pages begin to show it. */
            announce_before_hours?: number;
            /** @description What subscribers of the pages are notified of; empty for nothing. */
            notify?: ("announced" | "started" | "updates" | "completed")[];
        };
        UpdateMaintenanceUpdateRequest: {
            /** @description Text in Markdown. */
            body: string;
        };
        UpdateMonitorRequest: {
            /** @description Name of the monitor, 1 to 200 characters. */
            name?: string;
            /** @description URL of the kind’s scheme, without credentials. Of http and https, blanks and similar characters in path and query are percent-encoded. */
            url?: string;
            /**
             * @description HTTP method of the request.
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            /** @description Time between two checks in each region. */
            interval_seconds?: number;
            /** @description Time after which a check without a complete response fails. */
            timeout_ms?: number | null;
            /** @description Codes of the regions that check the monitor. */
            regions?: string[];
            /** @description Number of regions that must agree before the monitor counts as down. */
            quorum?: number | null;
            /** @description What must hold for a response, beyond that there is one; or the outcome of each. */
            assertions?: components["schemas"]["AssertionInput"][];
            /** @description Headers of the request. Stored values are shown as `********`. */
            headers?: {
                [key: string]: string;
            };
            /** @description Body of the request; null for none. A stored body is shown as `********`. */
            body?: string | null;
            /** @description Whether redirects are followed, at most ten. */
            follow_redirects?: boolean;
            /** @description Severity of alerts, and whom they notify without routes. */
            alert_policy?: components["schemas"]["AlertPolicyInput"] | null;
            /** @description When alerts open and resolve. */
            alert_rules?: {
                /**
                 * @description Seconds that the monitor must be down before an alert opens.
                 * @default 0
                 */
                confirm_seconds?: number;
                /**
                 * @description Seconds that the monitor must be up again before the alert resolves.
                 * @default 0
                 */
                recover_seconds?: number;
                /**
                 * @description When an alert counts as flapping: after this many transitions to down within the window, it stays open until the window is quiet; null: never.
                 * @default null
                 */
                flap?: {
                    /** @description Number of transitions to down within the window. */
                    changes: number;
                    /** @description Length of the window. */
                    window_seconds: number;
                } | null;
                /**
                 * @description When an alert of kind `degraded` opens; null: never.
                 * @default null
                 */
                degraded?: {
                    /**
                     * @description Time that the monitor must be degraded before an alert opens.
                     * @default 300
                     */
                    after_seconds?: number;
                    /**
                     * @description Severity from `p1`, the most urgent, to `p3`.
                     * @default p3
                     * @enum {string}
                     */
                    severity?: "p1" | "p2" | "p3";
                } | null;
                /**
                 * @description When an alert of kind `certificate` opens. It does not affect the verdict unless `in_verdict` is true. Only of kinds whose checks see certificates.
                 * @default {
                 *       "enabled": true,
                 *       "thresholds": null,
                 *       "in_verdict": false
                 *     }
                 */
                certificate?: {
                    /**
                     * @description Whether alerts open before certificates expire.
                     * @default true
                     */
                    enabled?: boolean;
                    /**
                     * @description Thresholds of the alert; null for one of p3 at 14 days, or a third of the certificate’s life if that is less.
                     * @default null
                     */
                    thresholds?: {
                        /** @description Days until the certificate expires. */
                        days_left: number;
                        /**
                         * @description Severity from `p1`, the most urgent, to `p3`.
                         * @default p3
                         * @enum {string}
                         */
                        severity?: "p1" | "p2" | "p3";
                    }[] | null;
                    /**
                     * @description Whether checks warn at the first threshold. Changing it makes a new `config_version`.
                     * @default false
                     */
                    in_verdict?: boolean;
                };
            } | null;
            /** @description IDs of the status page components that show the monitor. */
            component_ids?: string[];
            /** @description Labels as keys with values; selectors find monitors by them. */
            labels?: {
                [key: string]: string;
            };
            /** @description False while the monitor is paused. */
            enabled?: boolean;
            /**
             * @description Kind of check; as the scheme of `url` says if left out. It cannot be changed.
             * @enum {string}
             */
            kind?: "http" | "tcp" | "tls" | "dns" | "ping";
            /** @description What a check of kind `tcp` sends and waits for. */
            tcp?: components["schemas"]["TcpCheckInput"] | null;
            /** @description How a check of kind `tls` comes to its handshake. */
            tls?: components["schemas"]["TlsCheckInput"] | null;
            /** @description How a check of kind `dns` asks, and whose answers it compares. */
            dns?: components["schemas"]["DnsCheckInput"] | null;
            /** @description How many packets a check of kind `ping` sends. */
            ping?: components["schemas"]["PingCheckInput"] | null;
        };
        UpdateMonitorResponse: components["schemas"]["Monitor"] | components["schemas"]["MonitorDryRun"];
        UpdateProjectRequest: {
            /** @description Name of the project. */
            name?: string;
            /** @description Origins of web pages that may send events without a token. */
            allowed_origins?: string[];
            /** @description How alerts with one cause are grouped into one message. */
            grouping?: {
                /**
                 * @description Seconds that the first message is delayed to collect more alerts.
                 * @default 5
                 */
                wait_seconds?: number;
                /**
                 * @description Seconds after an alert in which the next may join its group.
                 * @default 300
                 */
                join_seconds?: number;
            };
            /** @description When a silent region or agent opens a notice. */
            notices?: {
                /**
                 * @description Seconds after the last vote of a region expired until the region is reported silent; null disables it.
                 * @default 300
                 */
                region_silent_after_seconds?: number | null;
                /**
                 * @description Seconds without a heartbeat after which an agent is reported silent; null disables it.
                 * @default 300
                 */
                agent_silent_after_seconds?: number | null;
            };
        };
        UpdateRouteRequest: {
            /** @description Name of the route, unique in the project. */
            name?: string;
            /** @description A disabled route sends nothing except resolutions. */
            enabled?: boolean;
            /** @description Alerts and notices that the route applies to. */
            match?: {
                /**
                 * @description Label selector for the labels of the alert; null for all alerts.
                 * @default null
                 */
                selector?: string | null;
                /**
                 * @description Only alerts with these values; empty for all.
                 * @default []
                 */
                severities?: ("p1" | "p2" | "p3")[];
                /**
                 * @description Only alerts with these values; empty for all.
                 * @default []
                 */
                kinds?: ("down" | "degraded" | "certificate")[];
                /**
                 * @description Kinds of notices; empty for none. A route with a selector gets none.
                 * @default []
                 */
                notices?: ("region.silent" | "region.quarantined" | "agent.silent" | "monitor.unable" | "channel.failing" | "work.failing" | "email.failing")[];
            };
            /** @description Whether later routes are evaluated as well. */
            continue?: boolean;
            /** @description Whom the route notifies, and when. */
            steps?: {
                /** @description Minutes after the first message at which the step runs, unless acknowledged before. */
                after_minutes: number;
                /** @description IDs of the channels to notify. */
                channel_ids: string[];
            }[];
            /** @description Minutes between reminders until somebody acknowledges; null for none. */
            remind_every_minutes?: number | null;
            /** @description Local hours in which messages wait; null for none. */
            quiet_hours?: {
                /** @description IANA name of the time zone of quiet hours. */
                timezone: string;
                /**
                 * @description Days of the week on which quiet hours begin.
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
                /** @description Local time at which quiet hours begin. */
                from: string;
                /** @description Local time at which quiet hours end; equal to `from`: the whole day. */
                to: string;
                /**
                 * @description Severities that are sent during quiet hours, too.
                 * @default [
                 *       "p1"
                 *     ]
                 */
                except_severities?: ("p1" | "p2" | "p3")[];
            } | null;
        };
        UpdateStatusPageRequest: {
            /** @description Name of the page, shown as its heading. */
            name?: string;
            /** @description Part of the public URL: `/status/{slug}`. By default it is made from the name. */
            slug?: string;
            /** @description Introduction below the heading, in Markdown. */
            description?: string;
            /** @description IANA name of the time zone of all times on the page. */
            timezone?: string;
            /**
             * @description Language of all fixed words, numbers and dates of the page and its feeds.
             * @enum {string}
             */
            locale?: "en" | "de" | "fr";
            /**
             * @description Colors of the page; `auto` follows the visitor’s system.
             * @enum {string}
             */
            theme?: "auto" | "light" | "dark";
            /** @description Number of days in the history of each component. */
            history_days?: number;
            /** @description Color of buttons and links, adjusted so that text stays readable in both themes. */
            color?: string | null;
            /** @description Target of the link on the name and the logo; null for the page itself. */
            home_url?: string | null;
            /** @description URL where visitors get help, linked on every page; null for none. */
            support_url?: string | null;
            /** @description Logo: a PNG, JPEG or WebP image of at most 64 KiB as a data URL (data:image/png;base64,…); null for none. */
            logo?: string | null;
        };
        UpdateWebhookRequest: {
            /** @description URL with the scheme http or https, without credentials. */
            url?: string;
            /** @description Types of events that are sent to the webhook. */
            kinds?: ("alert.opened" | "alert.acknowledged" | "alert.escalated" | "alert.resolved" | "incident.opened" | "incident.updated" | "incident.resolved" | "alert.held" | "alert.updated" | "maintenance.scheduled" | "maintenance.changed" | "maintenance.started" | "maintenance.updated" | "maintenance.ended" | "maintenance.cancelled" | "notice.opened" | "notice.closed")[];
            /** @description Kinds of alerts whose events are sent to the webhook. */
            alert_kinds?: ("down" | "degraded" | "certificate")[];
            /** @description Whether messages are sent. Five failed deliveries in a row or a 410 response disable it. */
            enabled?: boolean;
        };
        /** Uptime */
        Uptime: {
            /** @description One item for each day or hour, oldest first. */
            data: {
                /**
                 * @description The day as a date, or the start of the hour.
                 * @example 2026-11-22
                 */
                bucket: string;
                /** @description Share of the observed time that was not down, from 0 to 1; null if nothing was observed. */
                uptime: number;
                /** @description Number of incidents that began in the bucket. */
                incidents: number;
                /** @description Seconds that were down. */
                down_seconds: number;
                /** @description Seconds that were degraded. */
                degraded_seconds: number;
                /** @description Seconds with a verdict that count for uptime. */
                observed_seconds: number;
                /** @description Time that does not count for uptime. */
                excluded: {
                    /** @description Seconds in which the monitor was paused. */
                    paused_seconds: number;
                    /** @description Seconds in maintenance windows that are excluded from uptime. */
                    maintenance_seconds: number;
                    /** @description Seconds in which too few regions voted for a verdict. */
                    undetermined_seconds: number;
                };
                /** @description Number of checks by outcome. */
                checks: {
                    /** @description Number of checks that succeeded. */
                    ok: number;
                    /** @description Number of checks with a warning. */
                    warn: number;
                    /** @description Number of checks that failed. */
                    err: number;
                };
                /** @description Latency of successful checks, in milliseconds. */
                latency_ms: {
                    /** @description Median; null without a successful check. */
                    p50: number | null;
                    /** @description 95th percentile; null without a successful check. */
                    p95: number | null;
                };
            }[];
            /** @description The range that the buckets cover. */
            range: {
                /**
                 * @description Start of the range: a date by day, a time by hour.
                 * @example 2026-11-22
                 */
                from: string;
                /**
                 * @description End of the range: by day the last day, by hour exclusive.
                 * @example 2026-11-22
                 */
                to: string;
            };
            /**
             * @description Length of a bucket.
             * @enum {string}
             */
            granularity: "day" | "hour";
        };
        /** VerdictRow */
        VerdictRow: {
            /**
             * @description The verdict.
             * @enum {string}
             */
            verdict: "up" | "degraded" | "down" | "undetermined" | "pending" | "paused" | "deleted";
            /**
             * Format: date-time
             * @description Time from which the verdict holds.
             */
            since: string;
            /** @description End of the verdict; null for the present one. */
            until: string | null;
            /** @description Time when the verdict was known: the end of the check, or the expiry of the vote, that made it. */
            decided_at: string | null;
            /** @description What made the verdict. */
            cause: ("vote" | "expiry" | "configuration" | "quarantine" | "import") | null;
            /** @description Whether results that arrived late changed the verdict. */
            revised: boolean;
            /** @description Number of regions that must agree before the monitor counts as down. */
            quorum: number | null;
            /** @description Version of the settings that decide about checks. Each change of them increases it. */
            config_version: number;
            /** @description What each region last reported. */
            votes: {
                /** @description Code of the region. */
                region: string;
                /**
                 * @description Vote of the region.
                 * @enum {string}
                 */
                vote: "up" | "warn" | "down" | "unknown";
                /** @description Whether the vote counts; false for a quarantined region. */
                counted: boolean | null;
                /** @description Time from which the verdict holds. */
                since: string | null;
                /** @description Time when the check ended that the vote rests on. */
                as_of: string | null;
                /** @description Time when the vote expires unless a new check confirms it. */
                expires_at: string | null;
                /** @description ID of the check that cast or refreshed the vote. Checks are stored for 30 days. */
                check_id: string | null;
            }[];
        };
        VerdictRowList: {
            /** @description The items. */
            data: components["schemas"]["VerdictRow"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** Wall */
        Wall: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description Reserved; always null. */
            key: string | null;
            /** @description Reserved; always null. */
            managed_by: string | null;
            /** @description Name of the place where the screen hangs, shown on it. */
            name: string;
            /** @description Label selector for the monitors that the screen shows; null for all. */
            selector: string | null;
            /** @description Time when a screen last read the link, to the minute; null if none has. */
            last_seen_at: string | null;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change of the resource.
             */
            updated_at: string;
            /** @description The link, which holds the secret. Returned only when it is created. */
            url?: string;
        };
        WallList: {
            /** @description The items. */
            data: components["schemas"]["Wall"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
        };
        /** Webhook */
        Webhook: {
            /** @description ID of the resource: a prefix for its kind and 26 characters that sort by time of creation. */
            id: string;
            /** @description ID of the project that the resource belongs to. */
            project_id: string;
            /** @description URL of the webhook. Masked without `project:write`, since it may contain a secret. */
            url: string;
            /** @description Types of events that are sent to the webhook. */
            kinds: ("alert.opened" | "alert.acknowledged" | "alert.escalated" | "alert.resolved" | "incident.opened" | "incident.updated" | "incident.resolved" | "alert.held" | "alert.updated" | "maintenance.scheduled" | "maintenance.changed" | "maintenance.started" | "maintenance.updated" | "maintenance.ended" | "maintenance.cancelled" | "notice.opened" | "notice.closed")[];
            /** @description Kinds of alerts whose events are sent to the webhook. */
            alert_kinds: ("down" | "degraded" | "certificate")[];
            /** @description Whether messages are sent. Five failed deliveries in a row or one 410 response disable the webhook. */
            enabled: boolean;
            /** @description Number of failed deliveries in a row. */
            failures: number;
            /**
             * Format: date-time
             * @description Time when the resource was created.
             */
            created_at: string;
            /** @description Time until which messages are also signed with the previous secret; null if there is none. */
            previous_secret_until: string | null;
            /** @description Secret that signs the messages. Returned only when the webhook is created and when its secret is rotated. */
            secret?: string;
        };
        WebhookList: {
            /** @description The items. */
            data: components["schemas"]["Webhook"][];
            /** @description Where the list continues. */
            pagination: {
                /** @description Whether there are more items after these. */
                has_more: boolean;
                /** @description The `cursor` for the next page; null on the last page. */
                next_cursor: string | null;
            };
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
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/invalid_json",
                 *       "title": "The body is not valid JSON",
                 *       "status": 400,
                 *       "detail": "The body must be one JSON document in UTF-8, nested at most 64 levels deep.",
                 *       "instance": "/v0/monitors",
                 *       "code": "invalid_json",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
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
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/missing_token",
                 *       "title": "A token is required",
                 *       "status": 401,
                 *       "detail": "Send `Authorization: Bearer <token>`. The operator creates tokens with `npm run admin -- token create`.",
                 *       "instance": "/v0/monitors",
                 *       "code": "missing_token",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `insufficient_scope`: The token lacks a scope
         *     - `origin_not_allowed`: The origin is not allowed
         */
        Problem403: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/insufficient_scope",
                 *       "title": "The token lacks a scope",
                 *       "status": 403,
                 *       "detail": "The token does not have the scope that this endpoint requires; `detail` names the scope.",
                 *       "instance": "/v0/monitors",
                 *       "code": "insufficient_scope",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `not_found`: Not found */
        Problem404: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/not_found",
                 *       "title": "Not found",
                 *       "status": 404,
                 *       "detail": "No such resource exists in the token’s project.",
                 *       "instance": "/v0/monitors",
                 *       "code": "not_found",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `method_not_allowed`: The method is not allowed here */
        Problem405: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/method_not_allowed",
                 *       "title": "The method is not allowed here",
                 *       "status": 405,
                 *       "detail": "The header `Allow` lists the methods that this address supports.",
                 *       "instance": "/v0/monitors",
                 *       "code": "method_not_allowed",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `request_timeout`: The request timed out */
        Problem408: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/request_timeout",
                 *       "title": "The request timed out",
                 *       "status": 408,
                 *       "detail": "Send the complete request more quickly.",
                 *       "instance": "/v0/monitors",
                 *       "code": "request_timeout",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
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
         *     - `maintenance_over`: The maintenance is not in progress
         *     - `slug_taken`: The slug is taken
         *     - `wrong_kind`: The monitor is of another kind
         *     - `component_in_use`: The component is in use
         *     - `status_page_in_use`: The status page is in use
         *     - `delivery_not_replayable`: The delivery cannot be replayed
         *     - `count_changed`: The number of matches has changed
         *     - `idempotency_in_progress`: The first request is still running
         */
        Problem409: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/already_resolved",
                 *       "title": "Already resolved",
                 *       "status": 409,
                 *       "detail": "A resolved alert or incident cannot be resolved or acknowledged again.",
                 *       "instance": "/v0/monitors",
                 *       "code": "already_resolved",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `changed_since`: The resource has changed since */
        Problem412: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/changed_since",
                 *       "title": "The resource has changed since",
                 *       "status": 412,
                 *       "detail": "Its `updated_at` is not the one in `If-Match`. Read it again, then repeat the change if it is still right.",
                 *       "instance": "/v0/monitors",
                 *       "code": "changed_since",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `link_expired`: The link has expired */
        Problem410: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/link_expired",
                 *       "title": "The link has expired",
                 *       "status": 410,
                 *       "detail": "Links in messages work for seven days, and until the alerts are resolved. Open the dashboard instead.",
                 *       "instance": "/v0/monitors",
                 *       "code": "link_expired",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description - `payload_too_large`: The body is too large
         *     - `batch_too_large`: The batch is too large
         */
        Problem413: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/payload_too_large",
                 *       "title": "The body is too large",
                 *       "status": 413,
                 *       "detail": "Send less data per request; `detail` states the limit.",
                 *       "instance": "/v0/monitors",
                 *       "code": "payload_too_large",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `unsupported_media_type`: The media type is not supported */
        Problem415: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/unsupported_media_type",
                 *       "title": "The media type is not supported",
                 *       "status": 415,
                 *       "detail": "Send `Content-Type: application/json` without a content encoding.",
                 *       "instance": "/v0/monitors",
                 *       "code": "unsupported_media_type",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
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
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/validation_failed",
                 *       "title": "The body is not valid",
                 *       "status": 422,
                 *       "detail": "`errors` lists every field that is wrong, and why.",
                 *       "instance": "/v0/monitors",
                 *       "code": "validation_failed",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `rate_limited`: Too many requests */
        Problem429: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/rate_limited",
                 *       "title": "Too many requests",
                 *       "status": 429,
                 *       "detail": "Wait for the number of seconds in `retry_after`.",
                 *       "instance": "/v0/monitors",
                 *       "code": "rate_limited",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `headers_too_large`: The headers are too large */
        Problem431: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/headers_too_large",
                 *       "title": "The headers are too large",
                 *       "status": 431,
                 *       "detail": "Send fewer or shorter headers.",
                 *       "instance": "/v0/monitors",
                 *       "code": "headers_too_large",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `internal_error`: Something went wrong on our side */
        Problem500: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/internal_error",
                 *       "title": "Something went wrong on our side",
                 *       "status": 500,
                 *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                 *       "instance": "/v0/monitors",
                 *       "code": "internal_error",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description - `unavailable`: Temporarily unavailable */
        Problem503: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://upquorum.example.com/problems/unavailable",
                 *       "title": "Temporarily unavailable",
                 *       "status": 503,
                 *       "detail": "The database cannot be reached, or what the request needs is in use. Nothing was changed; try again in a moment.",
                 *       "instance": "/v0/monitors",
                 *       "code": "unavailable",
                 *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description ID of the request. It is the one of the request’s `X-Request-Id`, if that is well-formed.
         * @example req_01kay5t9c3fzq8w2k6n7v4b1hm
         */
        "X-Request-Id": string;
        /**
         * @description Requests (`q`) that are allowed in a window of `w` seconds.
         * @example "requests";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Requests that remain (`r`), and seconds until the limit is whole (`t`).
         * @example "requests";r=599;t=1
         */
        RateLimit: string;
        /**
         * @description Seconds to wait before the next attempt, as `retry_after` in the body.
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description Path of the resource that was created.
         * @example /v0/monitors/mon_01kay5t9c3fzq8w2k6n7v4b1hm
         */
        Location: string;
        /**
         * @description `true` if the response is the stored one of an earlier request with the same `Idempotency-Key`.
         * @example true
         */
        "Idempotency-Replayed": "true";
    };
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
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "Checkout",
                     *       "plan": "pro",
                     *       "event_retention_days": 1,
                     *       "ingest_limits": {
                     *         "sustained_per_second": 1,
                     *         "burst_per_second": 1,
                     *         "burst_seconds": 1
                     *       },
                     *       "allowed_origins": [
                     *         "text"
                     *       ],
                     *       "grouping": {
                     *         "wait_seconds": 1,
                     *         "join_seconds": 10
                     *       },
                     *       "notices": {
                     *         "region_silent_after_seconds": 60,
                     *         "agent_silent_after_seconds": 60
                     *       },
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "quotas": [
                     *         {
                     *           "resource": "monitors",
                     *           "maximum": 1,
                     *           "used": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["UpdateProjectRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "Checkout",
                     *       "plan": "pro",
                     *       "event_retention_days": 1,
                     *       "ingest_limits": {
                     *         "sustained_per_second": 1,
                     *         "burst_per_second": 1,
                     *         "burst_seconds": 1
                     *       },
                     *       "allowed_origins": [
                     *         "text"
                     *       ],
                     *       "grouping": {
                     *         "wait_seconds": 1,
                     *         "join_seconds": 10
                     *       },
                     *       "notices": {
                     *         "region_silent_after_seconds": 60,
                     *         "agent_silent_after_seconds": 60
                     *       },
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "quotas": [
                     *         {
                     *           "resource": "monitors",
                     *           "maximum": 1,
                     *           "used": 1
                     *         }
                     *       ]
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "tok_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "CI",
                     *           "scopes": [
                     *             "monitors:write",
                     *             "releases:write"
                     *           ],
                     *           "expires_at": "2027-12-31T00:00:00Z",
                     *           "last_used_at": "2026-11-22T09:30:00.000Z",
                     *           "revoked_at": "2026-11-22T09:30:00.000Z",
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "created_by": "tok_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["CreateTokenRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "tok_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "CI",
                     *       "scopes": [
                     *         "monitors:write",
                     *         "releases:write"
                     *       ],
                     *       "expires_at": "2027-12-31T00:00:00Z",
                     *       "last_used_at": "2026-11-22T09:30:00.000Z",
                     *       "revoked_at": "2026-11-22T09:30:00.000Z",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "created_by": "tok_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "token": "text"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "tok_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "CI",
                     *       "scopes": [
                     *         "monitors:write",
                     *         "releases:write"
                     *       ],
                     *       "expires_at": "2027-12-31T00:00:00Z",
                     *       "last_used_at": "2026-11-22T09:30:00.000Z",
                     *       "revoked_at": "2026-11-22T09:30:00.000Z",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "created_by": "tok_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: {
                /** @description `keep` leaves the tokens that were created with the token valid. */
                descendants?: "revoke" | "keep";
            };
            header?: never;
            path: {
                /** @description ID of the token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items at or after this time. */
                from?: string;
                /** @description Only items before this time. */
                to?: string;
                /** @description ID of the resource that changed. */
                subject?: string;
                /** @description ID of the token, or `operator`. */
                actor?: string;
                /** @description Only changes of these kinds of resources, separated by commas. */
                resource?: ("project" | "token" | "session" | "monitor" | "component" | "status_page" | "subscriber" | "alert" | "alert_group" | "incident" | "delivery" | "webhook" | "slack" | "release" | "flow" | "event" | "channel" | "route" | "maintenance" | "wall" | "region" | "agent" | "check" | "secret" | "installation" | "sending")[];
                /** @description Only these actions, separated by commas. */
                action?: ("project.created" | "project.updated" | "project.limits_changed" | "project.quota_changed" | "project.imports_changed" | "token.created" | "token.revoked" | "session.created" | "session.refused" | "session.ended" | "monitor.created" | "monitor.restored" | "monitor.updated" | "monitor.paused" | "monitor.resumed" | "monitor.deleted" | "component.created" | "component.updated" | "component.ordered" | "component.deleted" | "status_page.created" | "status_page.updated" | "status_page.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.imported" | "subscriber.deleted" | "alert.acknowledged" | "alert_group.acknowledged" | "incident.opened" | "incident.promoted" | "incident.changed" | "incident.updated" | "incident.update_edited" | "incident.resolved" | "incident.deleted" | "delivery.replayed" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.deleted" | "slack.connected" | "slack.disconnected" | "release.created" | "release.deleted" | "flow.created" | "flow.updated" | "flow.deleted" | "event.user_erased" | "event.erased" | "channel.created" | "channel.updated" | "channel.deleted" | "route.created" | "route.updated" | "route.ordered" | "route.deleted" | "maintenance.created" | "maintenance.updated" | "maintenance.extended" | "maintenance.ended" | "maintenance.cancelled" | "maintenance.update_posted" | "maintenance.update_edited" | "maintenance.deleted" | "wall.created" | "wall.deleted" | "region.created" | "agent.created" | "agent.revoked" | "check.rebuilt" | "secret.resealed" | "installation.restored" | "sending.paused" | "sending.resumed")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "aud_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "at": "2026-11-22T09:30:00.000Z",
                     *           "actor": {
                     *             "type": "token",
                     *             "id": "tok_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "name": "Checkout"
                     *           },
                     *           "via": "api",
                     *           "action": "project.created",
                     *           "resource": "project",
                     *           "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "Checkout",
                     *           "before": {},
                     *           "after": {},
                     *           "also": [
                     *             {
                     *               "resource": "project",
                     *               "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *               "name": "Checkout",
                     *               "before": {},
                     *               "after": {}
                     *             }
                     *           ],
                     *           "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "plan_id": "text",
                     *           "detail": {}
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEntryList"];
                    /**
                     * @example {"id":"aud_01kay5t9c3fzq8w2k6n7v4b1hm","at":"2026-11-22T09:30:00.000Z","action":"monitor.paused"}
                     *     {"id":"aud_01kay5v2r8d4m6x1s9p3j7q5ek","at":"2026-11-22T09:34:00.000Z","action":"monitor.resumed"}
                     */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listComponents: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items of the status page with this ID. */
                status_page_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "comp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "Checkout",
                     *           "description": "Cart and payment",
                     *           "group": "Shop",
                     *           "position": 1,
                     *           "status": "operational",
                     *           "monitor_ids": [
                     *             "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *           ],
                     *           "monitor_selector": "service=checkout, env=prod",
                     *           "show_uptime": true,
                     *           "matched_monitor_ids": [
                     *             "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *           ],
                     *           "matched_truncated": true,
                     *           "shown_status": "operational",
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "updated_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ComponentList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                 *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                 *       "name": "Checkout",
                 *       "group": "Shop",
                 *       "monitor_selector": "service=checkout, env=prod"
                 *     }
                 */
                "application/json": components["schemas"]["CreateComponentRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "comp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "Checkout",
                     *       "description": "Cart and payment",
                     *       "group": "Shop",
                     *       "position": 1,
                     *       "status": "operational",
                     *       "monitor_ids": [
                     *         "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "monitor_selector": "service=checkout, env=prod",
                     *       "show_uptime": true,
                     *       "matched_monitor_ids": [
                     *         "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "matched_truncated": true,
                     *       "shown_status": "operational",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                 *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                 *       "components": [
                 *         {
                 *           "id": "comp_01kay5v2r8d4m6x1s9p3j7q5ek",
                 *           "group": "Shop"
                 *         },
                 *         {
                 *           "id": "comp_01kay5t9c3fzq8w2k6n7v4b1hm",
                 *           "group": "Shop"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["OrderComponentsRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the component. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "comp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "Checkout",
                     *       "description": "Cart and payment",
                     *       "group": "Shop",
                     *       "position": 1,
                     *       "status": "operational",
                     *       "monitor_ids": [
                     *         "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "monitor_selector": "service=checkout, env=prod",
                     *       "show_uptime": true,
                     *       "matched_monitor_ids": [
                     *         "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "matched_truncated": true,
                     *       "shown_status": "operational",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Component"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the component. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateComponent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that you have read, bare or quoted. If the resource has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description ID of the component. */
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
                "application/json": components["schemas"]["UpdateComponentRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "comp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "Checkout",
                     *       "description": "Cart and payment",
                     *       "group": "Shop",
                     *       "position": 1,
                     *       "status": "operational",
                     *       "monitor_ids": [
                     *         "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "monitor_selector": "service=checkout, env=prod",
                     *       "show_uptime": true,
                     *       "matched_monitor_ids": [
                     *         "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "matched_truncated": true,
                     *       "shown_status": "operational",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMonitors: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description `true` for monitors that are checked, `false` for paused ones. */
                enabled?: "true" | "false";
                /** @description Label selector, such as `env=prod, team in (web, api), !legacy`; `*` matches everything. */
                selector?: string;
                /** @description Only items of these kinds, separated by commas. */
                kind?: ("http" | "tcp" | "tls" | "dns" | "ping")[];
                /** @description Only monitors with one of these statuses, separated by commas. */
                status?: ("up" | "degraded" | "down" | "undetermined" | "pending" | "paused")[];
                /** @description Part of the name or of the host. */
                q?: string;
                /** @description `summary` adds uptime and latency to each monitor. */
                include?: "summary";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "key": null,
                     *           "managed_by": null,
                     *           "kind": "http",
                     *           "name": "Checkout",
                     *           "url": "https://shop.example.com/checkout",
                     *           "method": "GET",
                     *           "interval_seconds": 30,
                     *           "timeout_ms": 1,
                     *           "regions": [
                     *             "eu-west",
                     *             "us-east",
                     *             "ap-south"
                     *           ],
                     *           "quorum": 2,
                     *           "assertions": [
                     *             {
                     *               "type": "status",
                     *               "operator": "eq",
                     *               "value": null
                     *             }
                     *           ],
                     *           "headers": {},
                     *           "body": "Card payments fail. We are looking into it.",
                     *           "follow_redirects": true,
                     *           "alert_policy": {
                     *             "severity": "p1",
                     *             "slack_channel": "#alerts",
                     *             "escalate_after_minutes": 1
                     *           },
                     *           "alert_rules": {
                     *             "confirm_seconds": 1,
                     *             "recover_seconds": 1,
                     *             "flap": {
                     *               "changes": 3,
                     *               "window_seconds": 300
                     *             },
                     *             "degraded": {
                     *               "after_seconds": 1,
                     *               "severity": "p1"
                     *             },
                     *             "certificate": {
                     *               "enabled": true,
                     *               "thresholds": [
                     *                 {
                     *                   "days_left": 1,
                     *                   "severity": "p1"
                     *                 }
                     *               ],
                     *               "in_verdict": true
                     *             }
                     *           },
                     *           "component_ids": [
                     *             "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *           ],
                     *           "labels": {
                     *             "env": "prod",
                     *             "service": "checkout"
                     *           },
                     *           "enabled": true,
                     *           "status": "up",
                     *           "status_since": "2026-11-22T09:30:00.000Z",
                     *           "votes": [
                     *             {
                     *               "region": "eu-west",
                     *               "vote": "up",
                     *               "since": "2026-11-22T09:30:00.000Z",
                     *               "as_of": "2026-11-22T09:30:00.000Z",
                     *               "reason": "no_result"
                     *             }
                     *           ],
                     *           "maintenance": {
                     *             "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "ends_at": "2026-11-22T09:30:00.000Z"
                     *           },
                     *           "unable_regions": [
                     *             {
                     *               "region": "eu-west",
                     *               "reason": "no_agent",
                     *               "missing": [
                     *                 "text"
                     *               ]
                     *             }
                     *           ],
                     *           "config_version": 1,
                     *           "rules_version": 1,
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "updated_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MonitorList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createMonitor: {
        parameters: {
            query?: {
                /** @description `true` changes nothing: the response shows what the request would do. */
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
                "application/json": components["schemas"]["CreateMonitorRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "monitor": {
                     *         "id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "key": null,
                     *         "managed_by": null,
                     *         "kind": "http",
                     *         "name": "Checkout",
                     *         "url": "https://shop.example.com/checkout",
                     *         "method": "GET",
                     *         "interval_seconds": 30,
                     *         "timeout_ms": 1,
                     *         "regions": [
                     *           "eu-west",
                     *           "us-east",
                     *           "ap-south"
                     *         ],
                     *         "quorum": 2,
                     *         "assertions": [
                     *           {
                     *             "type": "status",
                     *             "operator": "eq",
                     *             "value": null
                     *           }
                     *         ],
                     *         "headers": {},
                     *         "body": "Card payments fail. We are looking into it.",
                     *         "follow_redirects": true,
                     *         "alert_policy": {
                     *           "severity": "p1",
                     *           "slack_channel": "#alerts",
                     *           "escalate_after_minutes": 1
                     *         },
                     *         "alert_rules": {
                     *           "confirm_seconds": 1,
                     *           "recover_seconds": 1,
                     *           "flap": {
                     *             "changes": 3,
                     *             "window_seconds": 300
                     *           },
                     *           "degraded": {
                     *             "after_seconds": 1,
                     *             "severity": "p1"
                     *           },
                     *           "certificate": {
                     *             "enabled": true,
                     *             "thresholds": [
                     *               {
                     *                 "days_left": 1,
                     *                 "severity": "p1"
                     *               }
                     *             ],
                     *             "in_verdict": true
                     *           }
                     *         },
                     *         "component_ids": [
                     *           "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "labels": {
                     *           "env": "prod",
                     *           "service": "checkout"
                     *         },
                     *         "enabled": true,
                     *         "status": "up",
                     *         "status_since": "2026-11-22T09:30:00.000Z",
                     *         "votes": [
                     *           {
                     *             "region": "eu-west",
                     *             "vote": "up",
                     *             "since": "2026-11-22T09:30:00.000Z",
                     *             "as_of": "2026-11-22T09:30:00.000Z",
                     *             "reason": "no_result"
                     *           }
                     *         ],
                     *         "maintenance": {
                     *           "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "ends_at": "2026-11-22T09:30:00.000Z"
                     *         },
                     *         "unable_regions": [
                     *           {
                     *             "region": "eu-west",
                     *             "reason": "no_agent",
                     *             "missing": [
                     *               "text"
                     *             ]
                     *           }
                     *         ],
                     *         "config_version": 1,
                     *         "rules_version": 1,
                     *         "created_at": "2026-11-22T09:30:00.000Z",
                     *         "updated_at": "2026-11-22T09:30:00.000Z"
                     *       },
                     *       "changed": [
                     *         "text"
                     *       ],
                     *       "bumps": true,
                     *       "drops_votes": true,
                     *       "backtest": {
                     *         "from": "2026-11-22T09:30:00.000Z",
                     *         "to": "2026-11-22T09:30:00.000Z",
                     *         "results": 1,
                     *         "not_replayable": [
                     *           {
                     *             "pointer": "text",
                     *             "reason": "no_results"
                     *           }
                     *         ],
                     *         "before": {
                     *           "alerts": [
                     *             {
                     *               "kind": "down",
                     *               "started_at": "2026-11-22T09:30:00.000Z",
                     *               "opened_at": "2026-11-22T09:30:00.000Z",
                     *               "resolved_at": "2026-11-22T09:30:00.000Z"
                     *             }
                     *           ],
                     *           "uptime": 1,
                     *           "down_seconds": 1,
                     *           "degraded_seconds": 1,
                     *           "undetermined_seconds": 1,
                     *           "maintenance_seconds": 1
                     *         },
                     *         "after": {
                     *           "alerts": [
                     *             {
                     *               "kind": "down",
                     *               "started_at": "2026-11-22T09:30:00.000Z",
                     *               "opened_at": "2026-11-22T09:30:00.000Z",
                     *               "resolved_at": "2026-11-22T09:30:00.000Z"
                     *             }
                     *           ],
                     *           "uptime": 1,
                     *           "down_seconds": 1,
                     *           "degraded_seconds": 1,
                     *           "undetermined_seconds": 1,
                     *           "maintenance_seconds": 1
                     *         },
                     *         "diff": {
                     *           "new": [
                     *             {
                     *               "kind": "down",
                     *               "started_at": "2026-11-22T09:30:00.000Z",
                     *               "opened_at": "2026-11-22T09:30:00.000Z",
                     *               "resolved_at": "2026-11-22T09:30:00.000Z"
                     *             }
                     *           ],
                     *           "gone": [
                     *             {
                     *               "kind": "down",
                     *               "started_at": "2026-11-22T09:30:00.000Z",
                     *               "opened_at": "2026-11-22T09:30:00.000Z",
                     *               "resolved_at": "2026-11-22T09:30:00.000Z"
                     *             }
                     *           ],
                     *           "moved": [
                     *             {
                     *               "before": {
                     *                 "kind": "down",
                     *                 "started_at": "2026-11-22T09:30:00.000Z",
                     *                 "opened_at": "2026-11-22T09:30:00.000Z",
                     *                 "resolved_at": "2026-11-22T09:30:00.000Z"
                     *               },
                     *               "after": {
                     *                 "kind": "down",
                     *                 "started_at": "2026-11-22T09:30:00.000Z",
                     *                 "opened_at": "2026-11-22T09:30:00.000Z",
                     *                 "resolved_at": "2026-11-22T09:30:00.000Z"
                     *               },
                     *               "opened_ms": 1,
                     *               "resolved_ms": 1
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MonitorDryRun"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "kind": "http",
                     *       "name": "Checkout",
                     *       "url": "https://shop.example.com/checkout",
                     *       "method": "GET",
                     *       "interval_seconds": 30,
                     *       "timeout_ms": 1,
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
                     *           "value": null,
                     *           "on_fail": "err"
                     *         }
                     *       ],
                     *       "headers": {},
                     *       "body": "Card payments fail. We are looking into it.",
                     *       "follow_redirects": true,
                     *       "alert_policy": {
                     *         "severity": "p1",
                     *         "slack_channel": "#alerts",
                     *         "escalate_after_minutes": 1
                     *       },
                     *       "alert_rules": {
                     *         "confirm_seconds": 1,
                     *         "recover_seconds": 1,
                     *         "flap": {
                     *           "changes": 3,
                     *           "window_seconds": 300
                     *         },
                     *         "degraded": {
                     *           "after_seconds": 1,
                     *           "severity": "p1"
                     *         },
                     *         "certificate": {
                     *           "enabled": true,
                     *           "thresholds": [
                     *             {
                     *               "days_left": 1,
                     *               "severity": "p1"
                     *             }
                     *           ],
                     *           "in_verdict": true
                     *         }
                     *       },
                     *       "component_ids": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "labels": {
                     *         "env": "prod",
                     *         "service": "checkout"
                     *       },
                     *       "enabled": true,
                     *       "tcp": {
                     *         "send": "text",
                     *         "read": true
                     *       },
                     *       "tls": {
                     *         "starttls": "smtp"
                     *       },
                     *       "dns": {
                     *         "transport": "udp",
                     *         "recursion": true,
                     *         "agree_with": [
                     *           "text"
                     *         ]
                     *       },
                     *       "ping": {
                     *         "count": 1
                     *       },
                     *       "status": "up",
                     *       "status_since": "2026-11-22T09:30:00.000Z",
                     *       "votes": [
                     *         {
                     *           "region": "eu-west",
                     *           "vote": "up",
                     *           "since": "2026-11-22T09:30:00.000Z",
                     *           "as_of": "2026-11-22T09:30:00.000Z",
                     *           "reason": "no_result"
                     *         }
                     *       ],
                     *       "maintenance": {
                     *         "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "ends_at": "2026-11-22T09:30:00.000Z"
                     *       },
                     *       "unable_regions": [
                     *         {
                     *           "region": "eu-west",
                     *           "reason": "no_agent",
                     *           "missing": [
                     *             "text"
                     *           ]
                     *         }
                     *       ],
                     *       "summary": {
                     *         "uptime_30d": 1,
                     *         "p95_ms": 1,
                     *         "hourly_latency_ms": [
                     *           1
                     *         ],
                     *         "hourly_error_rate": [
                     *           1
                     *         ]
                     *       },
                     *       "config_version": 1,
                     *       "rules_version": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z",
                     *       "warnings": [
                     *         {
                     *           "pointer": "text",
                     *           "code": "address_not_public",
                     *           "detail": "text"
                     *         }
                     *       ]
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the monitor. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "kind": "http",
                     *       "name": "Checkout",
                     *       "url": "https://shop.example.com/checkout",
                     *       "method": "GET",
                     *       "interval_seconds": 30,
                     *       "timeout_ms": 1,
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
                     *           "value": null
                     *         }
                     *       ],
                     *       "headers": {},
                     *       "body": "Card payments fail. We are looking into it.",
                     *       "follow_redirects": true,
                     *       "alert_policy": {
                     *         "severity": "p1",
                     *         "slack_channel": "#alerts",
                     *         "escalate_after_minutes": 1
                     *       },
                     *       "alert_rules": {
                     *         "confirm_seconds": 1,
                     *         "recover_seconds": 1,
                     *         "flap": {
                     *           "changes": 3,
                     *           "window_seconds": 300
                     *         },
                     *         "degraded": {
                     *           "after_seconds": 1,
                     *           "severity": "p1"
                     *         },
                     *         "certificate": {
                     *           "enabled": true,
                     *           "thresholds": [
                     *             {
                     *               "days_left": 1,
                     *               "severity": "p1"
                     *             }
                     *           ],
                     *           "in_verdict": true
                     *         }
                     *       },
                     *       "component_ids": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "labels": {
                     *         "env": "prod",
                     *         "service": "checkout"
                     *       },
                     *       "enabled": true,
                     *       "status": "up",
                     *       "status_since": "2026-11-22T09:30:00.000Z",
                     *       "votes": [
                     *         {
                     *           "region": "eu-west",
                     *           "vote": "up",
                     *           "since": "2026-11-22T09:30:00.000Z",
                     *           "as_of": "2026-11-22T09:30:00.000Z",
                     *           "reason": "no_result"
                     *         }
                     *       ],
                     *       "maintenance": {
                     *         "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "ends_at": "2026-11-22T09:30:00.000Z"
                     *       },
                     *       "unable_regions": [
                     *         {
                     *           "region": "eu-west",
                     *           "reason": "no_agent",
                     *           "missing": [
                     *             "text"
                     *           ]
                     *         }
                     *       ],
                     *       "config_version": 1,
                     *       "rules_version": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Monitor"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the monitor. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateMonitor: {
        parameters: {
            query?: {
                /** @description `true` changes nothing: the response shows what the request would do. */
                dry_run?: "true" | "false";
            };
            header?: {
                /** @description The `updated_at` that you have read, bare or quoted. If the resource has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description ID of the monitor. */
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
                "application/json": components["schemas"]["UpdateMonitorRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "kind": "http",
                     *       "name": "Checkout",
                     *       "url": "https://shop.example.com/checkout",
                     *       "method": "GET",
                     *       "interval_seconds": 30,
                     *       "timeout_ms": 1,
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
                     *           "value": null
                     *         }
                     *       ],
                     *       "headers": {},
                     *       "body": "Card payments fail. We are looking into it.",
                     *       "follow_redirects": true,
                     *       "alert_policy": {
                     *         "severity": "p1",
                     *         "slack_channel": "#alerts",
                     *         "escalate_after_minutes": 1
                     *       },
                     *       "alert_rules": {
                     *         "confirm_seconds": 1,
                     *         "recover_seconds": 1,
                     *         "flap": {
                     *           "changes": 3,
                     *           "window_seconds": 300
                     *         },
                     *         "degraded": {
                     *           "after_seconds": 1,
                     *           "severity": "p1"
                     *         },
                     *         "certificate": {
                     *           "enabled": true,
                     *           "thresholds": [
                     *             {
                     *               "days_left": 1,
                     *               "severity": "p1"
                     *             }
                     *           ],
                     *           "in_verdict": true
                     *         }
                     *       },
                     *       "component_ids": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "labels": {
                     *         "env": "prod",
                     *         "service": "checkout"
                     *       },
                     *       "enabled": true,
                     *       "status": "up",
                     *       "status_since": "2026-11-22T09:30:00.000Z",
                     *       "votes": [
                     *         {
                     *           "region": "eu-west",
                     *           "vote": "up",
                     *           "since": "2026-11-22T09:30:00.000Z",
                     *           "as_of": "2026-11-22T09:30:00.000Z",
                     *           "reason": "no_result"
                     *         }
                     *       ],
                     *       "maintenance": {
                     *         "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "ends_at": "2026-11-22T09:30:00.000Z"
                     *       },
                     *       "unable_regions": [
                     *         {
                     *           "region": "eu-west",
                     *           "reason": "no_agent",
                     *           "missing": [
                     *             "text"
                     *           ]
                     *         }
                     *       ],
                     *       "config_version": 1,
                     *       "rules_version": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["UpdateMonitorResponse"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the monitor. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "kind": "http",
                     *       "name": "Checkout",
                     *       "url": "https://shop.example.com/checkout",
                     *       "method": "GET",
                     *       "interval_seconds": 30,
                     *       "timeout_ms": 1,
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
                     *           "value": null
                     *         }
                     *       ],
                     *       "headers": {},
                     *       "body": "Card payments fail. We are looking into it.",
                     *       "follow_redirects": true,
                     *       "alert_policy": {
                     *         "severity": "p1",
                     *         "slack_channel": "#alerts",
                     *         "escalate_after_minutes": 1
                     *       },
                     *       "alert_rules": {
                     *         "confirm_seconds": 1,
                     *         "recover_seconds": 1,
                     *         "flap": {
                     *           "changes": 3,
                     *           "window_seconds": 300
                     *         },
                     *         "degraded": {
                     *           "after_seconds": 1,
                     *           "severity": "p1"
                     *         },
                     *         "certificate": {
                     *           "enabled": true,
                     *           "thresholds": [
                     *             {
                     *               "days_left": 1,
                     *               "severity": "p1"
                     *             }
                     *           ],
                     *           "in_verdict": true
                     *         }
                     *       },
                     *       "component_ids": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "labels": {
                     *         "env": "prod",
                     *         "service": "checkout"
                     *       },
                     *       "enabled": true,
                     *       "status": "up",
                     *       "status_since": "2026-11-22T09:30:00.000Z",
                     *       "votes": [
                     *         {
                     *           "region": "eu-west",
                     *           "vote": "up",
                     *           "since": "2026-11-22T09:30:00.000Z",
                     *           "as_of": "2026-11-22T09:30:00.000Z",
                     *           "reason": "no_result"
                     *         }
                     *       ],
                     *       "maintenance": {
                     *         "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "ends_at": "2026-11-22T09:30:00.000Z"
                     *       },
                     *       "unable_regions": [
                     *         {
                     *           "region": "eu-west",
                     *           "reason": "no_agent",
                     *           "missing": [
                     *             "text"
                     *           ]
                     *         }
                     *       ],
                     *       "config_version": 1,
                     *       "rules_version": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the monitor. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "kind": "http",
                     *       "name": "Checkout",
                     *       "url": "https://shop.example.com/checkout",
                     *       "method": "GET",
                     *       "interval_seconds": 30,
                     *       "timeout_ms": 1,
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
                     *           "value": null
                     *         }
                     *       ],
                     *       "headers": {},
                     *       "body": "Card payments fail. We are looking into it.",
                     *       "follow_redirects": true,
                     *       "alert_policy": {
                     *         "severity": "p1",
                     *         "slack_channel": "#alerts",
                     *         "escalate_after_minutes": 1
                     *       },
                     *       "alert_rules": {
                     *         "confirm_seconds": 1,
                     *         "recover_seconds": 1,
                     *         "flap": {
                     *           "changes": 3,
                     *           "window_seconds": 300
                     *         },
                     *         "degraded": {
                     *           "after_seconds": 1,
                     *           "severity": "p1"
                     *         },
                     *         "certificate": {
                     *           "enabled": true,
                     *           "thresholds": [
                     *             {
                     *               "days_left": 1,
                     *               "severity": "p1"
                     *             }
                     *           ],
                     *           "in_verdict": true
                     *         }
                     *       },
                     *       "component_ids": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "labels": {
                     *         "env": "prod",
                     *         "service": "checkout"
                     *       },
                     *       "enabled": true,
                     *       "status": "up",
                     *       "status_since": "2026-11-22T09:30:00.000Z",
                     *       "votes": [
                     *         {
                     *           "region": "eu-west",
                     *           "vote": "up",
                     *           "since": "2026-11-22T09:30:00.000Z",
                     *           "as_of": "2026-11-22T09:30:00.000Z",
                     *           "reason": "no_result"
                     *         }
                     *       ],
                     *       "maintenance": {
                     *         "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "ends_at": "2026-11-22T09:30:00.000Z"
                     *       },
                     *       "unable_regions": [
                     *         {
                     *           "region": "eu-west",
                     *           "reason": "no_agent",
                     *           "missing": [
                     *             "text"
                     *           ]
                     *         }
                     *       ],
                     *       "config_version": 1,
                     *       "rules_version": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMonitorVersions: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description ID of the monitor. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "aud_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "at": "2026-11-22T09:30:00.000Z",
                     *           "actor": {
                     *             "type": "token",
                     *             "id": "tok_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "name": "Checkout"
                     *           },
                     *           "via": "api",
                     *           "action": "project.created",
                     *           "resource": "project",
                     *           "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "Checkout",
                     *           "before": {},
                     *           "after": {},
                     *           "also": [
                     *             {
                     *               "resource": "project",
                     *               "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *               "name": "Checkout",
                     *               "before": {},
                     *               "after": {}
                     *             }
                     *           ],
                     *           "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "plan_id": "text",
                     *           "detail": {},
                     *           "config_version": 1,
                     *           "drops_votes": true
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MonitorChangeList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "key": "env",
                     *           "monitors": 1,
                     *           "values": [
                     *             {
                     *               "value": "text",
                     *               "monitors": 1
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListLabelsResponse"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["BulkChangeMonitorsRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "matched": 1,
                     *       "changed": 1,
                     *       "unchanged": 1,
                     *       "failed": 1,
                     *       "dry_run": true,
                     *       "items": [
                     *         {
                     *           "id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "Checkout",
                     *           "outcome": "changed"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BulkChangeMonitorsResponse"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                 *       "monitor_id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
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
                "application/json": components["schemas"]["TestMonitorRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "region": "eu-west",
                     *           "agent_id": "agt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "result": {
                     *             "status": "ok",
                     *             "started_at": "2026-11-22T09:30:00.000Z",
                     *             "latency_ms": 1,
                     *             "delayed_ms": 1,
                     *             "timings": {
                     *               "dns_ms": 1,
                     *               "connect_ms": 1,
                     *               "tls_ms": 1,
                     *               "first_byte_ms": 1,
                     *               "download_ms": 1,
                     *               "starttls_ms": 1
                     *             },
                     *             "status_code": 1,
                     *             "error": {
                     *               "code": "dns_failure",
                     *               "message": "text",
                     *               "phase": "auth",
                     *               "host": "text"
                     *             },
                     *             "failure_source": "target",
                     *             "assertions": [
                     *               {
                     *                 "index": 1,
                     *                 "type": "status",
                     *                 "passed": true,
                     *                 "expected": "text",
                     *                 "actual": "text"
                     *               }
                     *             ],
                     *             "remote_ip": "203.0.113.9",
                     *             "bytes": 1,
                     *             "truncated": true,
                     *             "tls": {
                     *               "protocol": "text",
                     *               "valid_to": "2026-11-22T09:30:00.000Z",
                     *               "days_left": 1,
                     *               "valid_from": "2026-11-22T09:30:00.000Z",
                     *               "issuer": "Example CA",
                     *               "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *               "fingerprint_sha256": "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"
                     *             },
                     *             "warnings": [
                     *               {
                     *                 "code": "eu-west",
                     *                 "message": "text"
                     *               }
                     *             ],
                     *             "dns": {
                     *               "server": "text",
                     *               "rcode": "text",
                     *               "answers": [
                     *                 {
                     *                   "name": "Checkout",
                     *                   "type": "text",
                     *                   "ttl": 1,
                     *                   "data": "text"
                     *                 }
                     *               ],
                     *               "truncated": true,
                     *               "servers": [
                     *                 {
                     *                   "server": "text",
                     *                   "rcode": "text",
                     *                   "agrees": true
                     *                 }
                     *               ]
                     *             },
                     *             "ping": {
                     *               "sent": 1,
                     *               "received": 1,
                     *               "min_ms": 1,
                     *               "avg_ms": 1,
                     *               "max_ms": 1,
                     *               "jitter_ms": 1
                     *             }
                     *           },
                     *           "problem": "no_agent",
                     *           "response": {
                     *             "status_code": 100,
                     *             "headers": {},
                     *             "body_excerpt": "text"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the monitor. */
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
                "application/json": components["schemas"]["CheckMonitorNowRequest"];
            };
        };
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "at": "2026-11-22T09:30:00.000Z",
                     *       "regions": [
                     *         "eu-west"
                     *       ],
                     *       "unable_regions": [
                     *         {
                     *           "region": "eu-west",
                     *           "reason": "no_agent",
                     *           "missing": [
                     *             "text"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CheckMonitorNowResponse"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMonitorChecks: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items at or after this time. */
                from?: string;
                /** @description Only items before this time. */
                to?: string;
                /** @description Only checks with this `scheduled_at`, as the response of check-now has it in `at`. */
                at?: string;
                /** @description Only items of the region with this code. */
                region?: string;
                /** @description Only checks of this kind. */
                kind?: "scheduled" | "confirm";
                /** @description Only checks with this outcome. */
                status?: "ok" | "warn" | "err";
            };
            header?: never;
            path: {
                /** @description ID of the monitor. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "chk_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "monitor_id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "region": "eu-west",
                     *           "agent_id": "agt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "status": "ok",
                     *           "scheduled_at": "2026-11-22T09:30:00.000Z",
                     *           "started_at": "2026-11-22T09:30:00.000Z",
                     *           "latency_ms": 1,
                     *           "delayed_ms": 1,
                     *           "timings": {
                     *             "dns_ms": 1,
                     *             "connect_ms": 1,
                     *             "tls_ms": 1,
                     *             "first_byte_ms": 1,
                     *             "download_ms": 1,
                     *             "starttls_ms": 1
                     *           },
                     *           "status_code": 1,
                     *           "error": {
                     *             "code": "dns_failure",
                     *             "message": "text",
                     *             "phase": "auth",
                     *             "host": "text"
                     *           },
                     *           "failure_source": "target",
                     *           "assertions": [
                     *             {
                     *               "index": 1,
                     *               "type": "status",
                     *               "passed": true,
                     *               "expected": "text",
                     *               "actual": "text"
                     *             }
                     *           ],
                     *           "attempt": 1,
                     *           "kind": "scheduled",
                     *           "remote_ip": "203.0.113.9",
                     *           "bytes": 1,
                     *           "truncated": true,
                     *           "tls": {
                     *             "protocol": "text",
                     *             "valid_to": "2026-11-22T09:30:00.000Z",
                     *             "days_left": 1,
                     *             "valid_from": "2026-11-22T09:30:00.000Z",
                     *             "issuer": "Example CA",
                     *             "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "fingerprint_sha256": "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"
                     *           },
                     *           "warnings": [
                     *             {
                     *               "code": "eu-west",
                     *               "message": "text"
                     *             }
                     *           ],
                     *           "dns": {
                     *             "server": "text",
                     *             "rcode": "text",
                     *             "answers": [
                     *               {
                     *                 "name": "Checkout",
                     *                 "type": "text",
                     *                 "ttl": 1,
                     *                 "data": "text"
                     *               }
                     *             ],
                     *             "truncated": true,
                     *             "servers": [
                     *               {
                     *                 "server": "text",
                     *                 "rcode": "text",
                     *                 "agrees": true
                     *               }
                     *             ]
                     *           },
                     *           "ping": {
                     *             "sent": 1,
                     *             "received": 1,
                     *             "min_ms": 1,
                     *             "avg_ms": 1,
                     *             "max_ms": 1,
                     *             "jitter_ms": 1
                     *           },
                     *           "config_version": 1,
                     *           "received_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CheckResultList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMonitorVerdicts: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items at or after this time. */
                from?: string;
                /** @description Only items before this time. */
                to?: string;
                /** @description Only these verdicts, separated by commas. */
                verdict?: ("up" | "degraded" | "down" | "undetermined" | "pending" | "paused" | "deleted")[];
            };
            header?: never;
            path: {
                /** @description ID of the monitor. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "verdict": "up",
                     *           "since": "2026-11-22T09:30:00.000Z",
                     *           "until": "2026-11-22T09:30:00.000Z",
                     *           "decided_at": "2026-11-22T09:30:00.000Z",
                     *           "cause": "vote",
                     *           "revised": true,
                     *           "quorum": 1,
                     *           "config_version": 1,
                     *           "votes": [
                     *             {
                     *               "region": "eu-west",
                     *               "vote": "up",
                     *               "counted": true,
                     *               "since": "2026-11-22T09:30:00.000Z",
                     *               "as_of": "2026-11-22T09:30:00.000Z",
                     *               "expires_at": "2026-11-22T09:30:00.000Z",
                     *               "check_id": "text"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["VerdictRowList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items at or after this time. */
                from?: string;
                /** @description Only items before this time. */
                to?: string;
                /** @description Only items in one of these states, separated by commas. */
                state?: ("open" | "acknowledged" | "resolved")[];
                /** @description Only items with one of these severities, separated by commas. */
                severity?: ("p1" | "p2" | "p3")[];
                /** @description Only items of the monitor with this ID. */
                monitor_id?: string;
                /** @description Only items of these kinds, separated by commas. */
                kind?: ("down" | "degraded" | "certificate")[];
                /** @description `true` for alerts whose notifications are delayed by maintenance, `false` for all others. */
                held?: "true" | "false";
                /** @description Only alerts of the group with this ID. */
                group_id?: string;
                /** @description Label selector, such as `env=prod, team in (web, api), !legacy`; `*` matches everything. */
                selector?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "monitor_id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "kind": "down",
                     *           "title": "Checkout is down",
                     *           "severity": "p1",
                     *           "state": "open",
                     *           "regions_failing": [
                     *             "eu-west"
                     *           ],
                     *           "regions": [
                     *             "eu-west"
                     *           ],
                     *           "quorum": 1,
                     *           "reason": {
                     *             "summary": "expected status 200, got 503",
                     *             "region": "eu-west",
                     *             "expected": "text",
                     *             "actual": "text",
                     *             "status_code": 1,
                     *             "error_code": "text",
                     *             "phase": "auth",
                     *             "host": "text"
                     *           },
                     *           "labels": {},
                     *           "started_at": "2026-11-22T09:30:00.000Z",
                     *           "opened_at": "2026-11-22T09:30:00.000Z",
                     *           "rules_version": 1,
                     *           "held": true,
                     *           "held_since": "2026-11-22T09:30:00.000Z",
                     *           "released_at": "2026-11-22T09:30:00.000Z",
                     *           "flapping_since": "2026-11-22T09:30:00.000Z",
                     *           "last_seen_at": "2026-11-22T09:30:00.000Z",
                     *           "acknowledged_at": "2026-11-22T09:30:00.000Z",
                     *           "acknowledged_by": {
                     *             "type": "token",
                     *             "id": "tok_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "name": "Checkout"
                     *           },
                     *           "escalated_at": "2026-11-22T09:30:00.000Z",
                     *           "resolved_at": "2026-11-22T09:30:00.000Z",
                     *           "superseded_by": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "group_id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "incident_id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "created_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AlertList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the alert. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "monitor_id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "kind": "down",
                     *       "title": "Checkout is down",
                     *       "severity": "p1",
                     *       "state": "open",
                     *       "regions_failing": [
                     *         "eu-west"
                     *       ],
                     *       "regions": [
                     *         "eu-west"
                     *       ],
                     *       "quorum": 1,
                     *       "reason": {
                     *         "summary": "expected status 200, got 503",
                     *         "region": "eu-west",
                     *         "expected": "text",
                     *         "actual": "text",
                     *         "status_code": 1,
                     *         "error_code": "text",
                     *         "phase": "auth",
                     *         "host": "text"
                     *       },
                     *       "labels": {},
                     *       "started_at": "2026-11-22T09:30:00.000Z",
                     *       "opened_at": "2026-11-22T09:30:00.000Z",
                     *       "rules_version": 1,
                     *       "held": true,
                     *       "held_since": "2026-11-22T09:30:00.000Z",
                     *       "released_at": "2026-11-22T09:30:00.000Z",
                     *       "flapping_since": "2026-11-22T09:30:00.000Z",
                     *       "last_seen_at": "2026-11-22T09:30:00.000Z",
                     *       "acknowledged_at": "2026-11-22T09:30:00.000Z",
                     *       "acknowledged_by": {
                     *         "type": "token",
                     *         "id": "tok_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "name": "Checkout"
                     *       },
                     *       "escalated_at": "2026-11-22T09:30:00.000Z",
                     *       "resolved_at": "2026-11-22T09:30:00.000Z",
                     *       "superseded_by": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "group_id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "incident_id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "created_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the alert. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "monitor_id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "kind": "down",
                     *       "title": "Checkout is down",
                     *       "severity": "p1",
                     *       "state": "open",
                     *       "regions_failing": [
                     *         "eu-west"
                     *       ],
                     *       "regions": [
                     *         "eu-west"
                     *       ],
                     *       "quorum": 1,
                     *       "reason": {
                     *         "summary": "expected status 200, got 503",
                     *         "region": "eu-west",
                     *         "expected": "text",
                     *         "actual": "text",
                     *         "status_code": 1,
                     *         "error_code": "text",
                     *         "phase": "auth",
                     *         "host": "text"
                     *       },
                     *       "labels": {},
                     *       "started_at": "2026-11-22T09:30:00.000Z",
                     *       "opened_at": "2026-11-22T09:30:00.000Z",
                     *       "rules_version": 1,
                     *       "held": true,
                     *       "held_since": "2026-11-22T09:30:00.000Z",
                     *       "released_at": "2026-11-22T09:30:00.000Z",
                     *       "flapping_since": "2026-11-22T09:30:00.000Z",
                     *       "last_seen_at": "2026-11-22T09:30:00.000Z",
                     *       "acknowledged_at": "2026-11-22T09:30:00.000Z",
                     *       "acknowledged_by": {
                     *         "type": "token",
                     *         "id": "tok_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "name": "Checkout"
                     *       },
                     *       "escalated_at": "2026-11-22T09:30:00.000Z",
                     *       "resolved_at": "2026-11-22T09:30:00.000Z",
                     *       "superseded_by": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "group_id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "incident_id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "created_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the monitor. */
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
                "application/json": components["schemas"]["BacktestMonitorRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-11-22T09:30:00.000Z",
                     *       "to": "2026-11-22T09:30:00.000Z",
                     *       "results": 1,
                     *       "not_replayable": [
                     *         {
                     *           "pointer": "text",
                     *           "reason": "no_results"
                     *         }
                     *       ],
                     *       "before": {
                     *         "alerts": [
                     *           {
                     *             "kind": "down",
                     *             "started_at": "2026-11-22T09:30:00.000Z",
                     *             "opened_at": "2026-11-22T09:30:00.000Z",
                     *             "resolved_at": "2026-11-22T09:30:00.000Z"
                     *           }
                     *         ],
                     *         "uptime": 1,
                     *         "down_seconds": 1,
                     *         "degraded_seconds": 1,
                     *         "undetermined_seconds": 1,
                     *         "maintenance_seconds": 1
                     *       },
                     *       "after": {
                     *         "alerts": [
                     *           {
                     *             "kind": "down",
                     *             "started_at": "2026-11-22T09:30:00.000Z",
                     *             "opened_at": "2026-11-22T09:30:00.000Z",
                     *             "resolved_at": "2026-11-22T09:30:00.000Z"
                     *           }
                     *         ],
                     *         "uptime": 1,
                     *         "down_seconds": 1,
                     *         "degraded_seconds": 1,
                     *         "undetermined_seconds": 1,
                     *         "maintenance_seconds": 1
                     *       },
                     *       "diff": {
                     *         "new": [
                     *           {
                     *             "kind": "down",
                     *             "started_at": "2026-11-22T09:30:00.000Z",
                     *             "opened_at": "2026-11-22T09:30:00.000Z",
                     *             "resolved_at": "2026-11-22T09:30:00.000Z"
                     *           }
                     *         ],
                     *         "gone": [
                     *           {
                     *             "kind": "down",
                     *             "started_at": "2026-11-22T09:30:00.000Z",
                     *             "opened_at": "2026-11-22T09:30:00.000Z",
                     *             "resolved_at": "2026-11-22T09:30:00.000Z"
                     *           }
                     *         ],
                     *         "moved": [
                     *           {
                     *             "before": {
                     *               "kind": "down",
                     *               "started_at": "2026-11-22T09:30:00.000Z",
                     *               "opened_at": "2026-11-22T09:30:00.000Z",
                     *               "resolved_at": "2026-11-22T09:30:00.000Z"
                     *             },
                     *             "after": {
                     *               "kind": "down",
                     *               "started_at": "2026-11-22T09:30:00.000Z",
                     *               "opened_at": "2026-11-22T09:30:00.000Z",
                     *               "resolved_at": "2026-11-22T09:30:00.000Z"
                     *             },
                     *             "opened_ms": 1,
                     *             "resolved_ms": 1
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listNotices: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items at or after this time. */
                from?: string;
                /** @description Only items before this time. */
                to?: string;
                /** @description Only items of these kinds, separated by commas. */
                kind?: ("region.silent" | "region.quarantined" | "agent.silent" | "monitor.unable" | "channel.failing" | "work.failing" | "email.failing")[];
                /** @description Only items in one of these states, separated by commas. */
                state?: ("open" | "closed")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "ntc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "kind": "region.silent",
                     *           "subject": {
                     *             "type": "region",
                     *             "id": "text",
                     *             "name": "Checkout"
                     *           },
                     *           "title": "Checkout is down",
                     *           "detail": "text",
                     *           "state": "open",
                     *           "late_results": true,
                     *           "opened_at": "2026-11-22T09:30:00.000Z",
                     *           "closed_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NoticeList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMaintenances: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items at or after this time. */
                from?: string;
                /** @description Only items before this time. */
                to?: string;
                /** @description Only items in one of these states, separated by commas. */
                state?: ("scheduled" | "in_progress" | "completed" | "cancelled")[];
                /** @description Only items of the monitor with this ID. */
                monitor_id?: string;
                /** @description Only items of the status page with this ID. */
                status_page_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "key": null,
                     *           "managed_by": null,
                     *           "title": "Database upgrade",
                     *           "description": "The shop is read-only.",
                     *           "scope": {
                     *             "monitor_ids": [
                     *               "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *             ],
                     *             "selector": "text",
                     *             "component_ids": [
                     *               "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *             ],
                     *             "status_page_ids": [
                     *               "sp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *             ]
                     *           },
                     *           "starts_at": "2026-11-22T09:30:00.000Z",
                     *           "ends_at": "2026-11-22T09:30:00.000Z",
                     *           "schedule": {
                     *             "start": "2026-12-06T02:00:00",
                     *             "timezone": "Europe/Berlin",
                     *             "duration_seconds": 60,
                     *             "rrule": "FREQ=MONTHLY;BYDAY=1SU",
                     *             "exclude": [
                     *               "text"
                     *             ]
                     *           },
                     *           "alerts": "hold",
                     *           "exclude_from_uptime": true,
                     *           "settle_seconds": 1,
                     *           "announced": true,
                     *           "announce_before_hours": 1,
                     *           "notify": [
                     *             "announced"
                     *           ],
                     *           "state": "scheduled",
                     *           "current": {
                     *             "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "starts_at": "2026-11-22T09:30:00.000Z",
                     *             "ends_at": "2026-11-22T09:30:00.000Z",
                     *             "original_start": "2026-11-22T09:30:00.000Z",
                     *             "state": "scheduled",
                     *             "monitors": 1
                     *           },
                     *           "next": {
                     *             "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "starts_at": "2026-11-22T09:30:00.000Z",
                     *             "ends_at": "2026-11-22T09:30:00.000Z",
                     *             "original_start": "2026-11-22T09:30:00.000Z",
                     *             "state": "scheduled",
                     *             "monitors": 1
                     *           },
                     *           "matched_monitors": 1,
                     *           "updates": [
                     *             {
                     *               "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *               "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *               "state": "verifying",
                     *               "body": "The upgrade is done. We are checking the result.",
                     *               "posted_at": "2026-11-22T09:30:00.000Z",
                     *               "edited_at": "2026-11-22T09:30:00.000Z"
                     *             }
                     *           ],
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "updated_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                 *           "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
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
                "application/json": components["schemas"]["CreateMaintenanceRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "title": "Database upgrade",
                     *       "description": "The shop is read-only.",
                     *       "scope": {
                     *         "monitor_ids": [
                     *           "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "selector": "text",
                     *         "component_ids": [
                     *           "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "status_page_ids": [
                     *           "sp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ]
                     *       },
                     *       "starts_at": "2026-11-22T09:30:00.000Z",
                     *       "ends_at": "2026-11-22T09:30:00.000Z",
                     *       "schedule": {
                     *         "start": "2026-12-06T02:00:00",
                     *         "timezone": "Europe/Berlin",
                     *         "duration_seconds": 60,
                     *         "rrule": "FREQ=MONTHLY;BYDAY=1SU",
                     *         "exclude": [
                     *           "text"
                     *         ]
                     *       },
                     *       "alerts": "hold",
                     *       "exclude_from_uptime": true,
                     *       "settle_seconds": 1,
                     *       "announced": true,
                     *       "announce_before_hours": 1,
                     *       "notify": [
                     *         "announced"
                     *       ],
                     *       "state": "scheduled",
                     *       "current": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "next": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "matched_monitors": 1,
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "verifying",
                     *           "body": "The upgrade is done. We are checking the result.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                 *           "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
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
                "application/json": components["schemas"]["PreviewMaintenanceRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "occurrences": [
                     *         {
                     *           "starts_at": "2026-11-22T09:30:00.000Z",
                     *           "ends_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "monitors": 1,
                     *       "components": [
                     *         "text"
                     *       ],
                     *       "status_pages": [
                     *         "text"
                     *       ]
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the maintenance window. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "title": "Database upgrade",
                     *       "description": "The shop is read-only.",
                     *       "scope": {
                     *         "monitor_ids": [
                     *           "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "selector": "text",
                     *         "component_ids": [
                     *           "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "status_page_ids": [
                     *           "sp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ]
                     *       },
                     *       "starts_at": "2026-11-22T09:30:00.000Z",
                     *       "ends_at": "2026-11-22T09:30:00.000Z",
                     *       "schedule": {
                     *         "start": "2026-12-06T02:00:00",
                     *         "timezone": "Europe/Berlin",
                     *         "duration_seconds": 60,
                     *         "rrule": "FREQ=MONTHLY;BYDAY=1SU",
                     *         "exclude": [
                     *           "text"
                     *         ]
                     *       },
                     *       "alerts": "hold",
                     *       "exclude_from_uptime": true,
                     *       "settle_seconds": 1,
                     *       "announced": true,
                     *       "announce_before_hours": 1,
                     *       "notify": [
                     *         "announced"
                     *       ],
                     *       "state": "scheduled",
                     *       "current": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "next": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "matched_monitors": 1,
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "verifying",
                     *           "body": "The upgrade is done. We are checking the result.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Maintenance"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the maintenance window. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateMaintenance: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that you have read, bare or quoted. If the resource has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description ID of the maintenance window. */
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
                "application/json": components["schemas"]["UpdateMaintenanceRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "title": "Database upgrade",
                     *       "description": "The shop is read-only.",
                     *       "scope": {
                     *         "monitor_ids": [
                     *           "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "selector": "text",
                     *         "component_ids": [
                     *           "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "status_page_ids": [
                     *           "sp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ]
                     *       },
                     *       "starts_at": "2026-11-22T09:30:00.000Z",
                     *       "ends_at": "2026-11-22T09:30:00.000Z",
                     *       "schedule": {
                     *         "start": "2026-12-06T02:00:00",
                     *         "timezone": "Europe/Berlin",
                     *         "duration_seconds": 60,
                     *         "rrule": "FREQ=MONTHLY;BYDAY=1SU",
                     *         "exclude": [
                     *           "text"
                     *         ]
                     *       },
                     *       "alerts": "hold",
                     *       "exclude_from_uptime": true,
                     *       "settle_seconds": 1,
                     *       "announced": true,
                     *       "announce_before_hours": 1,
                     *       "notify": [
                     *         "announced"
                     *       ],
                     *       "state": "scheduled",
                     *       "current": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "next": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "matched_monitors": 1,
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "verifying",
                     *           "body": "The upgrade is done. We are checking the result.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMaintenanceOccurrences: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items at or after this time. */
                from?: string;
                /** @description Only items before this time. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description ID of the maintenance window. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "starts_at": "2026-11-22T09:30:00.000Z",
                     *           "ends_at": "2026-11-22T09:30:00.000Z",
                     *           "original_start": "2026-11-22T09:30:00.000Z",
                     *           "state": "scheduled",
                     *           "monitors": 1
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceOccurrenceList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the maintenance window. */
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
                "application/json": components["schemas"]["ExtendMaintenanceRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "title": "Database upgrade",
                     *       "description": "The shop is read-only.",
                     *       "scope": {
                     *         "monitor_ids": [
                     *           "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "selector": "text",
                     *         "component_ids": [
                     *           "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "status_page_ids": [
                     *           "sp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ]
                     *       },
                     *       "starts_at": "2026-11-22T09:30:00.000Z",
                     *       "ends_at": "2026-11-22T09:30:00.000Z",
                     *       "schedule": {
                     *         "start": "2026-12-06T02:00:00",
                     *         "timezone": "Europe/Berlin",
                     *         "duration_seconds": 60,
                     *         "rrule": "FREQ=MONTHLY;BYDAY=1SU",
                     *         "exclude": [
                     *           "text"
                     *         ]
                     *       },
                     *       "alerts": "hold",
                     *       "exclude_from_uptime": true,
                     *       "settle_seconds": 1,
                     *       "announced": true,
                     *       "announce_before_hours": 1,
                     *       "notify": [
                     *         "announced"
                     *       ],
                     *       "state": "scheduled",
                     *       "current": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "next": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "matched_monitors": 1,
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "verifying",
                     *           "body": "The upgrade is done. We are checking the result.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the maintenance window. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["EndMaintenanceRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "title": "Database upgrade",
                     *       "description": "The shop is read-only.",
                     *       "scope": {
                     *         "monitor_ids": [
                     *           "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "selector": "text",
                     *         "component_ids": [
                     *           "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "status_page_ids": [
                     *           "sp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ]
                     *       },
                     *       "starts_at": "2026-11-22T09:30:00.000Z",
                     *       "ends_at": "2026-11-22T09:30:00.000Z",
                     *       "schedule": {
                     *         "start": "2026-12-06T02:00:00",
                     *         "timezone": "Europe/Berlin",
                     *         "duration_seconds": 60,
                     *         "rrule": "FREQ=MONTHLY;BYDAY=1SU",
                     *         "exclude": [
                     *           "text"
                     *         ]
                     *       },
                     *       "alerts": "hold",
                     *       "exclude_from_uptime": true,
                     *       "settle_seconds": 1,
                     *       "announced": true,
                     *       "announce_before_hours": 1,
                     *       "notify": [
                     *         "announced"
                     *       ],
                     *       "state": "scheduled",
                     *       "current": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "next": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "matched_monitors": 1,
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "verifying",
                     *           "body": "The upgrade is done. We are checking the result.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the maintenance window. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["CancelMaintenanceRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "title": "Database upgrade",
                     *       "description": "The shop is read-only.",
                     *       "scope": {
                     *         "monitor_ids": [
                     *           "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "selector": "text",
                     *         "component_ids": [
                     *           "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "status_page_ids": [
                     *           "sp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ]
                     *       },
                     *       "starts_at": "2026-11-22T09:30:00.000Z",
                     *       "ends_at": "2026-11-22T09:30:00.000Z",
                     *       "schedule": {
                     *         "start": "2026-12-06T02:00:00",
                     *         "timezone": "Europe/Berlin",
                     *         "duration_seconds": 60,
                     *         "rrule": "FREQ=MONTHLY;BYDAY=1SU",
                     *         "exclude": [
                     *           "text"
                     *         ]
                     *       },
                     *       "alerts": "hold",
                     *       "exclude_from_uptime": true,
                     *       "settle_seconds": 1,
                     *       "announced": true,
                     *       "announce_before_hours": 1,
                     *       "notify": [
                     *         "announced"
                     *       ],
                     *       "state": "scheduled",
                     *       "current": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "next": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "matched_monitors": 1,
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "verifying",
                     *           "body": "The upgrade is done. We are checking the result.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the maintenance window. */
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
                "application/json": components["schemas"]["CreateMaintenanceUpdateRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "title": "Database upgrade",
                     *       "description": "The shop is read-only.",
                     *       "scope": {
                     *         "monitor_ids": [
                     *           "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "selector": "text",
                     *         "component_ids": [
                     *           "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "status_page_ids": [
                     *           "sp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ]
                     *       },
                     *       "starts_at": "2026-11-22T09:30:00.000Z",
                     *       "ends_at": "2026-11-22T09:30:00.000Z",
                     *       "schedule": {
                     *         "start": "2026-12-06T02:00:00",
                     *         "timezone": "Europe/Berlin",
                     *         "duration_seconds": 60,
                     *         "rrule": "FREQ=MONTHLY;BYDAY=1SU",
                     *         "exclude": [
                     *           "text"
                     *         ]
                     *       },
                     *       "alerts": "hold",
                     *       "exclude_from_uptime": true,
                     *       "settle_seconds": 1,
                     *       "announced": true,
                     *       "announce_before_hours": 1,
                     *       "notify": [
                     *         "announced"
                     *       ],
                     *       "state": "scheduled",
                     *       "current": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "next": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "matched_monitors": 1,
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "verifying",
                     *           "body": "The upgrade is done. We are checking the result.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the maintenance window. */
                id: string;
                /** @description ID of the update. */
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
                "application/json": components["schemas"]["UpdateMaintenanceUpdateRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": null,
                     *       "managed_by": null,
                     *       "title": "Database upgrade",
                     *       "description": "The shop is read-only.",
                     *       "scope": {
                     *         "monitor_ids": [
                     *           "mon_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "selector": "text",
                     *         "component_ids": [
                     *           "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ],
                     *         "status_page_ids": [
                     *           "sp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *         ]
                     *       },
                     *       "starts_at": "2026-11-22T09:30:00.000Z",
                     *       "ends_at": "2026-11-22T09:30:00.000Z",
                     *       "schedule": {
                     *         "start": "2026-12-06T02:00:00",
                     *         "timezone": "Europe/Berlin",
                     *         "duration_seconds": 60,
                     *         "rrule": "FREQ=MONTHLY;BYDAY=1SU",
                     *         "exclude": [
                     *           "text"
                     *         ]
                     *       },
                     *       "alerts": "hold",
                     *       "exclude_from_uptime": true,
                     *       "settle_seconds": 1,
                     *       "announced": true,
                     *       "announce_before_hours": 1,
                     *       "notify": [
                     *         "announced"
                     *       ],
                     *       "state": "scheduled",
                     *       "current": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "next": {
                     *         "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "starts_at": "2026-11-22T09:30:00.000Z",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "original_start": "2026-11-22T09:30:00.000Z",
                     *         "state": "scheduled",
                     *         "monitors": 1
                     *       },
                     *       "matched_monitors": 1,
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "verifying",
                     *           "body": "The upgrade is done. We are checking the result.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPlannedOccurrences: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items at or after this time. */
                from?: string;
                /** @description Only items before this time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "starts_at": "2026-11-22T09:30:00.000Z",
                     *           "ends_at": "2026-11-22T09:30:00.000Z",
                     *           "original_start": "2026-11-22T09:30:00.000Z",
                     *           "state": "scheduled",
                     *           "monitors": 1,
                     *           "maintenance_id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "title": "Checkout is down",
                     *           "announced": true
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PlannedOccurrenceList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRegions: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "code": "eu-west",
                     *           "name": "Checkout",
                     *           "agents_online": 1,
                     *           "agents_total": 1,
                     *           "capabilities": [
                     *             "text"
                     *           ],
                     *           "private": true,
                     *           "quarantined_since": "2026-11-22T09:30:00.000Z",
                     *           "monitors": 1,
                     *           "monitors_without_vote": 1,
                     *           "last_result_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RegionDetailsList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items of the region with this code. */
                region?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "agt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "region": "office",
                     *           "name": "office-1",
                     *           "version": "2026.11.3",
                     *           "state": "online",
                     *           "last_seen_at": "2026-11-22T09:30:00.000Z",
                     *           "clock_offset_ms": 1,
                     *           "assignments": 1,
                     *           "checks_per_second": 1,
                     *           "queue_depth": 1,
                     *           "missed_slots": 1,
                     *           "late_starts": 1,
                     *           "results_dropped": 1,
                     *           "spool_count": 1,
                     *           "capabilities": [
                     *             "text"
                     *           ],
                     *           "incapable": [
                     *             {
                     *               "word": "text",
                     *               "reason": "text"
                     *             }
                     *           ],
                     *           "spool_failing": true,
                     *           "private": true,
                     *           "created_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AgentList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["CreateAgentRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "agt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "region": "office",
                     *       "name": "office-1",
                     *       "version": "2026.11.3",
                     *       "state": "online",
                     *       "last_seen_at": "2026-11-22T09:30:00.000Z",
                     *       "clock_offset_ms": 1,
                     *       "assignments": 1,
                     *       "checks_per_second": 1,
                     *       "queue_depth": 1,
                     *       "missed_slots": 1,
                     *       "late_starts": 1,
                     *       "results_dropped": 1,
                     *       "spool_count": 1,
                     *       "capabilities": [
                     *         "text"
                     *       ],
                     *       "incapable": [
                     *         {
                     *           "word": "text",
                     *           "reason": "text"
                     *         }
                     *       ],
                     *       "spool_failing": true,
                     *       "private": true,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "secret": "text"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "agt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "region": "office",
                     *       "name": "office-1",
                     *       "version": "2026.11.3",
                     *       "state": "online",
                     *       "last_seen_at": "2026-11-22T09:30:00.000Z",
                     *       "clock_offset_ms": 1,
                     *       "assignments": 1,
                     *       "checks_per_second": 1,
                     *       "queue_depth": 1,
                     *       "missed_slots": 1,
                     *       "late_starts": 1,
                     *       "results_dropped": 1,
                     *       "spool_count": 1,
                     *       "capabilities": [
                     *         "text"
                     *       ],
                     *       "incapable": [
                     *         {
                     *           "word": "text",
                     *           "reason": "text"
                     *         }
                     *       ],
                     *       "spool_failing": true,
                     *       "private": true,
                     *       "created_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMonitorUptime: {
        parameters: {
            query?: {
                /** @description Length of a bucket; `day` by default. */
                granularity?: "day" | "hour";
                /** @description First day, as a date or a time. The default depends on the granularity. */
                from?: string;
                /** @description End of the range, as a date or a time; now by default. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description ID of the monitor. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "bucket": "2026-11-22",
                     *           "uptime": 1,
                     *           "incidents": 1,
                     *           "down_seconds": 1,
                     *           "degraded_seconds": 1,
                     *           "observed_seconds": 1,
                     *           "excluded": {
                     *             "paused_seconds": 1,
                     *             "maintenance_seconds": 1,
                     *             "undetermined_seconds": 1
                     *           },
                     *           "checks": {
                     *             "ok": 1,
                     *             "warn": 1,
                     *             "err": 1
                     *           },
                     *           "latency_ms": {
                     *             "p50": 1,
                     *             "p95": 1
                     *           }
                     *         }
                     *       ],
                     *       "range": {
                     *         "from": "2026-11-22",
                     *         "to": "2026-11-22"
                     *       },
                     *       "granularity": "day"
                     *     }
                     */
                    "application/json": components["schemas"]["Uptime"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIncidents: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items at or after this time. */
                from?: string;
                /** @description Only items before this time. */
                to?: string;
                /** @description Only items in one of these states, separated by commas. */
                state?: ("investigating" | "identified" | "monitoring" | "resolved")[];
                /** @description Only items with one of these severities, separated by commas. */
                severity?: ("p1" | "p2" | "p3")[];
                /** @description Only items of the status page with this ID. */
                status_page_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "title": "Payments fail",
                     *           "state": "investigating",
                     *           "severity": "p1",
                     *           "impact": "major",
                     *           "affected_components": [
                     *             "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *           ],
                     *           "updates": [
                     *             {
                     *               "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *               "state": "identified",
                     *               "body": "Our payment provider is down. We are switching to another one.",
                     *               "posted_at": "2026-11-22T09:30:00.000Z",
                     *               "edited_at": "2026-11-22T09:30:00.000Z"
                     *             }
                     *           ],
                     *           "started_at": "2026-11-22T09:30:00.000Z",
                     *           "resolved_at": "2026-11-22T09:30:00.000Z",
                     *           "postmortem_url": "text",
                     *           "postmortem_body": "text",
                     *           "url": "https://shop.example.com/checkout",
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "updated_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["IncidentList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                 *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                 *       "affected_components": [
                 *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *       ],
                 *       "initial_update": {
                 *         "state": "investigating",
                 *         "body": "Card payments fail. We are looking into it."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateIncidentRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "title": "Payments fail",
                     *       "state": "investigating",
                     *       "severity": "p1",
                     *       "impact": "major",
                     *       "affected_components": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "identified",
                     *           "body": "Our payment provider is down. We are switching to another one.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "started_at": "2026-11-22T09:30:00.000Z",
                     *       "resolved_at": "2026-11-22T09:30:00.000Z",
                     *       "postmortem_url": "text",
                     *       "postmortem_body": "text",
                     *       "url": "https://shop.example.com/checkout",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the incident. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "title": "Payments fail",
                     *       "state": "investigating",
                     *       "severity": "p1",
                     *       "impact": "major",
                     *       "affected_components": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "identified",
                     *           "body": "Our payment provider is down. We are switching to another one.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "started_at": "2026-11-22T09:30:00.000Z",
                     *       "resolved_at": "2026-11-22T09:30:00.000Z",
                     *       "postmortem_url": "text",
                     *       "postmortem_body": "text",
                     *       "url": "https://shop.example.com/checkout",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the incident. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateIncident: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that you have read, bare or quoted. If the resource has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description ID of the incident. */
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
                "application/json": components["schemas"]["UpdateIncidentRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "title": "Payments fail",
                     *       "state": "investigating",
                     *       "severity": "p1",
                     *       "impact": "major",
                     *       "affected_components": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "identified",
                     *           "body": "Our payment provider is down. We are switching to another one.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "started_at": "2026-11-22T09:30:00.000Z",
                     *       "resolved_at": "2026-11-22T09:30:00.000Z",
                     *       "postmortem_url": "text",
                     *       "postmortem_body": "text",
                     *       "url": "https://shop.example.com/checkout",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the incident. */
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
                "application/json": components["schemas"]["CreateIncidentUpdateRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "title": "Payments fail",
                     *       "state": "investigating",
                     *       "severity": "p1",
                     *       "impact": "major",
                     *       "affected_components": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "identified",
                     *           "body": "Our payment provider is down. We are switching to another one.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "started_at": "2026-11-22T09:30:00.000Z",
                     *       "resolved_at": "2026-11-22T09:30:00.000Z",
                     *       "postmortem_url": "text",
                     *       "postmortem_body": "text",
                     *       "url": "https://shop.example.com/checkout",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the incident. */
                id: string;
                /** @description ID of the update. */
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
                "application/json": components["schemas"]["UpdateIncidentUpdateRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "title": "Payments fail",
                     *       "state": "investigating",
                     *       "severity": "p1",
                     *       "impact": "major",
                     *       "affected_components": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "identified",
                     *           "body": "Our payment provider is down. We are switching to another one.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "started_at": "2026-11-22T09:30:00.000Z",
                     *       "resolved_at": "2026-11-22T09:30:00.000Z",
                     *       "postmortem_url": "text",
                     *       "postmortem_body": "text",
                     *       "url": "https://shop.example.com/checkout",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the incident. */
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
                "application/json": components["schemas"]["ResolveIncidentRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "title": "Payments fail",
                     *       "state": "investigating",
                     *       "severity": "p1",
                     *       "impact": "major",
                     *       "affected_components": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "identified",
                     *           "body": "Our payment provider is down. We are switching to another one.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "started_at": "2026-11-22T09:30:00.000Z",
                     *       "resolved_at": "2026-11-22T09:30:00.000Z",
                     *       "postmortem_url": "text",
                     *       "postmortem_body": "text",
                     *       "url": "https://shop.example.com/checkout",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIncidentAudit: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description ID of the incident. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "aud_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "at": "2026-11-22T09:30:00.000Z",
                     *           "actor": {
                     *             "type": "token",
                     *             "id": "tok_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "name": "Checkout"
                     *           },
                     *           "via": "api",
                     *           "action": "project.created",
                     *           "resource": "project",
                     *           "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "Checkout",
                     *           "before": {},
                     *           "after": {},
                     *           "also": [
                     *             {
                     *               "resource": "project",
                     *               "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *               "name": "Checkout",
                     *               "before": {},
                     *               "after": {}
                     *             }
                     *           ],
                     *           "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "plan_id": "text",
                     *           "detail": {}
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEntryList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAlertPromotion: {
        parameters: {
            query?: {
                /** @description Severity that the incident would have; by default that of the alert. */
                severity?: "p1" | "p2" | "p3";
                /** @description ID of the status page to publish on, if several show the monitor. */
                status_page_id?: string;
            };
            header?: never;
            path: {
                /** @description ID of the alert. */
                alert_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "title": "Checkout is down",
                     *       "severity": "p1",
                     *       "impact": "none",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "affected_components": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "components": [
                     *         {
                     *           "id": "comp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "Checkout"
                     *         }
                     *       ],
                     *       "initial_update": {
                     *         "state": "investigating",
                     *         "body": "Card payments fail. We are looking into it."
                     *       },
                     *       "status_pages": [
                     *         {
                     *           "id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "Checkout"
                     *         }
                     *       ],
                     *       "incident_id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/json": components["schemas"]["Promotion"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the alert. */
                alert_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "severity": "p1",
                 *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *     }
                 */
                "application/json": components["schemas"]["PromoteAlertRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "title": "Payments fail",
                     *       "state": "investigating",
                     *       "severity": "p1",
                     *       "impact": "major",
                     *       "affected_components": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "updates": [
                     *         {
                     *           "id": "upd_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "state": "identified",
                     *           "body": "Our payment provider is down. We are switching to another one.",
                     *           "posted_at": "2026-11-22T09:30:00.000Z",
                     *           "edited_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "started_at": "2026-11-22T09:30:00.000Z",
                     *       "resolved_at": "2026-11-22T09:30:00.000Z",
                     *       "postmortem_url": "text",
                     *       "postmortem_body": "text",
                     *       "url": "https://shop.example.com/checkout",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listStatusPages: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "Example Shop",
                     *           "slug": "example-shop",
                     *           "description": "Cart and payment",
                     *           "timezone": "Europe/Berlin",
                     *           "locale": "en",
                     *           "theme": "auto",
                     *           "history_days": 7,
                     *           "color": "#0b6bcb",
                     *           "home_url": "text",
                     *           "support_url": "text",
                     *           "logo": "text",
                     *           "url": "https://shop.example.com/checkout",
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "updated_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["StatusPageList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["CreateStatusPageRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "Example Shop",
                     *       "slug": "example-shop",
                     *       "description": "Cart and payment",
                     *       "timezone": "Europe/Berlin",
                     *       "locale": "en",
                     *       "theme": "auto",
                     *       "history_days": 7,
                     *       "color": "#0b6bcb",
                     *       "home_url": "text",
                     *       "support_url": "text",
                     *       "logo": "text",
                     *       "url": "https://shop.example.com/checkout",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the status page. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "Example Shop",
                     *       "slug": "example-shop",
                     *       "description": "Cart and payment",
                     *       "timezone": "Europe/Berlin",
                     *       "locale": "en",
                     *       "theme": "auto",
                     *       "history_days": 7,
                     *       "color": "#0b6bcb",
                     *       "home_url": "text",
                     *       "support_url": "text",
                     *       "logo": "text",
                     *       "url": "https://shop.example.com/checkout",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusPage"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteStatusPage: {
        parameters: {
            query?: {
                /** @description `delete` deletes the components of the page with it; otherwise they must be deleted before. */
                components?: "refuse" | "delete";
            };
            header?: never;
            path: {
                /** @description ID of the status page. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateStatusPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that you have read, bare or quoted. If the resource has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description ID of the status page. */
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
                "application/json": components["schemas"]["UpdateStatusPageRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "Example Shop",
                     *       "slug": "example-shop",
                     *       "description": "Cart and payment",
                     *       "timezone": "Europe/Berlin",
                     *       "locale": "en",
                     *       "theme": "auto",
                     *       "history_days": 7,
                     *       "color": "#0b6bcb",
                     *       "home_url": "text",
                     *       "support_url": "text",
                     *       "logo": "text",
                     *       "url": "https://shop.example.com/checkout",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the status page. */
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
                "application/json": components["schemas"]["PreviewStatusPageRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "html": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["PreviewStatusPageResponse"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listStatusPageSubscribers: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description ID of the status page. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "sub_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "channel": "email",
                     *           "email": "ada@example.com",
                     *           "url": "https://shop.example.com/checkout",
                     *           "component_ids": [
                     *             "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *           ],
                     *           "state": "pending",
                     *           "state_reason": "text",
                     *           "consent": "text",
                     *           "failures": 1,
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "confirmed_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SubscriberList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the status page. */
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
                 *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateStatusPageSubscriberRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "sub_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "channel": "email",
                     *       "email": "ada@example.com",
                     *       "url": "https://shop.example.com/checkout",
                     *       "component_ids": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "state": "pending",
                     *       "state_reason": "text",
                     *       "consent": "text",
                     *       "failures": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "confirmed_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Subscriber"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "sub_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "status_page_id": "sp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "channel": "email",
                     *       "email": "ada@example.com",
                     *       "url": "https://shop.example.com/checkout",
                     *       "component_ids": [
                     *         "comp_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "state": "pending",
                     *       "state_reason": "text",
                     *       "consent": "text",
                     *       "failures": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "confirmed_at": "2026-11-22T09:30:00.000Z",
                     *       "secret": "text"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the status page. */
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
                "application/json": components["schemas"]["ImportSubscribersRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "added": 1,
                     *       "existing": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ImportSubscribersResponse"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the status page. */
                id: string;
                /** @description ID of the subscriber. */
                subscriber_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIncidentDeliveries: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items in one of these states, separated by commas. */
                state?: ("queued" | "sent" | "failed" | "held" | "cancelled")[];
                /** @description Only deliveries to these kinds of channels, separated by commas. */
                channel?: ("email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http" | "jira_service_management" | "incident_io" | "mattermost" | "rocket_chat" | "zulip" | "matrix" | "pushover" | "gotify")[];
            };
            header?: never;
            path: {
                /** @description ID of the incident. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "dlv_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "kind": "incident_update",
                     *           "channel": "email",
                     *           "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "incident_id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "group_id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "channel_id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "route_id": "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "step": "text",
                     *           "recipient_id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "recipient": "ada@example.com",
                     *           "state": "queued",
                     *           "attempts": 1,
                     *           "error": "text",
                     *           "next_attempt_at": "2026-11-22T09:30:00.000Z",
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "sent_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAlertDeliveries: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items in one of these states, separated by commas. */
                state?: ("queued" | "sent" | "failed" | "held" | "cancelled")[];
                /** @description Only deliveries to these kinds of channels, separated by commas. */
                channel?: ("email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http" | "jira_service_management" | "incident_io" | "mattermost" | "rocket_chat" | "zulip" | "matrix" | "pushover" | "gotify")[];
            };
            header?: never;
            path: {
                /** @description ID of the alert. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "dlv_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "kind": "incident_update",
                     *           "channel": "email",
                     *           "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "incident_id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "group_id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "channel_id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "route_id": "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "step": "text",
                     *           "recipient_id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "recipient": "ada@example.com",
                     *           "state": "queued",
                     *           "attempts": 1,
                     *           "error": "text",
                     *           "next_attempt_at": "2026-11-22T09:30:00.000Z",
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "sent_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listChannelDeliveries: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items in one of these states, separated by commas. */
                state?: ("queued" | "sent" | "failed" | "held" | "cancelled")[];
                /** @description Only deliveries to these kinds of channels, separated by commas. */
                channel?: ("email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http" | "jira_service_management" | "incident_io" | "mattermost" | "rocket_chat" | "zulip" | "matrix" | "pushover" | "gotify")[];
            };
            header?: never;
            path: {
                /** @description ID of the channel. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "dlv_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "kind": "incident_update",
                     *           "channel": "email",
                     *           "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "incident_id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "group_id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "channel_id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "route_id": "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "step": "text",
                     *           "recipient_id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "recipient": "ada@example.com",
                     *           "state": "queued",
                     *           "attempts": 1,
                     *           "error": "text",
                     *           "next_attempt_at": "2026-11-22T09:30:00.000Z",
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "sent_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMaintenanceDeliveries: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items in one of these states, separated by commas. */
                state?: ("queued" | "sent" | "failed" | "held" | "cancelled")[];
                /** @description Only deliveries to these kinds of channels, separated by commas. */
                channel?: ("email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http" | "jira_service_management" | "incident_io" | "mattermost" | "rocket_chat" | "zulip" | "matrix" | "pushover" | "gotify")[];
            };
            header?: never;
            path: {
                /** @description ID of the maintenance window. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "dlv_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "kind": "incident_update",
                     *           "channel": "email",
                     *           "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "incident_id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "group_id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "channel_id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "route_id": "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "step": "text",
                     *           "recipient_id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "recipient": "ada@example.com",
                     *           "state": "queued",
                     *           "attempts": 1,
                     *           "error": "text",
                     *           "next_attempt_at": "2026-11-22T09:30:00.000Z",
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "sent_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items in one of these states, separated by commas. */
                state?: ("queued" | "sent" | "failed" | "held" | "cancelled")[];
                /** @description Only deliveries to these kinds of channels, separated by commas. */
                channel?: ("email" | "slack" | "webhook" | "pagerduty" | "opsgenie" | "teams" | "discord" | "telegram" | "ntfy" | "google_chat" | "apprise" | "http" | "jira_service_management" | "incident_io" | "mattermost" | "rocket_chat" | "zulip" | "matrix" | "pushover" | "gotify")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "dlv_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "kind": "incident_update",
                     *           "channel": "email",
                     *           "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "incident_id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "group_id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "channel_id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "route_id": "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "step": "text",
                     *           "recipient_id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "recipient": "ada@example.com",
                     *           "state": "queued",
                     *           "attempts": 1,
                     *           "error": "text",
                     *           "next_attempt_at": "2026-11-22T09:30:00.000Z",
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "sent_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the delivery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dlv_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "kind": "incident_update",
                     *       "channel": "email",
                     *       "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "incident_id": "inc_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "group_id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "channel_id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "route_id": "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "step": "text",
                     *       "recipient_id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "recipient": "ada@example.com",
                     *       "state": "queued",
                     *       "attempts": 1,
                     *       "error": "text",
                     *       "next_attempt_at": "2026-11-22T09:30:00.000Z",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "sent_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "whk_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "url": "https://hooks.example.com/upquorum",
                     *           "kinds": [
                     *             "alert.opened",
                     *             "alert.resolved"
                     *           ],
                     *           "alert_kinds": [
                     *             "down"
                     *           ],
                     *           "enabled": true,
                     *           "failures": 1,
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "previous_secret_until": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "whk_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "url": "https://hooks.example.com/upquorum",
                     *       "kinds": [
                     *         "alert.opened",
                     *         "alert.resolved"
                     *       ],
                     *       "alert_kinds": [
                     *         "down"
                     *       ],
                     *       "enabled": true,
                     *       "failures": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "previous_secret_until": "2026-11-22T09:30:00.000Z",
                     *       "secret": "text"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "whk_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "url": "https://hooks.example.com/upquorum",
                     *       "kinds": [
                     *         "alert.opened",
                     *         "alert.resolved"
                     *       ],
                     *       "alert_kinds": [
                     *         "down"
                     *       ],
                     *       "enabled": true,
                     *       "failures": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "previous_secret_until": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the webhook. */
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
                "application/json": components["schemas"]["UpdateWebhookRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "whk_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "url": "https://hooks.example.com/upquorum",
                     *       "kinds": [
                     *         "alert.opened",
                     *         "alert.resolved"
                     *       ],
                     *       "alert_kinds": [
                     *         "down"
                     *       ],
                     *       "enabled": true,
                     *       "failures": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "previous_secret_until": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the webhook. */
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
                "application/json": components["schemas"]["RotateWebhookSecretRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "whk_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "url": "https://hooks.example.com/upquorum",
                     *       "kinds": [
                     *         "alert.opened",
                     *         "alert.resolved"
                     *       ],
                     *       "alert_kinds": [
                     *         "down"
                     *       ],
                     *       "enabled": true,
                     *       "failures": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "previous_secret_until": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "connected": true,
                     *       "connected_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SlackConnection"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["ConnectSlackRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "connected": true,
                     *       "connected_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the alert. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "alert_id": "alt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "sentence": "The monitor is down in 2 of 3 regions: the connection was refused.",
                     *       "rule": {
                     *         "kind": "down",
                     *         "regions": [
                     *           "eu-west"
                     *         ],
                     *         "quorum": 1,
                     *         "config_version": 1,
                     *         "rules_version": 1,
                     *         "alert_rules": {
                     *           "confirm_seconds": 1,
                     *           "recover_seconds": 1,
                     *           "flap": {
                     *             "changes": 3,
                     *             "window_seconds": 300
                     *           },
                     *           "degraded": {
                     *             "after_seconds": 1,
                     *             "severity": "p1"
                     *           },
                     *           "certificate": {
                     *             "enabled": true,
                     *             "thresholds": [
                     *               {
                     *                 "days_left": 1,
                     *                 "severity": "p1"
                     *               }
                     *             ],
                     *             "in_verdict": true
                     *           }
                     *         }
                     *       },
                     *       "votes": [
                     *         {
                     *           "region": "eu-west",
                     *           "vote": "up",
                     *           "since": "2026-11-22T09:30:00.000Z",
                     *           "as_of": "2026-11-22T09:30:00.000Z",
                     *           "expires_at": "2026-11-22T09:30:00.000Z",
                     *           "age_ms": 1,
                     *           "counted": true,
                     *           "why_not": "quarantined",
                     *           "check": {
                     *             "id": "chk_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "monitor_id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "region": "eu-west",
                     *             "agent_id": "agt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "status": "ok",
                     *             "scheduled_at": "2026-11-22T09:30:00.000Z",
                     *             "started_at": "2026-11-22T09:30:00.000Z",
                     *             "latency_ms": 1,
                     *             "delayed_ms": 1,
                     *             "timings": {
                     *               "dns_ms": 1,
                     *               "connect_ms": 1,
                     *               "tls_ms": 1,
                     *               "first_byte_ms": 1,
                     *               "download_ms": 1,
                     *               "starttls_ms": 1
                     *             },
                     *             "status_code": 1,
                     *             "error": {
                     *               "code": "dns_failure",
                     *               "message": "text",
                     *               "phase": "auth",
                     *               "host": "text"
                     *             },
                     *             "failure_source": "target",
                     *             "assertions": [
                     *               {
                     *                 "index": 1,
                     *                 "type": "status",
                     *                 "passed": true,
                     *                 "expected": "text",
                     *                 "actual": "text"
                     *               }
                     *             ],
                     *             "attempt": 1,
                     *             "kind": "scheduled",
                     *             "remote_ip": "203.0.113.9",
                     *             "bytes": 1,
                     *             "truncated": true,
                     *             "tls": {
                     *               "protocol": "text",
                     *               "valid_to": "2026-11-22T09:30:00.000Z",
                     *               "days_left": 1,
                     *               "valid_from": "2026-11-22T09:30:00.000Z",
                     *               "issuer": "Example CA",
                     *               "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *               "fingerprint_sha256": "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"
                     *             },
                     *             "warnings": [
                     *               {
                     *                 "code": "eu-west",
                     *                 "message": "text"
                     *               }
                     *             ],
                     *             "dns": {
                     *               "server": "text",
                     *               "rcode": "text",
                     *               "answers": [
                     *                 {
                     *                   "name": "Checkout",
                     *                   "type": "text",
                     *                   "ttl": 1,
                     *                   "data": "text"
                     *                 }
                     *               ],
                     *               "truncated": true,
                     *               "servers": [
                     *                 {
                     *                   "server": "text",
                     *                   "rcode": "text",
                     *                   "agrees": true
                     *                 }
                     *               ]
                     *             },
                     *             "ping": {
                     *               "sent": 1,
                     *               "received": 1,
                     *               "min_ms": 1,
                     *               "avg_ms": 1,
                     *               "max_ms": 1,
                     *               "jitter_ms": 1
                     *             },
                     *             "config_version": 1,
                     *             "received_at": "2026-11-22T09:30:00.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "certificates": [
                     *         {
                     *           "region": "eu-west",
                     *           "as_of": "2026-11-22T09:30:00.000Z",
                     *           "valid_from": "2026-11-22T09:30:00.000Z",
                     *           "valid_to": "2026-11-22T09:30:00.000Z",
                     *           "days_left": 1,
                     *           "issuer": "Example CA",
                     *           "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "fingerprint_sha256": "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c",
                     *           "thresholds": [
                     *             {
                     *               "days_left": 1,
                     *               "severity": "p1",
                     *               "crossed": true
                     *             }
                     *           ],
                     *           "check": {
                     *             "id": "chk_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "monitor_id": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "region": "eu-west",
                     *             "agent_id": "agt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "status": "ok",
                     *             "scheduled_at": "2026-11-22T09:30:00.000Z",
                     *             "started_at": "2026-11-22T09:30:00.000Z",
                     *             "latency_ms": 1,
                     *             "delayed_ms": 1,
                     *             "timings": {
                     *               "dns_ms": 1,
                     *               "connect_ms": 1,
                     *               "tls_ms": 1,
                     *               "first_byte_ms": 1,
                     *               "download_ms": 1,
                     *               "starttls_ms": 1
                     *             },
                     *             "status_code": 1,
                     *             "error": {
                     *               "code": "dns_failure",
                     *               "message": "text",
                     *               "phase": "auth",
                     *               "host": "text"
                     *             },
                     *             "failure_source": "target",
                     *             "assertions": [
                     *               {
                     *                 "index": 1,
                     *                 "type": "status",
                     *                 "passed": true,
                     *                 "expected": "text",
                     *                 "actual": "text"
                     *               }
                     *             ],
                     *             "attempt": 1,
                     *             "kind": "scheduled",
                     *             "remote_ip": "203.0.113.9",
                     *             "bytes": 1,
                     *             "truncated": true,
                     *             "tls": {
                     *               "protocol": "text",
                     *               "valid_to": "2026-11-22T09:30:00.000Z",
                     *               "days_left": 1,
                     *               "valid_from": "2026-11-22T09:30:00.000Z",
                     *               "issuer": "Example CA",
                     *               "subject": "mon_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *               "fingerprint_sha256": "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"
                     *             },
                     *             "warnings": [
                     *               {
                     *                 "code": "eu-west",
                     *                 "message": "text"
                     *               }
                     *             ],
                     *             "dns": {
                     *               "server": "text",
                     *               "rcode": "text",
                     *               "answers": [
                     *                 {
                     *                   "name": "Checkout",
                     *                   "type": "text",
                     *                   "ttl": 1,
                     *                   "data": "text"
                     *                 }
                     *               ],
                     *               "truncated": true,
                     *               "servers": [
                     *                 {
                     *                   "server": "text",
                     *                   "rcode": "text",
                     *                   "agrees": true
                     *                 }
                     *               ]
                     *             },
                     *             "ping": {
                     *               "sent": 1,
                     *               "received": 1,
                     *               "min_ms": 1,
                     *               "avg_ms": 1,
                     *               "max_ms": 1,
                     *               "jitter_ms": 1
                     *             },
                     *             "config_version": 1,
                     *             "received_at": "2026-11-22T09:30:00.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "flips": [
                     *         {
                     *           "region": "eu-west",
                     *           "vote": "up",
                     *           "verdict": "text"
                     *         }
                     *       ],
                     *       "maintenance": {
                     *         "id": "mnt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "occurrence_id": "mno_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "ends_at": "2026-11-22T09:30:00.000Z",
                     *         "held_since": "2026-11-22T09:30:00.000Z",
                     *         "released_at": "2026-11-22T09:30:00.000Z"
                     *       },
                     *       "group": {
                     *         "id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *         "cause": {
                     *           "type": "text",
                     *           "value": "text",
                     *           "error_code": "text"
                     *         },
                     *         "alerts": 1,
                     *         "opened_at": "2026-11-22T09:30:00.000Z",
                     *         "told_at": "2026-11-22T09:30:00.000Z",
                     *         "state": "text"
                     *       },
                     *       "deliveries": [
                     *         {
                     *           "id": "dlv_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "channel": "text",
                     *           "state": "text",
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "sent_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "missing": [
                     *         {
                     *           "what": "text",
                     *           "why": "text"
                     *         }
                     *       ],
                     *       "clock": {
                     *         "last_good": "2026-11-22T09:30:00.000Z",
                     *         "failing": "2026-11-22T09:30:00.000Z",
                     *         "failed": "2026-11-22T09:30:00.000Z",
                     *         "reported": "2026-11-22T09:30:00.000Z",
                     *         "confirm_asked": "2026-11-22T09:30:00.000Z",
                     *         "confirmed": [
                     *           {
                     *             "region": "eu-west",
                     *             "at": "2026-11-22T09:30:00.000Z"
                     *           }
                     *         ],
                     *         "quorum": "2026-11-22T09:30:00.000Z",
                     *         "opens": "2026-11-22T09:30:00.000Z",
                     *         "created": "2026-11-22T09:30:00.000Z",
                     *         "told": "2026-11-22T09:30:00.000Z",
                     *         "sent": "2026-11-22T09:30:00.000Z",
                     *         "ms": {},
                     *         "unseen_ms": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AlertExplanation"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAlertGroups: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items in one of these states, separated by commas. */
                state?: ("open" | "acknowledged" | "resolved" | "cancelled")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "cause": {
                     *             "type": "certificate",
                     *             "value": "text",
                     *             "error_code": "text"
                     *           },
                     *           "alert_ids": [
                     *             "alt_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *           ],
                     *           "opened_at": "2026-11-22T09:30:00.000Z",
                     *           "told_at": "2026-11-22T09:30:00.000Z",
                     *           "state": "open"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AlertGroupList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the group of alerts. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "cause": {
                     *         "type": "certificate",
                     *         "value": "text",
                     *         "error_code": "text"
                     *       },
                     *       "alert_ids": [
                     *         "alt_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "opened_at": "2026-11-22T09:30:00.000Z",
                     *       "told_at": "2026-11-22T09:30:00.000Z",
                     *       "state": "open"
                     *     }
                     */
                    "application/json": components["schemas"]["AlertGroup"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the group of alerts. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "agp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "cause": {
                     *         "type": "certificate",
                     *         "value": "text",
                     *         "error_code": "text"
                     *       },
                     *       "alert_ids": [
                     *         "alt_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "opened_at": "2026-11-22T09:30:00.000Z",
                     *       "told_at": "2026-11-22T09:30:00.000Z",
                     *       "state": "open"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRoutes: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "key": "env",
                     *           "managed_by": "text",
                     *           "name": "Production",
                     *           "enabled": true,
                     *           "match": {
                     *             "selector": "text",
                     *             "severities": [
                     *               "p1"
                     *             ],
                     *             "kinds": [
                     *               "down"
                     *             ],
                     *             "notices": [
                     *               "region.silent"
                     *             ]
                     *           },
                     *           "continue": true,
                     *           "steps": [
                     *             {
                     *               "after_minutes": 1,
                     *               "channel_ids": [
                     *                 "chn_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *               ]
                     *             }
                     *           ],
                     *           "remind_every_minutes": 30,
                     *           "quiet_hours": {
                     *             "timezone": "Europe/Berlin",
                     *             "days": [
                     *               "mo"
                     *             ],
                     *             "from": "22:00",
                     *             "to": "08:00",
                     *             "except_severities": [
                     *               "p1"
                     *             ]
                     *           },
                     *           "position": 1,
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "updated_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RouteList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                 *             "chn_01kay5t9c3fzq8w2k6n7v4b1hm"
                 *           ]
                 *         },
                 *         {
                 *           "after_minutes": 15,
                 *           "channel_ids": [
                 *             "chn_01kay5v2r8d4m6x1s9p3j7q5ek"
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
                "application/json": components["schemas"]["CreateRouteRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": "env",
                     *       "managed_by": "text",
                     *       "name": "Production",
                     *       "enabled": true,
                     *       "match": {
                     *         "selector": "text",
                     *         "severities": [
                     *           "p1"
                     *         ],
                     *         "kinds": [
                     *           "down"
                     *         ],
                     *         "notices": [
                     *           "region.silent"
                     *         ]
                     *       },
                     *       "continue": true,
                     *       "steps": [
                     *         {
                     *           "after_minutes": 1,
                     *           "channel_ids": [
                     *             "chn_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *           ]
                     *         }
                     *       ],
                     *       "remind_every_minutes": 30,
                     *       "quiet_hours": {
                     *         "timezone": "Europe/Berlin",
                     *         "days": [
                     *           "mo"
                     *         ],
                     *         "from": "22:00",
                     *         "to": "08:00",
                     *         "except_severities": [
                     *           "p1"
                     *         ]
                     *       },
                     *       "position": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                 *         "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                 *         "rte_01kay5v2r8d4m6x1s9p3j7q5ek"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["OrderRouteRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "key": "env",
                     *           "managed_by": "text",
                     *           "name": "Production",
                     *           "enabled": true,
                     *           "match": {
                     *             "selector": "text",
                     *             "severities": [
                     *               "p1"
                     *             ],
                     *             "kinds": [
                     *               "down"
                     *             ],
                     *             "notices": [
                     *               "region.silent"
                     *             ]
                     *           },
                     *           "continue": true,
                     *           "steps": [
                     *             {
                     *               "after_minutes": 1,
                     *               "channel_ids": [
                     *                 "chn_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *               ]
                     *             }
                     *           ],
                     *           "remind_every_minutes": 30,
                     *           "quiet_hours": {
                     *             "timezone": "Europe/Berlin",
                     *             "days": [
                     *               "mo"
                     *             ],
                     *             "from": "22:00",
                     *             "to": "08:00",
                     *             "except_severities": [
                     *               "p1"
                     *             ]
                     *           },
                     *           "position": 1,
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "updated_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OrderRouteResponse"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["MatchRouteRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "routes": [
                     *         {
                     *           "id": "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "steps": [
                     *             {
                     *               "due_at": "2026-11-22T09:30:00.000Z",
                     *               "channel_ids": [
                     *                 "chn_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *               ]
                     *             }
                     *           ],
                     *           "reminders": [
                     *             {
                     *               "due_at": "2026-11-22T09:30:00.000Z"
                     *             }
                     *           ],
                     *           "held_until": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the route. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": "env",
                     *       "managed_by": "text",
                     *       "name": "Production",
                     *       "enabled": true,
                     *       "match": {
                     *         "selector": "text",
                     *         "severities": [
                     *           "p1"
                     *         ],
                     *         "kinds": [
                     *           "down"
                     *         ],
                     *         "notices": [
                     *           "region.silent"
                     *         ]
                     *       },
                     *       "continue": true,
                     *       "steps": [
                     *         {
                     *           "after_minutes": 1,
                     *           "channel_ids": [
                     *             "chn_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *           ]
                     *         }
                     *       ],
                     *       "remind_every_minutes": 30,
                     *       "quiet_hours": {
                     *         "timezone": "Europe/Berlin",
                     *         "days": [
                     *           "mo"
                     *         ],
                     *         "from": "22:00",
                     *         "to": "08:00",
                     *         "except_severities": [
                     *           "p1"
                     *         ]
                     *       },
                     *       "position": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Route"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the route. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that you have read, bare or quoted. If the resource has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description ID of the route. */
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
                "application/json": components["schemas"]["UpdateRouteRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rte_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": "env",
                     *       "managed_by": "text",
                     *       "name": "Production",
                     *       "enabled": true,
                     *       "match": {
                     *         "selector": "text",
                     *         "severities": [
                     *           "p1"
                     *         ],
                     *         "kinds": [
                     *           "down"
                     *         ],
                     *         "notices": [
                     *           "region.silent"
                     *         ]
                     *       },
                     *       "continue": true,
                     *       "steps": [
                     *         {
                     *           "after_minutes": 1,
                     *           "channel_ids": [
                     *             "chn_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *           ]
                     *         }
                     *       ],
                     *       "remind_every_minutes": 30,
                     *       "quiet_hours": {
                     *         "timezone": "Europe/Berlin",
                     *         "days": [
                     *           "mo"
                     *         ],
                     *         "from": "22:00",
                     *         "to": "08:00",
                     *         "except_severities": [
                     *           "p1"
                     *         ]
                     *       },
                     *       "position": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listChannels: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "key": "env",
                     *           "managed_by": "text",
                     *           "name": "On call",
                     *           "type": "slack",
                     *           "config": {
                     *             "channel": "#alerts"
                     *           },
                     *           "detail": "full",
                     *           "enabled": true,
                     *           "state": "ok",
                     *           "unconfirmed": [
                     *             "text"
                     *           ],
                     *           "last_sent_at": "2026-11-22T09:30:00.000Z",
                     *           "last_error": "text",
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "updated_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ChannelList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["CreateChannelRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": "env",
                     *       "managed_by": "text",
                     *       "name": "On call",
                     *       "type": "slack",
                     *       "config": {
                     *         "channel": "#alerts"
                     *       },
                     *       "detail": "full",
                     *       "enabled": true,
                     *       "state": "ok",
                     *       "unconfirmed": [
                     *         "text"
                     *       ],
                     *       "last_sent_at": "2026-11-22T09:30:00.000Z",
                     *       "last_error": "text",
                     *       "secret": "text",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the channel. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": "env",
                     *       "managed_by": "text",
                     *       "name": "On call",
                     *       "type": "slack",
                     *       "config": {
                     *         "channel": "#alerts"
                     *       },
                     *       "detail": "full",
                     *       "enabled": true,
                     *       "state": "ok",
                     *       "unconfirmed": [
                     *         "text"
                     *       ],
                     *       "last_sent_at": "2026-11-22T09:30:00.000Z",
                     *       "last_error": "text",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the channel. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that you have read, bare or quoted. If the resource has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description ID of the channel. */
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
                "application/json": components["schemas"]["UpdateChannelRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "chn_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": "env",
                     *       "managed_by": "text",
                     *       "name": "On call",
                     *       "type": "slack",
                     *       "config": {
                     *         "channel": "#alerts"
                     *       },
                     *       "detail": "full",
                     *       "enabled": true,
                     *       "state": "ok",
                     *       "unconfirmed": [
                     *         "text"
                     *       ],
                     *       "last_sent_at": "2026-11-22T09:30:00.000Z",
                     *       "last_error": "text",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["TestChannelDraftRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sent": true,
                     *       "error": "text",
                     *       "ms": 1
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the channel. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sent": true,
                     *       "error": "text",
                     *       "ms": 1
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getIncidentImpact: {
        parameters: {
            query?: {
                /** @description Count only these errors: a name, or a JSON array of names. */
                errors?: string;
                /** @description Environment of the releases to compare. */
                environment?: string;
                /** @description Minutes before the incident within which a release counts as one that preceded it. */
                lookback_minutes?: string;
            };
            header?: never;
            path: {
                /** @description ID of the incident. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "definition": 1,
                     *       "computed_at": "2026-11-22T09:30:00.000Z",
                     *       "window": {
                     *         "from": "2026-11-22T09:30:00.000Z",
                     *         "to": "2026-11-22T09:30:00.000Z"
                     *       },
                     *       "users": {
                     *         "status": "measured",
                     *         "reason": "no_events",
                     *         "with_errors": 1,
                     *         "active": 1,
                     *         "expected": 1,
                     *         "affected": 1,
                     *         "low": 1,
                     *         "high": 1,
                     *         "significant": true
                     *       },
                     *       "missing": {
                     *         "status": "measured",
                     *         "reason": "no_events",
                     *         "expected": 1,
                     *         "low": 1,
                     *         "high": 1
                     *       },
                     *       "releases": {
                     *         "status": "measured",
                     *         "candidates": [
                     *           {
                     *             "id": "rel_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *             "version": "2026.11.3",
                     *             "name": "Checkout",
                     *             "released_at": "2026-11-22T09:30:00.000Z",
                     *             "verdict": "suspect",
                     *             "reason": "too_few_users",
                     *             "ratio": 1,
                     *             "low": 1,
                     *             "high": 1,
                     *             "before": {
                     *               "active": 1,
                     *               "with_errors": 1
                     *             },
                     *             "after": {
                     *               "active": 1,
                     *               "with_errors": 1
                     *             },
                     *             "new_errors": [
                     *               {
                     *                 "name": "Checkout",
                     *                 "users": 1
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "source": "raw",
                     *       "estimated": true
                     *     }
                     */
                    "application/json": components["schemas"]["Impact"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "release_id": "rel_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "computed_at": "2026-11-22T09:30:00.000Z",
                     *       "before_window": {
                     *         "from": "2026-11-22T09:30:00.000Z",
                     *         "to": "2026-11-22T09:30:00.000Z"
                     *       },
                     *       "after_window": {
                     *         "from": "2026-11-22T09:30:00.000Z",
                     *         "to": "2026-11-22T09:30:00.000Z"
                     *       },
                     *       "verdict": "suspect",
                     *       "reason": "too_few_users",
                     *       "ratio": 1,
                     *       "low": 1,
                     *       "high": 1,
                     *       "before": {
                     *         "active": 1,
                     *         "with_errors": 1
                     *       },
                     *       "after": {
                     *         "active": 1,
                     *         "with_errors": 1
                     *       },
                     *       "new_errors": [
                     *         {
                     *           "name": "Checkout",
                     *           "users": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReleaseComparison"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Start of the range by time of arrival; by default an hour before `to`. */
                from?: string;
                /** @description End of the range, at most an hour after `from`; now by default. */
                to?: string;
                /** @description Only events of these types, separated by commas. */
                types?: ("track" | "release" | "error")[];
                /** @description Only events with this name. */
                name?: string;
                /** @description Only events of this user. */
                external_user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "evt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "Checkout",
                     *           "type": "track",
                     *           "timestamp": "2026-11-22T09:30:00.000Z",
                     *           "external_user_id": "user-42",
                     *           "ingested_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["StoredEventList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ingestEvents: {
        parameters: {
            query?: {
                /** @description ID of the project, for web pages without a token. */
                project_id?: string;
                /** @description The sender’s clock in milliseconds. If it is more than a minute off, timestamps are corrected by the difference. */
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
                "application/json": components["schemas"]["IngestEventsRequest"];
                /** @example [{"type":"track","name":"signed_up","external_user_id":"user-42","timestamp":"2026-11-22T09:30:00Z","props":{"plan":"team"}}] */
                "text/plain": string;
            };
        };
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "receipt_id": "rcp_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "received": 1,
                     *       "accepted": 1,
                     *       "duplicates": 1,
                     *       "rejected": 1,
                     *       "event_ids": [
                     *         "evt_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *       ],
                     *       "errors": [
                     *         {
                     *           "index": 1,
                     *           "pointer": "text",
                     *           "code": "required",
                     *           "detail": "text"
                     *         }
                     *       ]
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "limits": {
                     *         "sustained_per_second": 1,
                     *         "burst_per_second": 1,
                     *         "burst_seconds": 1
                     *       },
                     *       "sustained": {
                     *         "capacity": 1,
                     *         "available": 1
                     *       },
                     *       "peak": {
                     *         "capacity": 1,
                     *         "available": 1
                     *       },
                     *       "bytes_today": {
                     *         "used": 1,
                     *         "maximum": 1,
                     *         "resets_at": "2026-11-22T09:30:00.000Z"
                     *       },
                     *       "minutes": [
                     *         {
                     *           "stored": 1,
                     *           "known": 1,
                     *           "refused": 1,
                     *           "at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "last_24_hours": {
                     *         "stored": 1,
                     *         "known": 1,
                     *         "refused": 1
                     *       },
                     *       "refusals": [
                     *         {
                     *           "code": "eu-west",
                     *           "events": 1,
                     *           "last_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EventRate"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUserTimeline: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items at or after this time. */
                from?: string;
                /** @description Only items before this time. */
                to?: string;
                /** @description Only events of these types, separated by commas. */
                types?: ("track" | "release" | "error")[];
            };
            header?: never;
            path: {
                /** @description ID of the user in your system, as events have it in `external_user_id`. */
                external_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "evt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "Checkout",
                     *           "type": "track",
                     *           "timestamp": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TimelineItemList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUserTimelineByQuery: {
        parameters: {
            query: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items at or after this time. */
                from?: string;
                /** @description Only items before this time. */
                to?: string;
                /** @description Only events of these types, separated by commas. */
                types?: ("track" | "release" | "error")[];
                /** @description ID of the user in your system, as events have it in `external_user_id`. */
                external_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "evt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "Checkout",
                     *           "type": "track",
                     *           "timestamp": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TimelineItemList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listReleases: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only items at or after this time. */
                from?: string;
                /** @description Only items before this time. */
                to?: string;
                /** @description Only releases of this environment. */
                environment?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "rel_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "version": "2026.11.3",
                     *           "name": "Checkout",
                     *           "environment": "production",
                     *           "released_at": "2026-11-22T09:30:00.000Z",
                     *           "url": "https://shop.example.com/checkout",
                     *           "commit_sha": "4f5ca1e",
                     *           "props": {},
                     *           "event_id": "evt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "created_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReleaseList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["CreateReleaseRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rel_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "version": "2026.11.3",
                     *       "name": "Checkout",
                     *       "environment": "production",
                     *       "released_at": "2026-11-22T09:30:00.000Z",
                     *       "url": "https://shop.example.com/checkout",
                     *       "commit_sha": "4f5ca1e",
                     *       "props": {},
                     *       "event_id": "evt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "created_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Release"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rel_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "version": "2026.11.3",
                     *       "name": "Checkout",
                     *       "environment": "production",
                     *       "released_at": "2026-11-22T09:30:00.000Z",
                     *       "url": "https://shop.example.com/checkout",
                     *       "commit_sha": "4f5ca1e",
                     *       "props": {},
                     *       "event_id": "evt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "created_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rel_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "version": "2026.11.3",
                     *       "name": "Checkout",
                     *       "environment": "production",
                     *       "released_at": "2026-11-22T09:30:00.000Z",
                     *       "url": "https://shop.example.com/checkout",
                     *       "commit_sha": "4f5ca1e",
                     *       "props": {},
                     *       "event_id": "evt_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "created_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Release"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the release. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFlows: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "flow_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "name": "Sign-up",
                     *           "steps": [
                     *             {
                     *               "event": "signed_up",
                     *               "where": [
                     *                 {
                     *                   "prop": "text",
                     *                   "op": "eq"
                     *                 }
                     *               ]
                     *             },
                     *             {
                     *               "event": "signed_up",
                     *               "where": [
                     *                 {
                     *                   "prop": "text",
                     *                   "op": "eq"
                     *                 }
                     *               ]
                     *             }
                     *           ],
                     *           "window_seconds": 86400,
                     *           "order": "ordered",
                     *           "version": 1,
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "updated_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["FlowList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["CreateFlowRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "flow_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "Sign-up",
                     *       "steps": [
                     *         {
                     *           "name": "Checkout",
                     *           "event": "signed_up",
                     *           "where": [
                     *             {
                     *               "prop": "text",
                     *               "op": "eq",
                     *               "value": "text"
                     *             }
                     *           ]
                     *         },
                     *         {
                     *           "name": "Checkout",
                     *           "event": "signed_up",
                     *           "where": [
                     *             {
                     *               "prop": "text",
                     *               "op": "eq",
                     *               "value": "text"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "window_seconds": 86400,
                     *       "order": "ordered",
                     *       "version": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the flow. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "flow_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "Sign-up",
                     *       "steps": [
                     *         {
                     *           "event": "signed_up",
                     *           "where": [
                     *             {
                     *               "prop": "text",
                     *               "op": "eq"
                     *             }
                     *           ]
                     *         },
                     *         {
                     *           "event": "signed_up",
                     *           "where": [
                     *             {
                     *               "prop": "text",
                     *               "op": "eq"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "window_seconds": 86400,
                     *       "order": "ordered",
                     *       "version": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Flow"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the flow. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateFlow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updated_at` that you have read, bare or quoted. If the resource has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                /** @description ID of the flow. */
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
                "application/json": components["schemas"]["UpdateFlowRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "flow_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "name": "Sign-up",
                     *       "steps": [
                     *         {
                     *           "event": "signed_up",
                     *           "where": [
                     *             {
                     *               "prop": "text",
                     *               "op": "eq"
                     *             }
                     *           ]
                     *         },
                     *         {
                     *           "event": "signed_up",
                     *           "where": [
                     *             {
                     *               "prop": "text",
                     *               "op": "eq"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "window_seconds": 86400,
                     *       "order": "ordered",
                     *       "version": 1,
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFlowReport: {
        parameters: {
            query?: {
                /** @description Only entries at or after this time. */
                from?: string;
                /** @description Only entries before this time; now by default. */
                to?: string;
                /** @description How entries are grouped; `none` by default. */
                group_by?: "none" | "day" | "hour" | "release" | "property";
                /** @description For `group_by=property`: the top-level property of the first step whose values are the groups. */
                property?: string;
                /** @description Only entries of the release with this ID. */
                release_id?: string;
                /** @description Version of the flow; by default the current one. */
                version?: number;
                /** @description `raw`: exact counts from raw events; `hourly`: whole hours from the roll-up; `auto`, the default: the best of both. */
                source?: "auto" | "raw" | "hourly";
            };
            header?: never;
            path: {
                /** @description ID of the flow. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "flow_id": "flow_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "version": 1,
                     *       "range": {
                     *         "from": "2026-11-22T09:30:00.000Z",
                     *         "to": "2026-11-22T09:30:00.000Z"
                     *       },
                     *       "group_by": "none",
                     *       "steps": [
                     *         {
                     *           "step": 1,
                     *           "name": "Checkout",
                     *           "users": 1,
                     *           "from_first": 1,
                     *           "from_previous": 1
                     *         }
                     *       ],
                     *       "complete_from": "2026-11-22T09:30:00.000Z",
                     *       "complete_through": "2026-11-22T09:30:00.000Z",
                     *       "source": "raw",
                     *       "roll_up": {
                     *         "hours": 1,
                     *         "pending": 1
                     *       },
                     *       "estimated": true
                     *     }
                     */
                    "application/json": components["schemas"]["FunnelReport"];
                    /** @example <svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Sign-up"></svg> */
                    "image/svg+xml": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "monitors": {
                     *         "up": 1,
                     *         "degraded": 1,
                     *         "down": 1,
                     *         "undetermined": 1,
                     *         "pending": 1,
                     *         "paused": 1
                     *       },
                     *       "in_maintenance": {
                     *         "up": 1,
                     *         "degraded": 1,
                     *         "down": 1,
                     *         "undetermined": 1,
                     *         "pending": 1,
                     *         "paused": 1
                     *       },
                     *       "alerts": {
                     *         "open": 1,
                     *         "acknowledged": 1,
                     *         "held": 1
                     *       },
                     *       "incidents": {
                     *         "unresolved": 1
                     *       },
                     *       "deliveries": {
                     *         "failed": 1,
                     *         "held": 1
                     *       },
                     *       "regions": [
                     *         {
                     *           "code": "eu-west",
                     *           "name": "Checkout",
                     *           "agents_online": 1,
                     *           "agents_total": 1,
                     *           "capabilities": [
                     *             "text"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Overview"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "topic": "project",
                     *       "ids": [
                     *         "text"
                     *       ]
                     *     }
                     */
                    "text/event-stream": components["schemas"]["Change"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWalls: {
        parameters: {
            query?: {
                /** @description Number of items on a page, 50 by default. */
                limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "wal_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *           "key": "env",
                     *           "managed_by": "text",
                     *           "name": "Operations room",
                     *           "selector": "env=prod",
                     *           "last_seen_at": "2026-11-22T09:30:00.000Z",
                     *           "created_at": "2026-11-22T09:30:00.000Z",
                     *           "updated_at": "2026-11-22T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "has_more": true,
                     *         "next_cursor": "eyJhIjoxfQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WallList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                "application/json": components["schemas"]["CreateWallRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "wal_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": "env",
                     *       "managed_by": "text",
                     *       "name": "Operations room",
                     *       "selector": "env=prod",
                     *       "last_seen_at": "2026-11-22T09:30:00.000Z",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z",
                     *       "url": "https://shop.example.com/checkout"
                     *     }
                     */
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the wallboard link. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "wal_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "project_id": "proj_01kay5t9c3fzq8w2k6n7v4b1hm",
                     *       "key": "env",
                     *       "managed_by": "text",
                     *       "name": "Operations room",
                     *       "selector": "env=prod",
                     *       "last_seen_at": "2026-11-22T09:30:00.000Z",
                     *       "created_at": "2026-11-22T09:30:00.000Z",
                     *       "updated_at": "2026-11-22T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Wall"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
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
                /** @description ID of the wallboard link. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. There is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMonitorMetrics: {
        parameters: {
            query?: {
                /** @description Label selector, such as `env=prod, team in (web, api), !legacy`; `*` matches everything. */
                selector?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example # TYPE upquorum_monitor_up gauge
                     *     upquorum_monitor_up{monitor_id="mon_01kay5t9c3fzq8w2k6n7v4b1hm",name="Checkout"} 1
                     *     # EOF
                     */
                    "application/openmetrics-text": string;
                    /**
                     * @example # TYPE upquorum_monitor_up gauge
                     *     upquorum_monitor_up{monitor_id="mon_01kay5t9c3fzq8w2k6n7v4b1hm",name="Checkout"} 1
                     *     # EOF
                     */
                    "text/plain": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            429: components["responses"]["Problem429"];
            503: components["responses"]["Problem503"];
            /** @description Another error, such as 500: problem details of RFC 9457. */
            default: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "https://upquorum.example.com/problems/internal_error",
                     *       "title": "Something went wrong on our side",
                     *       "status": 500,
                     *       "detail": "You can try the request again. If it keeps failing, give the operator the `request_id`.",
                     *       "instance": "/v0/monitors",
                     *       "code": "internal_error",
                     *       "request_id": "req_01kay5t9c3fzq8w2k6n7v4b1hm"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
