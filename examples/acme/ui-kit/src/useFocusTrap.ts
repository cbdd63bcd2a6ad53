import { useEffect, type RefObject } from "react";

const FOCUSABLE = "a[href], button:not([disabled]), input:not([disabled]), select, textarea, [tabindex='0']";

/** Keeps the Tab key inside an element while `active`, and gives the focus back afterwards. */
export function useFocusTrap(container: RefObject<HTMLElement | null>, active: boolean) {
  useEffect(() => {
    const element = container.current;
    if (!active || !element) return;
    const before = document.activeElement as HTMLElement | null;
    focusableIn(element)[0]?.focus();

    const cycle = (event: KeyboardEvent) => {
      if (event.key !== "Tab") return;
      const stops = focusableIn(element);
      const edge = event.shiftKey ? stops[0] : stops[stops.length - 1];
      if (document.activeElement === edge) {
        event.preventDefault();
        (event.shiftKey ? stops[stops.length - 1] : stops[0])?.focus();
      }
    };
    element.addEventListener("keydown", cycle);
    return () => {
      element.removeEventListener("keydown", cycle);
      before?.focus();
    };
  }, [container, active]);
}

function focusableIn(element: HTMLElement): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(FOCUSABLE)];
}
