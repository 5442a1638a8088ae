import { gotify } from './gotify.ts';
import { incidentIo } from './incident-io.ts';
import { jiraServiceManagement } from './jira-service-management.ts';
import { matrix } from './matrix.ts';
import { mattermost } from './mattermost.ts';
import { pushover } from './pushover.ts';
import { rocketChat } from './rocket-chat.ts';
import type { Stub } from './service.ts';
import { zulip } from './zulip.ts';

/** Stubs of services that have a file each. */
export const stubs = {
  jira_service_management: jiraServiceManagement,
  incident_io: incidentIo,
  mattermost,
  rocket_chat: rocketChat,
  zulip,
  matrix,
  pushover,
  gotify,
} as const satisfies Record<string, Stub>;

/** One member of each stub, by type. */
export function ofStubs<Value>(read: (stub: Stub) => Value): Record<keyof typeof stubs, Value> {
  const entries = Object.entries<Stub>(stubs).map(([type, stub]) => [type, read(stub)]);
  return Object.fromEntries(entries);
}
