import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf, itemsOf, queryOf } from '../connection/session.ts';
import type { Command } from '../frame/command.ts';
import { timeText } from '../monitoring/inks.ts';

type Release = Schemas['Release'];

const create: Command = {
  name: 'releases create',
  summary: 'Record a release, to compare what users do before and after it',
  args: 'VERSION',
  arity: [1, 1],
  flags: [
    { name: 'environment', value: 'NAME', summary: 'where it runs (production)' },
    { name: 'url', value: 'URL', summary: 'a page about it' },
    { name: 'commit', value: 'SHA', summary: 'the commit that it was made from' },
  ],
  examples: ['upquorum releases create 2026.11.3 --commit "$GITHUB_SHA"'],
  run: async ({ connect, terminal, args, value }) => {
    const { client } = await connect();
    const [environment, url, commit] = [value('environment'), value('url'), value('commit')];
    const body = {
      version: args[0] ?? '',
      ...(environment === null ? {} : { environment }),
      ...(url === null ? {} : { url }),
      ...(commit === null ? {} : { commit_sha: commit }),
    };
    const release = await dataOf(client.POST('/v0/releases', { body }));
    if (terminal.isJson) terminal.json(release);
    else terminal.line(release.id);
  },
};

const list: Command = {
  name: 'releases list',
  summary: 'List releases, newest first',
  run: async ({ connect, terminal }) => {
    const { client } = await connect();
    const data = await itemsOf<Release>(cursor =>
      client.GET('/v0/releases', { params: { query: queryOf(cursor, {}) } }),
    );
    if (terminal.isJson) return terminal.json({ data });
    if (data.length === 0) return terminal.note('No releases.');
    terminal.table(
      ['RELEASED', 'VERSION', 'ENVIRONMENT', 'ID'],
      data.map(({ released_at, version, environment, id }) => [timeText(released_at), version, environment, id]),
    );
  },
};

export const releaseCommands: readonly Command[] = [create, list];
