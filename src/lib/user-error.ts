/** Something the person can fix. Only `main.ts` prints it: one sentence on what happened, one on what to do; no stack. */
export class UserError extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor(code: string, message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UserError';
    this.code = code;
    this.remedy = remedy;
  }
}
