/** What the operations on projects, monitors, alerts and agents do, by name. */
export const monitoringOperations: Readonly<Record<string, string>> = {
  getMe:
    'Returns what the token is and may do. Any token may ask, so a program can check one that it was given without ' +
    'trying.',
  getProject: 'Returns the name, plan, quotas and limits of the project that the token belongs to.',
  updateProject: 'Fields that are left out stay as they are. `notices` and `grouping` are replaced as a whole.',
  listTokens: 'Returns all tokens of the project, also expired and revoked ones. Secrets are never returned.',
  createToken: 'The response is the only one with the secret. A token cannot have scopes that its creator lacks.',
  getToken: 'Returns a token without its secret.',
  revokeToken: 'Requests with the token are refused within seconds. A revoked token cannot be restored.',
  listAudit: 'With `Accept: application/x-ndjson` the whole log is streamed, oldest entry first, one on each line.',
  getOverview: 'Counts that need a scope that the token lacks are null.',
  streamChanges:
    'Each server-sent event names a list that changed; read it again. The stream ends with the validity of the token.',
  listMonitors: 'Filters can be combined. Uptime and latency are returned with `include=summary`.',
  createMonitor:
    'The first checks run within seconds. A monitor of the same name that was deleted within 30 days is restored ' +
    'with its history. With `dry_run=true` nothing is stored; the response shows what would be created.',
  getMonitor: 'Returns the settings, the status and the current vote of each region.',
  updateMonitor:
    'Fields that are left out stay as they are. With `dry_run=true` nothing is stored, and the response shows the ' +
    'changes with a back-test of the last 24 hours.',
  deleteMonitor: 'Checks stop at once and open alerts resolve. Its checks and uptime can be read for 30 days.',
  pauseMonitor: 'Open alerts resolve. Paused time does not count for uptime. Pausing a paused monitor changes nothing.',
  resumeMonitor: 'All regions check at once. Resuming a monitor that is not paused changes nothing.',
  listMonitorVersions: 'Each item is an entry of the audit log, with the version of the settings that it made, if any.',
  listLabels: 'Use it to offer keys and values for selectors.',
  bulkChangeMonitors:
    'Choose monitors with `ids` or with `selector` and `expected_count`. Each monitor is changed alone: the response ' +
    'lists the outcome of each, so that a repeated call completes the rest.',
  testMonitor: 'Each region runs one check. Tests are not checks: they do not vote and are not stored.',
  rotateMonitorSecret: 'Jobs get the new address from `url`; until then they use the one before.',
  getSignalKey: 'A signal goes to `url` with a slash and the slug of a heartbeat behind it.',
  rotateSignalKey: 'A key brought along from elsewhere lets its senders change the host alone.',
  checkMonitorNow: 'The results appear among the checks of the monitor within seconds.',
  listMonitorChecks: 'Each item is the result of one check in one region, with its timings and assertions.',
  getPingFigures:
    'Sums packets by bucket, whose length follows from the range. Results are stored for 30 days. Monitors of other ' +
    'kinds have none.',
  getDnsAnswers:
    'Each item is a set of records that checks of a region in a row were answered with. Results are stored for 30 ' +
    'days. Monitors of other kinds have none.',
  listMonitorVerdicts: 'A verdict is what a quorum of regions agrees on. Each item lists the votes behind it.',
  getMonitorUptime: 'Time in maintenance, paused and undetermined time is excluded and listed on its own.',
  importMonitorHistory:
    'The history of the monitor itself is never changed, and no alert or message follows. Uptime and the bars of ' +
    'status pages have it, marked as imported. Sent again, a part replaces itself.',
  getMonitorMetrics: 'The response is one snapshot of at most 5,000 monitors, cached for ten seconds.',
  listAlerts: 'Filters can be combined; `selector` matches the labels that the monitor had when the alert opened.',
  getAlert: 'Returns the alert with its reason, its acknowledgement and the incident that it was promoted to.',
  getAlertExplanation: 'Returns the rule, each vote, the time of each step, and the messages that were sent.',
  acknowledgeAlert: 'Reminders and escalations stop. Acknowledging an acknowledged alert changes nothing.',
  backtestMonitor: 'Nothing is stored. The response compares the alerts and the uptime of the range before and after.',
  listAlertGroups: 'A group is the set of alerts with one cause that are sent as one message.',
  getAlertGroup: 'Returns the group with its cause and the IDs of its alerts.',
  acknowledgeAlertGroup: 'Reminders and escalations stop for each alert of the group.',
  listNotices: 'A notice means that monitoring itself is impaired, such as a silent region or a failing channel.',
  listRegions: 'Returns shared regions and the private regions of the project, with what their agents can do.',
  listAgents: 'Returns each agent with its load and the results that it has yet to deliver.',
  getAgent: 'Returns an agent without its secret.',
  createAgent: 'The response is the only one with the secret that the agent connects with.',
  revokeAgent: 'The agent is disconnected at once and permanently. Others in its region take over its monitors.',
  listWalls: 'The links themselves are never returned, since they hold a secret.',
  getWall: 'Returns a wallboard link without its URL, which holds a secret.',
  createWall: 'The response is the only one with the link. Whoever has it can see the monitors, but change nothing.',
  listSecrets: 'The values themselves are never returned.',
  getSecret: 'Returns the secret with the monitors that name it, without its value.',
  createSecret: 'Monitors name it as `{{secret.NAME}}`. No response has its value.',
  updateSecret: 'With a new value, each monitor that names the secret gets a new `config_version` and keeps its votes.',
  deleteSecret: 'Refused while a monitor names the secret.',
  deleteWall: 'The link stops working within seconds, and screens that show it go blank.',
};
