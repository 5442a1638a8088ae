import type { Sample } from './sample-shop.ts';
import type { LocalFile } from './setup.ts';

/** The text printed when everything is running. */
export function summary(
  { base_url, token, project_id, sample_token }: LocalFile,
  dataDir: string,
  sample: Sample & { link_token: string },
): string {
  return `
Upquorum is running.  Dashboard ${base_url}/   (sign in with the token)
  page     ${base_url}/status/demo   (a sample: real monitors, sample history)
  API      ${base_url}   OpenAPI ${base_url}/v0/openapi.json   metrics ${base_url}/metrics
  project  ${project_id}
  token    ${token}
  data     ${dataDir}  (logs in logs/; for scripts, this summary is in local.json)

Try:
  curl -s -H 'Authorization: Bearer ${token}' ${base_url}/v0/monitors
  curl -s -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' ${base_url}/v0/monitors \\
    -d '{"name":"My site","url":"https://example.com/","interval_seconds":30,"regions":["eu-west","us-east","ap-south"]}'
  curl -s -H 'Authorization: Bearer ${token}' '${base_url}/v0/alerts?state=open'

Samples are in a project of their own, whose token opens them in the dashboard: ${sample_token}
A sample shop, with a page that sends events and its funnel before and after a release:
  ${base_url}/client/demo#project=${sample.project_id}&flow=${sample.flow_id}&token=${sample.link_token}
  curl -s -H 'Authorization: Bearer ${sample_token}' '${base_url}/v0/flows/${sample.flow_id}/report?group_by=release'
  curl -s -H 'Authorization: Bearer ${sample_token}' -H 'Accept: image/svg+xml' \\
    ${base_url}/v0/flows/${sample.flow_id}/report > funnel.svg

Press Ctrl-C to stop everything. The data is kept.
`;
}
