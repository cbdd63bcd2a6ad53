/** Everything that the kit offers. What is not exported here is private. */
export { Button } from "./Button";
export type { ButtonProps } from "./Button";
export { Modal } from "./Modal";
export { TextField } from "./TextField";
export { ToastProvider, useToast } from "./Toast";
export { useDebounce, useDebouncedCallback } from "./useDebounce";
export { useFocusTrap } from "./useFocusTrap";
export * from "./formatDate";
export { formatAmount as formatMoney } from "./formatAmount";
export { default as theme } from "./theme";
