/** What the operations on status pages, incidents, maintenance and subscribers do, by name. */
export const publishingOperations: Readonly<Record<string, string>> = {
  listComponents: 'Returns the components of all status pages, or of one with `status_page_id`.',
  createComponent: 'Its status follows the monitors in `monitor_ids` and those that match `monitor_selector`.',
  orderComponents: 'List every component of the page once, in the order wanted, with its group.',
  getComponent: '`shown_status` is what visitors see: the worst of the manual status, open incidents and monitors.',
  updateComponent:
    'Fields that are left out stay as they are. The page is published again at once. `warnings` says ' +
    'how many subscribers a page keeps that becomes private.',
  deleteComponent: 'The component disappears from its page. Refused while an open incident affects it.',
  listIncidents: 'Filters can be combined. Each incident has all its updates.',
  createIncident:
    'The initial update is published at once. Unless `notify` is false, subscribers are notified. An incident that ' +
    'is already over is created with `resolved_at`.',
  getIncident: 'Returns the incident with its updates and its post-mortem.',
  updateIncident: 'Fields that are left out stay as they are. To tell subscribers something, post an update.',
  importIncidents:
    'An incident of the same page, source and `external_id` is left as it is, also if it was deleted. The page, its ' +
    'history and `summary.json` show the incidents; no message, webhook or entry of a feed follows.',
  deleteIncident: 'The incident disappears from the page, its history and its feeds.',
  createIncidentUpdate: 'The state of the incident becomes that of the update.',
  updateIncidentUpdate: 'The page shows the new text and when it was edited.',
  resolveIncident: 'Subscribers are notified, and the components return to the status of their monitors.',
  listIncidentAudit: 'Each item is an entry of the audit log.',
  getAlertPromotion: 'Nothing is published. Title, components and first update can be changed when promoting.',
  promoteAlert: 'The alert counts as acknowledged. Resolving the alert later does not resolve the incident.',
  listMaintenances: 'Filters can be combined; `from` and `to` select windows with an occurrence in the range.',
  createMaintenance:
    'Give `starts_at` and `ends_at` for a single window, or `schedule` for a recurring one. With `announced`, status ' +
    'pages show it and subscribers are notified.',
  previewMaintenance: 'Nothing is stored. The response has the first occurrences and the monitors in its scope.',
  getMaintenance: 'Returns the window with its current and next occurrence and its latest updates.',
  updateMaintenance: 'Fields that are left out stay as they are. Occurrences that are over do not change.',
  deleteMaintenance: 'The window is removed with all its effects on uptime. To keep them, cancel it instead.',
  listMaintenanceOccurrences: 'Occurrences are known up to 90 days ahead.',
  extendMaintenance: 'Without `occurrence_id`, the occurrence in progress gets the later end.',
  endMaintenance: 'Delayed notifications are sent if their problems continue.',
  cancelMaintenance: 'Later occurrences of a recurring window stay as they are.',
  createMaintenanceUpdate: 'The update is published at once, and subscribers of the pages are notified.',
  updateMaintenanceUpdate: 'The page shows the new text and when it was edited.',
  listPlannedOccurrences: 'Returns the occurrences of all windows in one list, for calendars.',
  listStatusPages: 'Returns the settings of each page. Its components are a list of their own.',
  createStatusPage: 'The page is at `url` at once. The link to a page that is seen by link is returned only here.',
  getStatusPage: 'Returns the settings of the page. Its components are a list of their own.',
  updateStatusPage: 'Fields that are left out stay as they are. The page is published again at once.',
  rotateStatusPageLink:
    'Returns the page with the new link, which is shown once. The old link, cookies and feed keys end at once.',
  listStatusPageDomains: 'Returns the record that proves each domain, and what was last found.',
  createStatusPageDomain:
    'Set the TXT record of the response, and point the domain to `target`. Until then its host is treated like ' +
    'any other. The first domain that is proven becomes `canonical_domain`.',
  verifyPageDomain: 'The response has the result. A domain that was proven for another page moves to this one.',
  deleteStatusPageDomain: 'A page that was known by the domain is known by its address below the installation’s again.',
  deleteStatusPage: 'The page, its feeds and its subscribers are removed. Refused while an incident is open.',
  previewStatusPage: 'The response has the whole page as HTML.',
  listStatusPageSubscribers: 'Returns subscribers in all states, also those that have not confirmed.',
  createStatusPageSubscriber:
    'An email address must be confirmed by its owner unless `consent` says how they agreed. An address that is known ' +
    'already is returned with 200.',
  importSubscribers: 'No confirmation is sent: you state in `consent` how the people agreed.',
  deleteStatusPageSubscriber: 'The address is erased. Nobody is notified.',
};
