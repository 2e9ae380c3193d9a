/** One question of a host may be heard of by its hook and at its server. The hook's turn goes first: it is the host's own. */
export interface QuestionTurns {
  /** A hook has it, now or in a moment: whoever else asked for an answer withdraws. */
  take(id: string): void;
  isHooks(id: string): boolean;
  /** Somebody asks for an answer to it already: a server may have two addresses. */
  isOpen(id: string): boolean;
  /** Somebody else asks for an answer to it. */
  open(id: string, withdraw: () => void): void;
  /** It is over. */
  close(id: string): void;
}

export function createQuestionTurns(): QuestionTurns {
  const hooks = new Set<string>();
  const others = new Map<string, () => void>();
  const withdraw = (id: string): void => {
    const call = others.get(id);
    others.delete(id);
    call?.();
  };
  return {
    take(id) {
      hooks.add(id);
      withdraw(id);
    },
    isHooks: (id) => hooks.has(id),
    isOpen: (id) => others.has(id),
    open: (id, call) => void others.set(id, call),
    close(id) {
      withdraw(id);
      hooks.delete(id);
    },
  };
}
