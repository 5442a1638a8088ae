import { fragment, type Sql } from '../../platform/db/sql.ts';
import type { SealedSubscriber, sealSubscriber } from './sealed.ts';

const columns = fragment`id, sealed_address, sealed_token, sealed_secret`;

/** Locks the next rows in the order of their ids, after the id `after`. */
export async function lockSubscribersAfter(sql: Sql, after: string, limit: number): Promise<SealedSubscriber[]> {
  return sql.rows<SealedSubscriber>`
    select ${columns}
    from subscribers
    where id > ${after}
    order by id
    limit ${limit}
    for update`;
}

export async function replaceSealed(sql: Sql, id: string, sealed: ReturnType<typeof sealSubscriber>): Promise<void> {
  await sql.run`
    update subscribers
    set sealed_address = ${sealed.address}, sealed_token = ${sealed.token}, sealed_secret = ${sealed.secret}
    where id = ${id}`;
}
