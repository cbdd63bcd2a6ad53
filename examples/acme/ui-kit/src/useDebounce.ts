import { useEffect, useRef, useState } from "react";

/**
 * A value that follows `value` only after it has rested for `delayMs`. For search boxes: the request
 * is made when the user stops typing, not at each key.
 */
export function useDebounce<T>(value: T, delayMs = 300): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}

/** The same for a function: of several calls in quick succession only the last one happens. */
export function useDebouncedCallback<A extends unknown[]>(callback: (...args: A) => void, delayMs = 300) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(callback);
  latest.current = callback;
  useEffect(() => () => clearTimeout(timer.current), []);
  return (...args: A) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(...args), delayMs);
  };
}
