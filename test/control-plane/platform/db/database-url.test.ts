import test from 'ava';
import pg from 'pg';
import { isPlainRemote, parseDatabaseUrl } from '#control-plane/platform/db/database-url.ts';

const urls: readonly [url: string, place: string, host: string, plainRemote: boolean][] = [
  ['postgres://u:p@db.example:5433/app', 'postgres://db.example:5433/app', 'db.example', true],
  ['postgresql://u:p@db.example/app?sslmode=verify-full', 'postgresql://db.example/app', 'db.example', false],
  ['postgresql://u:p@db.example/app?sslmode=disable', 'postgresql://db.example/app', 'db.example', true],
  ['postgres://u:p@127.0.0.1/app', 'postgres://127.0.0.1/app', '127.0.0.1', false],
  ['postgresql:///app?host=/run/postgresql', 'postgresql:///run/postgresql/app', '/run/postgresql', false],
  ['postgres://u:p@/app?host=/run/postgresql', 'postgres:///run/postgresql/app', '/run/postgresql', false],
];
for (const [url, place, host, plainRemote] of urls)
  test(`${url} is the database ${place}`, t => {
    t.is(parseDatabaseUrl(url)?.place, place);
    t.is(isPlainRemote(url), plainRemote);
    const client = new pg.Client({ connectionString: url });
    t.deepEqual([client.host, client.database], [host, 'app'], 'as the client reads it');
  });

test('what is no URL of PostgreSQL is none', t => {
  for (const text of ['', 'x', 'mysql://h/db', 'postgres://h:port/db', 'postgres:/db'])
    t.is(parseDatabaseUrl(text), null);
});
