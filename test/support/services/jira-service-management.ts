import { opsgenie } from '../channel-bodies.ts';
import type { Stub } from './service.ts';

export const jiraServiceManagement: Stub = {
  config: () => ({ api_key: 'secret-jira-service-management' }),
  service: {
    method: 'POST',
    path: /^\/jsm\/ops\/integration\/v2\/alerts(\/[\w%-]+\/(notes|acknowledge|close)\?identifierType=alias)?$/,
    takes: opsgenie,
    headers: { authorization: /^GenieKey secret-jira-service-management$/ },
    answer: [202, '{"result":"Request will be processed","took":0.1,"requestId":"1"}'],
  },
  shown: ['_api_ `x` *y* ~z~ a_b <i> &amp; fe80::a:b', '>_api_ `x` *y* ~z~ a_b <i> &amp; fe80::a:b'],
};
