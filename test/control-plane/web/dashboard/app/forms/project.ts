import { sampleAgent, sampleFlow, sampleProject, sampleToken, sampleWall } from '../page/resources.ts';
import { list } from '../page/server.ts';
import type { FormRow } from './form-row.ts';

export const projectForms: readonly FormRow[] = [
  {
    name: 'a new agent',
    address: '#/regions',
    open: 'Register agent',
    answers: { 'GET /v0/regions': list([{ ...regionOf('office'), private: true }]) },
    fill: [['type', 'Name', ' rack-7 ']],
    submit: 'Register agent',
    sends: ['POST /v0/agents', { region: 'office', name: 'rack-7' }],
    answer: sampleAgent({ name: 'rack-7', secret: 'ags_1' }),
    says: 'The secret is shown only now.',
    refused: ['name', 'Name'],
    draft: { field: 'Name', text: 'rack-7', cancel: 'Cancel' },
  },
  {
    name: 'a new link for a wall',
    address: '#/wall',
    open: 'New link',
    fill: [
      ['type', 'Name', 'Lobby'],
      ['type', 'Only monitors that match this selector', 'env=prod'],
    ],
    submit: 'Create link',
    sends: ['POST /v0/walls', { name: 'Lobby', selector: 'env=prod' }],
    answer: sampleWall({ name: 'Lobby', url: 'https://up.example/wall#s3cret' }),
    says: 'https://up.example/wall#s3cret',
    refused: ['selector', 'Only monitors that match this selector'],
    draft: { field: 'Name', text: 'Lobby', cancel: 'Cancel' },
  },
  {
    name: 'a new token',
    address: '#/settings/tokens',
    open: 'New token',
    fill: [
      ['type', 'Name', 'CI'],
      ['press', 'Deploys'],
      ['choose', 'Expires', 'in 30 days'],
    ],
    submit: 'Create token',
    sends: ['POST /v0/tokens', { name: 'CI', scopes: ['releases:write'] }],
    answer: sampleToken({ name: 'CI', scopes: ['releases:write'], token: 'upq_1' }),
    says: 'Copy it now: it is not stored and cannot be shown again.',
    refused: ['name', 'Name'],
    draft: { field: 'Name', text: 'CI', cancel: 'Cancel' },
  },
  {
    name: 'the project',
    address: '#/settings',
    fill: [
      ['type', 'Name', 'Acme Inc'],
      ['type', 'Allowed origins', 'https://a.example\nhttps://b.example'],
      ['type', 'A region is silent after, seconds', ''],
      ['check', 'Count what a session sent without a user for its first user'],
    ],
    submit: 'Save',
    sends: [
      'PATCH /v0/project',
      {
        ...{ name: 'Acme Inc', allowed_origins: ['https://a.example', 'https://b.example'] },
        grouping: { wait_seconds: 5, join_seconds: 120 },
        notices: { region_silent_after_seconds: null, agent_silent_after_seconds: null },
        link_sessions: true,
      },
    ],
    answer: sampleProject({ name: 'Acme Inc' }),
    says: 'Saved',
    refused: ['allowed_origins', 'Allowed origins'],
    draft: { field: 'Name', text: 'Acme Inc' },
  },
  {
    name: 'a new flow',
    address: '#/events/flows/new',
    fill: [
      ['type', 'Name', 'Sign-up'],
      ['type', 'Conversion window', '2'],
      ['choose', 'Time unit', 'hours'],
    ],
    submit: 'Create flow',
    sends: ['POST /v0/flows', { name: 'Sign-up', window_seconds: 7200, order: 'ordered' }],
    answer: sampleFlow({ id: 'flw_2' }),
    leads: '#/events/flows/flw_2',
    says: 'Sign-up: saved',
    refused: ['name', 'Name'],
    draft: { field: 'Name', text: 'Sign-up' },
  },
];

function regionOf(code: string) {
  return {
    ...{ code, name: code, agents_online: 0, agents_total: 0, capabilities: [], quarantined_since: null },
    ...{ monitors: 0, monitors_without_vote: 0, last_result_at: null },
  };
}
