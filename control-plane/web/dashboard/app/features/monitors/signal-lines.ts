import type { Monitor } from '../../session/api-types.ts';

type Own = Pick<NonNullable<Monitor['heartbeat']>, 'cron' | 'post_only'>;

/** One line for each way to send a signal to an address. */
export function signalLines(url: string, { cron, post_only }: Own): readonly (readonly [name: string, line: string])[] {
  const curl = `curl -fsS -m 10 --retry 5 ${post_only ? '-X POST ' : ''}${url}`;
  // Of a job that was killed EXIT_STATUS is the name of the signal, which is no ending of an address.
  const status = `test \${EXIT_CODE} = exited && s=\${EXIT_STATUS} || s=fail`;
  return [
    ['curl', curl],
    ['cron', `${cron ?? '0 * * * *'} my-job; ${curl}/$?`],
    ['systemd', `ExecStopPost=/bin/sh -c '${status}; ${curl}/$$s'`],
  ];
}
