import { createContext, useCallback, useContext, useState, type ReactNode } from "react";

interface Toast {
  id: number;
  text: string;
}

const VISIBLE_MS = 5000;
const ToastContext = createContext<(text: string) => void>(() => {
  throw new Error("useToast needs a ToastProvider above it");
});

/** Shows short messages at the edge of the page and takes them away after five seconds. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const show = useCallback((text: string) => {
    const id = Date.now() + Math.random();
    setToasts((all) => [...all, { id, text }]);
    setTimeout(() => setToasts((all) => all.filter((toast) => toast.id !== id)), VISIBLE_MS);
  }, []);
  return (
    <ToastContext.Provider value={show}>
      {children}
      <div role="status" aria-live="polite">
        {toasts.map((toast) => (
          <p key={toast.id}>{toast.text}</p>
        ))}
      </div>
    </ToastContext.Provider>
  );
}

/** A function that shows a message to the user. */
export function useToast(): (text: string) => void {
  return useContext(ToastContext);
}
