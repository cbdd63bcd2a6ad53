import type { ButtonHTMLAttributes, ReactNode } from "react";
import theme from "./theme";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `danger` is for what cannot be undone. */
  variant?: "primary" | "secondary" | "danger";
  /** Shows that work is under way and ignores further clicks. */
  busy?: boolean;
  children: ReactNode;
}

/**
 * A button that cannot be pressed twice: while `busy`, clicks are ignored but the focus stays where it
 * is, which a disabled button would lose.
 */
export function Button({ variant = "primary", busy = false, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy}
      aria-disabled={busy || rest.disabled}
      style={{ background: theme.colors[variant], padding: theme.space(2) }}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
    >
      {busy ? <span aria-hidden="true">…</span> : null}
      {children}
    </button>
  );
}
