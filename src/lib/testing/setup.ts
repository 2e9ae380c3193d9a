// Runs before each test file (vitest.config.ts).
import { afterAll } from 'vitest';
import './seed.ts';
import { removeTemporaryFolders } from './temporary-folder.ts';

// The first hook that is registered runs last: after those that close what has files open there.
afterAll(removeTemporaryFolders);
