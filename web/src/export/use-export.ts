import { useEffect, useRef, useState } from 'preact/hooks';
import type { Backend, ExportedFile, ExportWish } from '../backend.ts';
import { saveFile } from './save-file.ts';

export type Exporting =
  | { readonly kind: 'idle' | 'cancelled' | 'making' }
  | { readonly kind: 'saved'; readonly file: ExportedFile }
  | { readonly kind: 'trouble'; readonly text: string };

/** Asks for the file and saves it when it is whole. Whoever closes the sheet gives it up. */
export function useExport(make: NonNullable<Backend['export']>, session: string) {
  const [state, setState] = useState<Exporting>({ kind: 'idle' });
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);
  const start = async (wish: ExportWish): Promise<void> => {
    const controller = new AbortController();
    current.current = controller;
    setState({ kind: 'making' });
    try {
      const file = await make(session, wish, controller.signal);
      saveFile(file);
      setState({ kind: 'saved', file });
    } catch (error) {
      if (controller.signal.aborted) return;
      setState({ kind: 'trouble', text: error instanceof Error ? error.message : String(error) });
    }
  };
  const cancel = (): void => {
    current.current?.abort();
    setState({ kind: 'cancelled' });
  };
  return { state, start, cancel };
}
