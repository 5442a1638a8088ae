import { z } from 'zod';
import { byStatusAndMessage, calledType } from '../channel-type.ts';
import { field, token } from '../fields.ts';
import { alertRequest } from '../jira-service-management/alert-request.ts';

const paths = {
  us: 'https://api.opsgenie.com/v2/alerts',
  eu: 'https://api.eu.opsgenie.com/v2/alerts',
  jsm: 'https://api.atlassian.com/jsm/ops/integration/v2/alerts',
};

/** Opsgenie ends in April 2027. */
export const opsgenie = calledType({
  label: 'Opsgenie',
  about: 'Alerts; it ends in April 2027',
  isPaging: true,
  schema: z.object({
    api_key: field(token(), { label: 'API key', isSecret: true }),
    site: field(
      z
        .enum(['us', 'eu', 'jsm'])
        .default('us')
        .describe('Site of the account. `jsm`: Jira Service Management, the successor of Opsgenie.'),
      {
        label: 'Site',
        choices: { us: 'Opsgenie, United States', eu: 'Opsgenie, Europe', jsm: 'Jira Service Management' },
      },
    ),
  }),
  request: (message, config, { addresses }) => {
    const base = addresses.opsgenie === null ? paths[config.site] : `${addresses.opsgenie}/v2/alerts`;
    return alertRequest(base, config.api_key, message);
  },
  result: byStatusAndMessage,
});
