/** What the operations on channels, routes, webhooks, deliveries, events and flows do, by name. */
export const deliveryOperations: Readonly<Record<string, string>> = {
  listRoutes: 'An alert follows the first route that matches, and later ones while each has `continue`.',
  createRoute: 'The route is evaluated after those that exist. Change the order with `POST /v0/routes/order`.',
  orderRoute: 'List the ID of every route once, in the order wanted.',
  matchRoute: 'Nothing is sent. Give the labels of an alert, or a monitor in `monitor_id`.',
  getRoute: 'Returns the route with its steps and quiet hours.',
  updateRoute: 'Fields that are left out stay as they are. Alerts that were already sent keep their route.',
  deleteRoute: 'Channels that the route has notified still get a message when those alerts resolve.',
  listChannels: 'Secrets in `config` are shown as `********`.',
  createChannel: 'Nothing is sent to an email address before its owner has confirmed it.',
  getChannel: 'Secrets in `config` are shown as `********`.',
  updateChannel:
    'Fields that are left out stay as they are. `config` is replaced; a secret sent as `********` is kept.',
  deleteChannel: 'Refused while a route names the channel.',
  testChannelDraft: 'The response says whether the service accepted the message, and if not, why.',
  testChannel: 'The response says whether the service accepted the message, and if not, why.',
  listIncidentDeliveries: 'Returns the messages about the incident to subscribers, webhooks and Slack.',
  listAlertDeliveries: 'Returns the messages about the alert to channels, webhooks and Slack.',
  listChannelDeliveries: 'Returns the messages that were sent to the channel or are queued for it.',
  listMaintenanceDeliveries: 'Returns the messages about the maintenance window to subscribers and webhooks.',
  listDeliveries: 'Filters can be combined. Deliveries about subjects that the token may not read are left out.',
  replayDelivery: 'The message is queued again and sent within seconds.',
  listWebhooks: 'Secrets are never returned.',
  createWebhook: 'The response is the only one with the secret. Messages are signed as Standard Webhooks.',
  getWebhook: 'Returns the webhook without its secret.',
  updateWebhook: 'Fields that are left out stay as they are. `enabled: true` starts a disabled webhook again.',
  deleteWebhook: 'Nothing more is sent to it.',
  rotateWebhookSecret: 'The response is the only one with the new secret.',
  getSlack: 'The bot token is never returned.',
  connectSlack: 'The token is tried before it is stored. It replaces the one that was stored before.',
  disconnectSlack: 'The stored bot token is erased.',
  ingestEvents:
    'Events are accepted one by one: `errors` lists those that were refused. Send `dedup_id` to retry safely.',
  listEvents: 'Events are listed by the time of arrival. The range is at most an hour.',
  getEventRate: 'Requests without a valid token or project are not counted, since they belong to no project.',
  listEventNames:
    'Counts are exact and outlive the events. A project has 2,000 names of each type; events of other names are ' +
    'counted as `(other)`.',
  getTrends:
    'Counts of events are exact, in any order of arrival, and the same after the events themselves were deleted. A ' +
    'breakdown needs the events: its range begins where these are complete. With `Accept: application/x-ndjson` ' +
    'lines with `counted` and `parts` say how far it is; the last line is the answer.',
  getRetention:
    'Numbers are exact, or null with a `reason`, and the same after the events themselves were deleted. Returns are ' +
    'counted also after the range. Periods that begin after now are null.',
  getUserTimeline: 'Events are listed by their own `timestamp`.',
  getUserTimelineByQuery: 'Use it for users whose ID cannot stand in a path.',
  eraseUser:
    'Everything that arrived until now is deleted in steps, within an hour. While that is under way, asking again ' +
    'returns the same erasure. At most 20 run at once.',
  listErasures: 'Erasures are kept for 400 days.',
  getErasure: 'The user is shown as a keyed hash: the ID itself is forgotten when the erasure is done.',
  exportEvents:
    'The last line says that the export is complete; CSV is if the response ended. After a break go on with `after`. ' +
    'One export of a project runs at a time.',
  exportUser: 'Each line is an event; the last one says that the export is complete, and how many there are.',
  listReleases: 'Releases are listed by `released_at`.',
  createRelease: 'Posting a version again in the same environment returns the first release with 200.',
  getRelease: 'Returns the release with its properties.',
  deleteRelease: 'The release disappears from timelines and reports.',
  compareRelease: 'Both windows end early where another release is near.',
  getIncidentImpact: 'If there is not enough data, the status is `cannot_tell`, with a reason.',
  listReports: 'A report holds no data: each item is asked by its parameters.',
  createReport: 'Flows of its items must exist. The name is unique in the project.',
  getReport: 'An item whose flow was deleted stays; its funnel is not found.',
  updateReport: 'Fields that are left out stay as they are.',
  deleteReport: 'Events and flows stay as they are.',
  listFlows: 'Returns the current version of each flow.',
  createFlow: 'The funnel can be read as soon as the events of the past have been counted.',
  getFlow: 'Returns the current version of the flow.',
  updateFlow: 'Fields that are left out stay as they are. Reports of earlier versions stay available.',
  deleteFlow: 'Events are not deleted.',
  getFlowReport: 'Counts users who complete each step within the window. The range and the groups are in the query.',
};
