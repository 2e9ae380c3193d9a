// dist/sqlite-worker.js: a thread that reads one database (`lib/sqlite-thread.ts`). It answers one question after the other.
import { parentPort, workerData } from 'node:worker_threads';
import { type DriverStatement, driver, withTexts } from './sqlite-driver.ts';
import type { Answer, Question, WorkerConnection } from './sqlite-thread.ts';

const { uri }: WorkerConnection = workerData;
const connection = (await driver()).connect(uri);
const statements = new Map<string, DriverStatement>();
const tell = (answer: Answer): void => parentPort?.postMessage(answer);

parentPort?.on('message', ({ id, sql, values }: Question) => {
  try {
    const statement = statements.get(sql) ?? connection.prepare(sql);
    statements.set(sql, statement);
    tell({ kind: 'rows', id, rows: statement.all(...values).map(withTexts) });
  } catch (error) {
    const { message, code, errcode, rawCode } = error as Record<string, unknown>;
    tell({ kind: 'error', id, error: { message, code, errcode, rawCode } });
  }
});
tell({ kind: 'ready' });
