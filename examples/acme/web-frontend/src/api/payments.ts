import { ApiClient } from "./client";
import type { components } from "./schema";

export type PaymentRequest = components["schemas"]["PaymentRequest"];
export type Payment = components["schemas"]["Payment"];

const client = new ApiClient("/payments");

/**
 * Charges the card. The key must stay the same while the user tries to pay the same basket, so that a
 * lost answer and a second click do not charge twice.
 */
export function createPayment(request: PaymentRequest, idempotencyKey: string): Promise<Payment> {
  return client.request<Payment>("/v1/payments", {
    method: "POST",
    body: request,
    headers: { "Idempotency-Key": idempotencyKey },
  });
}

export function getPayment(id: string, signal?: AbortSignal): Promise<Payment> {
  return client.request<Payment>(`/v1/payments/${encodeURIComponent(id)}`, { signal });
}
