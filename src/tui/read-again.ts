export interface Reading {
  /** There is more: read once more, soon. */
  again(): void;
  close(): void;
}

/** Long enough that a busy agent does not keep us reading all the time. */
const PAUSE_MS = 700;

/** Reads now, and after each `again`: never twice at a time, and with a pause between. */
export function startReading<T>(
  read: () => Promise<T>,
  onRead: (result: T) => void,
  onFailure: (error: unknown) => void,
): Reading {
  let isClosed = false;
  let isReading = false;
  let isWanted = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const readOnce = async (): Promise<void> => {
    isReading = true;
    isWanted = false;
    try {
      const result = await read();
      if (!isClosed) onRead(result);
    } catch (error) {
      if (!isClosed) onFailure(error);
    }
    if (!isClosed) timer = setTimeout(rest, PAUSE_MS);
  };
  const rest = (): void => {
    isReading = false;
    if (isWanted) void readOnce();
  };
  void readOnce();
  return {
    again() {
      isWanted = true;
      if (!isReading && !isClosed) void readOnce();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
