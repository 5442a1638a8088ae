import { z } from 'zod';
import { byStatusAndMessage, calledType } from '../channel-type.ts';
import { field, token } from '../fields.ts';
import { alertRequest } from './alert-request.ts';

const alerts = 'https://api.atlassian.com/jsm/ops/integration/v2/alerts';

/** Alerts of an API integration: created, noted, acknowledged and closed by their alias. */
export const jiraServiceManagement = calledType({
  label: 'Jira Service Management',
  about: 'Alerts by an API integration',
  isPaging: true,
  schema: z.object({
    api_key: field(token().describe('API key of an API integration.'), { label: 'API key', isSecret: true }),
  }),
  request: (message, { api_key }) => alertRequest(alerts, api_key, message),
  result: byStatusAndMessage,
});
