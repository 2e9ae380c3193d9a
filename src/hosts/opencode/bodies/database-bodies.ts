import { asAmount, asText, parseObject } from '../../../lib/json.ts';
import { type ReadOnlyDatabase, readDatabase } from '../../../lib/sqlite.ts';
import type { Bodies } from '../../index.ts';
import { placeOf, type WholeMessage, type WholePart } from './conversation.ts';
import { type BodyOptions, toMessage } from './to-message.ts';

/** One conversation in a database: some of its messages are read at a time. */
export function openDatabaseBodies(file: string, session: string): Bodies {
  return {
    places: () =>
      readDatabase(file, (database) =>
        database
          .all(
            'select cast(id as blob) as id, time_created from message where session_id = ? order by time_created, id',
            session,
          )
          .flatMap(({ id, time_created }) => {
            const native = asText(id);
            return native === undefined ? [] : [placeOf(native, asAmount(time_created))];
          }),
      ),
    read: (places, options: BodyOptions = { withMedia: false }) =>
      readDatabase(file, (database) =>
        places.flatMap(({ id }) => {
          const message = readMessage(database, id);
          return message ? [toMessage(message, options)] : [];
        }),
      ),
    leftOut: () => ({}),
    // What was committed last stands in the second one.
    files: [file, `${file}-wal`],
  };
}

function readMessage(database: ReadOnlyDatabase, id: string): WholeMessage | undefined {
  const [row] = database.all('select cast(data as blob) as data from message where id = ?', id);
  const info = parseObject(row?.['data']);
  if (!info) return undefined;
  // Ids of parts ascend, but for a wrap every 2.2 years: by the time they came, then by id.
  const parts = database.all(
    'select cast(id as blob) as id, cast(data as blob) as data from part where message_id = ? order by time_created, id',
    id,
  );
  return { id, info, parts: parts.flatMap((part) => toPart(asText(part['id']), part['data'])) };
}

function toPart(id: string | undefined, data: unknown): readonly WholePart[] {
  const part = parseObject(data);
  return id === undefined || !part ? [] : [{ id, part }];
}
