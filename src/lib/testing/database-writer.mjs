// Started by databases.ts: a program that writes a database as OpenCode does. One JSON list of statements a line.
import { createInterface } from 'node:readline';
import Database from 'libsql';

const database = new Database(process.argv[2]);
database.exec('pragma journal_mode = wal');
database.exec('pragma synchronous = normal');
for await (const line of createInterface({ input: process.stdin })) {
  try {
    for (const statement of JSON.parse(line)) database.exec(statement);
    process.stdout.write('{}\n');
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: error.message })}\n`);
  }
}
// What the library's last connection does when it is closed.
database.exec('pragma wal_checkpoint(truncate)');
database.close();
